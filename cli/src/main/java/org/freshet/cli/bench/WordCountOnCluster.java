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
package org.freshet.cli.bench;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.cli.program.Installation;
import org.freshet.cli.program.JobCounters;
import org.freshet.cli.program.Program;
import org.freshet.cli.program.ProgramLauncher;
import org.freshet.cli.program.ProgramResult;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.FreshetKeys;

/**
 * Hadoop's own word count on a cluster, stock or with Freshet, and its input and output there.
 *
 * <p>Every run is a program of its own, launched as {@code hadoop jar} does, with the same JVM
 * options and the same number of reduces on both sides.
 */
final class WordCountOnCluster implements AutoCloseable {
  private static final int REDUCES = 2;
  private static final List<String> JVM_OPTIONS = List.of("-Xmx1g");
  private static final int LINES_ON_FAILURE = 40;

  private final Installation installation;
  private final ProgramLauncher launcher;
  private final java.nio.file.Path conf;
  private final FileSystem hdfs;
  private int outputs;

  /**
   * A run that ended well.
   *
   * @param outcome what it cost
   * @param output its output directory
   * @param counters the job's counters
   */
  record Run(JobOutcome outcome, Path output, JobCounters counters) {
    /** A counter of Freshet's; zero under stock Hadoop. */
    long counter(String name) {
      return counters.value(FreshetCounters.GROUP, name);
    }
  }

  WordCountOnCluster(Installation installation, LocalCluster cluster) throws IOException {
    this.installation = installation;
    this.launcher = new ProgramLauncher(installation);
    this.conf = cluster.confDirectory();
    this.hdfs = FileSystem.newInstance(cluster.configuration());
  }

  /** Copies local files into a directory of the cluster, over what is there. */
  void upload(List<java.nio.file.Path> files, Path directory) throws IOException {
    hdfs.mkdirs(directory);
    for (java.nio.file.Path file : files) {
      hdfs.copyFromLocalFile(false, true, new Path(file.toUri()), directory);
    }
  }

  /** Runs stock Hadoop's word count. */
  Run stock(Path input) throws IOException, InterruptedException {
    return run(true, Map.of(), input);
  }

  /** Runs the same word count with Freshet and a memo store in that directory. */
  Run freshet(Path input, Path store) throws IOException, InterruptedException {
    return freshet(input, store, Map.of());
  }

  /** The same with more properties. */
  Run freshet(Path input, Path store, Map<String, String> properties)
      throws IOException, InterruptedException {
    Map<String, String> all = new TreeMap<>(properties);
    all.put(FreshetKeys.STORE.name(), hdfs.makeQualified(store).toString());
    return run(false, all, input);
  }

  /** Removes a file of the cluster. */
  void remove(Path file) throws IOException {
    if (!hdfs.delete(file, false)) {
      throw new IOException("there is no " + file + " to remove");
    }
  }

  /** Renames a file of the cluster. */
  void rename(Path from, Path to) throws IOException {
    if (!hdfs.rename(from, to)) {
      throw new IOException("could not rename " + from + " to " + to);
    }
  }

  private Run run(boolean stock, Map<String, String> properties, Path input)
      throws IOException, InterruptedException {
    Path output = new Path("output/" + outputs++);
    Map<String, String> all = new TreeMap<>(properties);
    all.put("mapreduce.job.reduces", Integer.toString(REDUCES));
    ProgramResult result =
        launcher.capture(
            new Program(
                stock,
                Optional.of(conf),
                all,
                JVM_OPTIONS,
                installation.stockExamples(),
                List.of("wordcount", input.toString(), output.toString())));
    if (result.exitCode() != 0) {
      throw new IOException(
          (stock ? "stock" : "Freshet")
              + " word count of "
              + input
              + " failed with exit code "
              + result.exitCode()
              + "; the last lines of its log:\n"
              + result.tail(LINES_ON_FAILURE));
    }
    List<JobCounters> jobs = result.jobs();
    if (jobs.size() != 1) {
      throw new IOException("expected the counters of one job, found those of " + jobs.size());
    }
    return new Run(JobOutcome.of(result), output, jobs.get(0));
  }

  /**
   * Compares two outputs.
   *
   * @throws IOException if they differ in a byte
   */
  void requireSame(Run expected, Run actual) throws IOException {
    List<Path> stock = parts(expected.output());
    List<Path> ours = parts(actual.output());
    boolean same = stock.size() == ours.size();
    for (int i = 0; same && i < stock.size(); i++) {
      same =
          stock.get(i).getName().equals(ours.get(i).getName())
              && Arrays.equals(read(stock.get(i)), read(ours.get(i)));
    }
    if (!same) {
      throw new IOException(
          "OUTPUTS DIFFER: "
              + actual.output()
              + " is not "
              + expected.output()
              + ", which stock Hadoop wrote");
    }
  }

  /** The bytes of all files under a directory, not counting replicas. */
  long size(Path directory) throws IOException {
    return hdfs.exists(directory) ? hdfs.getContentSummary(directory).getLength() : 0;
  }

  private List<Path> parts(Path output) throws IOException {
    List<Path> parts = new ArrayList<>();
    for (FileStatus file : hdfs.listStatus(output, p -> p.getName().startsWith("part-"))) {
      parts.add(file.getPath());
    }
    parts.sort(null);
    return parts;
  }

  private byte[] read(Path file) throws IOException {
    try (InputStream in = hdfs.open(file)) {
      return in.readAllBytes();
    }
  }

  @Override
  public void close() throws IOException {
    hdfs.close();
  }
}
