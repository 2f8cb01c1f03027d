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
package org.freshet.it.differential;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.it.harness.JobOutcome;
import org.freshet.it.harness.OutputSnapshot;

/**
 * What one run of one version gave.
 *
 * @param outcome what the submitter saw
 * @param output what the job wrote
 */
record VersionRun(JobOutcome outcome, OutputSnapshot output) {
  private static final long JOB_SECONDS = 120;

  /** Jobs run apart from their case, so that one that hangs is a mismatch, not a hanging build. */
  private static final ExecutorService JOBS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "job");
            thread.setDaemon(true);
            return thread;
          });

  /** Runs the job on {@code input}, which lies in {@code inputRoot}, and reads what it wrote. */
  static VersionRun of(
      RandomJob job, JobConf base, InputTree input, Path inputRoot, Path output, Path jar)
      throws IOException {
    String paths = input.paths(job.select(), inputRoot.toString());
    JobConf conf = JobAssembly.assemble(job, base, paths, output, jar);
    return new VersionRun(
        outcome(job.submit(), conf),
        OutputSnapshot.read(new org.apache.hadoop.fs.Path(output.toString()), base));
  }

  private static JobOutcome outcome(Submission submission, JobConf conf) {
    Future<JobOutcome> running = JOBS.submit(() -> submission.run(conf));
    try {
      return running.get(JOB_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return JobOutcome.refused(e.getCause());
    } catch (TimeoutException e) {
      running.cancel(true);
      return JobOutcome.refused(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return JobOutcome.refused(e);
    }
  }

  /** How {@code actual} differs from this run; empty where it does not. */
  Optional<String> difference(VersionRun actual, RandomJob job) {
    if (outcome.succeeded() != actual.outcome.succeeded()
        || !outcome.failure().equals(actual.outcome.failure())) {
      return Optional.of("stock %s, candidate %s".formatted(outcome.end(), actual.outcome.end()));
    }
    if (!outcome.succeeded()) {
      return Optional.empty();
    }
    return output
        .difference(actual.output)
        .or(() -> outcome.difference(actual.outcome, !job.map().outputDependsOnSplits()));
  }
}
