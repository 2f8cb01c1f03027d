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
package org.freshet.it.harness;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;

/**
 * One job over one input directory, run by stock Hadoop and by Freshet. The directory may lie in
 * any Hadoop file system. Not thread-safe, but {@link #runFreshet(JobConf, Path)} may be called by
 * many.
 */
public final class SideBySide {
  private final Path root;
  private final JobConf stock;
  private final JobConf freshet;
  private final Consumer<JobConf> job;
  private final FileSystem fs;
  private Path output;
  private int runs;

  /**
   * Makes an empty input directory.
   *
   * @param root a directory of this pair's own, deleted if it exists
   * @param stock the configuration of stock Hadoop
   * @param freshet the configuration of Freshet
   * @param job sets the job's classes; applied for each run, so that it may read a changing state
   */
  public SideBySide(Path root, JobConf stock, JobConf freshet, Consumer<JobConf> job)
      throws IOException {
    this.root = root;
    this.stock = stock;
    this.freshet = freshet;
    this.job = job;
    fs = root.getFileSystem(stock);
    fs.delete(root, true);
    fs.mkdirs(input());
  }

  /** The input directory. */
  public Path input() {
    return new Path(root, "in");
  }

  /** The output directory of Freshet's last run. */
  public Path lastOutput() {
    return output;
  }

  /** The file system of input and output. */
  public FileSystem fileSystem() {
    return fs;
  }

  /** Writes an input file of these lines, replacing it. */
  public SideBySide put(String file, List<String> lines) throws IOException {
    try (OutputStream out = fs.create(new Path(input(), file), true)) {
      out.write((String.join("\n", lines) + "\n").getBytes(UTF_8));
    }
    return this;
  }

  /** A fresh configuration of the job as Freshet is given it, writing to {@code to}. */
  public JobConf freshetJob(Path to) {
    return configured(freshet, to);
  }

  /** A directory that does not exist yet. */
  public Path freshOutput() {
    return new Path(root, "out-" + runs++);
  }

  private JobConf configured(JobConf base, Path to) {
    JobConf conf = new JobConf(base);
    FileInputFormat.setInputPaths(conf, input());
    FileOutputFormat.setOutputPath(conf, to);
    job.accept(conf);
    return conf;
  }

  /** Runs the job by Freshet on the present input. */
  public JobOutcome runFreshet() {
    output = freshOutput();
    return runFreshet(freshet, output);
  }

  /** Runs the job by Freshet under another base configuration. */
  public JobOutcome runFreshet(JobConf base, Path to) {
    return run(configured(base, to));
  }

  private static JobOutcome run(JobConf conf) {
    try {
      Job submitted = Job.getInstance(conf);
      boolean succeeded = submitted.waitForCompletion(false);
      return JobOutcome.of(succeeded, submitted.getCounters());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return JobOutcome.refused(e);
    } catch (IOException | ClassNotFoundException | RuntimeException e) {
      return JobOutcome.refused(e);
    }
  }

  /**
   * Runs the job by Freshet and by stock Hadoop on the present input, and compares.
   *
   * @return what Freshet's submitter saw
   * @throws AssertionError where one of the two failed, or they differ
   */
  public JobOutcome assertEqualToStock() throws IOException {
    return assertEqualToStock(runFreshet(), lastOutput());
  }

  /** Compares a run of Freshet that is over with stock Hadoop on the present input. */
  public JobOutcome assertEqualToStock(JobOutcome actual, Path actualOutput) throws IOException {
    return assertEqual(runStock(), actual, actualOutput);
  }

  /** Runs the job by stock Hadoop on the present input; it must succeed. */
  public StockRun runStock() throws IOException {
    Path to = new Path(root, "stock-" + runs++);
    JobOutcome outcome = run(configured(stock, to));
    assertThat(outcome.succeeded()).as("the stock job %s", outcome.end()).isTrue();
    return new StockRun(outcome, OutputSnapshot.read(to, stock));
  }

  /** Compares a run of Freshet that is over with one of stock Hadoop. */
  public JobOutcome assertEqual(StockRun expected, JobOutcome actual, Path actualOutput)
      throws IOException {
    assertThat(actual.succeeded()).as("the job under Freshet %s", actual.end()).isTrue();
    assertThat(expected.output().difference(OutputSnapshot.read(actualOutput, stock)))
        .as("difference of the outputs")
        .isEmpty();
    assertThat(expected.outcome().difference(actual, true))
        .as("difference of the counters")
        .isEmpty();
    return actual;
  }

  /**
   * What stock Hadoop gives for an input.
   *
   * @param outcome what the submitter saw
   * @param output what the job wrote
   */
  public record StockRun(JobOutcome outcome, OutputSnapshot output) {}
}
