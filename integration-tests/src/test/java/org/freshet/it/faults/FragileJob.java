/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package org.freshet.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.it.harness.JobJar;
import org.freshet.it.harness.JobOutcome;
import org.freshet.it.harness.SideBySide;
import org.freshet.it.harness.WorkDirectory;
import org.freshet.it.jobs.FragileWordCount;
import org.freshet.it.jobs.PlannedFault;

/**
 * A {@link FragileWordCount} over three small files, by stock Hadoop and by Freshet, with faults at
 * will. Not thread-safe.
 */
final class FragileJob {
  private static final int FILES = 3;
  private static final long PATIENCE_SECONDS = 240;

  private final Path faults;
  private final FileSystem fs;
  private final SideBySide sides;
  private final List<List<String>> files = new ArrayList<>();
  private int edits;

  FragileJob(Path root, JobConf stock, JobConf freshet) throws IOException {
    faults = new Path(root, "faults");
    java.nio.file.Path jar =
        JobJar.ofTestJobs(
            Files.createDirectories(WorkDirectory.fresh("jar-" + root.getName()))
                .resolve("jobs.jar"));
    sides =
        new SideBySide(
            new Path(root, "job"),
            stock,
            freshet,
            conf -> {
              FragileWordCount.configure(conf);
              conf.setJar(jar.toUri().toString());
              conf.set(PlannedFault.DIRECTORY, faults.toString());
              // The planned faults are kept in files, which the job looks at. What it computes does
              // not depend on them, nor on the place of a line; that its files may be cut into
              // chunks gives the reduces nodes to combine.
              conf.set("freshet.code.hazards", "ignore");
              conf.set("freshet.mapper.position.sensitive", "false");
            });
    fs = sides.fileSystem();
    fs.delete(faults, true);
    fs.mkdirs(new Path(faults, "planned"));
    fs.mkdirs(new Path(faults, "done"));
    Random random = new Random(11);
    for (int f = 0; f < FILES; f++) {
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        lines.add("f" + f + " l" + i + " some words " + random.nextInt(100) + " and others");
      }
      files.add(lines);
      sides.put("part-" + f, lines);
    }
  }

  SideBySide sides() {
    return sides;
  }

  /** Changes one line: a small delta. */
  void editOneLine() throws IOException {
    List<String> lines = files.get(1);
    lines.set(150, "edited " + ++edits + " times");
    sides.put("part-1", lines);
  }

  /** Plans a fault; see {@link PlannedFault}. */
  void plan(String step, String action) throws IOException {
    try (OutputStream out = fs.create(new Path(faults, "planned/" + step))) {
      out.write(action.getBytes(UTF_8));
    }
  }

  /** Takes back what was planned and did not happen. */
  void planNothing() throws IOException {
    fs.delete(new Path(faults, "planned"), true);
    fs.delete(new Path(faults, "done"), true);
    fs.mkdirs(new Path(faults, "planned"));
    fs.mkdirs(new Path(faults, "done"));
  }

  /** Lets blocked tasks go on. */
  void release() throws IOException {
    fs.create(new Path(faults, "release")).close();
  }

  /** The steps whose fault has happened. */
  List<String> happened() throws IOException {
    List<String> steps = new ArrayList<>();
    for (var status : fs.listStatus(new Path(faults, "done"))) {
      steps.add(status.getPath().getName());
    }
    return steps;
  }

  /** Waits until the fault at the step has happened. */
  void awaitFault(String step) throws Exception {
    await("the fault at " + step, () -> fs.exists(new Path(faults, "done/" + step)));
  }

  /** Waits until a condition of another process holds. */
  static void await(String what, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.call()) {
      assertThat(System.nanoTime()).as("%s did not come in time", what).isLessThan(end);
      Thread.sleep(50);
    }
  }

  /** Runs as it is, then with one line edited, then with no change; each must equal stock. */
  JobOutcome assertRecovers() throws IOException {
    sides.assertEqualToStock();
    editOneLine();
    JobOutcome incremental = sides.assertEqualToStock();
    JobOutcome unchanged = sides.assertEqualToStock();
    assertThat(unchanged.counter("Freshet", "CHUNKS_ADDED")).as("chunks mapped again").isZero();
    return incremental;
  }
}
