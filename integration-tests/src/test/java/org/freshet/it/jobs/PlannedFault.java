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
package org.freshet.it.jobs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A fault that happens once, at a step of a job that a test has named by a file.
 *
 * <p>A file {@code planned/STEP} in the directory of {@link #DIRECTORY} makes the first that
 * reaches the step move it to {@code done/} and then do what is written in it: {@code throw},
 * {@code halt} (the process dies), or {@code block} (until the process is killed or a file {@code
 * release} appears). The plan is not in the configuration, so that it is no part of what the job
 * computes. It is made before the job runs.
 */
public final class PlannedFault {
  /** The property that names the directory of the plan. */
  public static final String DIRECTORY = "it.faults";

  private static final long BLOCKED_MILLIS = 120_000;

  /** What is planned, by the configuration of a task. */
  private static final Map<Configuration, Set<String>> PLANS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private PlannedFault() {}

  /** Does what is planned for the step, if anything is. */
  public static void at(String step, Configuration conf) throws IOException {
    String directory = conf.get(DIRECTORY);
    if (directory == null) {
      return;
    }
    if (!planned(directory, conf).contains(step)) {
      return;
    }
    Path planned = new Path(directory, "planned/" + step);
    Path done = new Path(directory, "done/" + step);
    FileSystem fs = planned.getFileSystem(conf);
    if (!fs.exists(planned) || !fs.rename(planned, done)) {
      return;
    }
    String action;
    try (InputStream in = fs.open(done)) {
      action = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    switch (action) {
      case "throw" -> throw new IOException("planned fault at " + step);
      case "halt" -> Runtime.getRuntime().halt(7);
      case "block" -> block(fs, new Path(directory, "release"));
      default -> throw new IOException("no such fault: " + action);
    }
  }

  /** Read once by a task, which may come here for each of its records. */
  private static Set<String> planned(String directory, Configuration conf) throws IOException {
    Set<String> steps = PLANS.get(conf);
    if (steps == null) {
      Path plan = new Path(directory, "planned");
      steps = new HashSet<>();
      for (FileStatus file : plan.getFileSystem(conf).listStatus(plan)) {
        steps.add(file.getPath().getName());
      }
      PLANS.put(conf, steps);
    }
    return steps;
  }

  private static void block(FileSystem fs, Path release) throws IOException {
    long end = System.currentTimeMillis() + BLOCKED_MILLIS;
    while (!fs.exists(release)) {
      if (System.currentTimeMillis() > end) {
        throw new IOException("blocked for " + BLOCKED_MILLIS + " ms and nobody came");
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while blocked", e);
      }
    }
  }
}
