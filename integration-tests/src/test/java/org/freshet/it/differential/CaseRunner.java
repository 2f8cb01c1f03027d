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
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.it.harness.LocalHadoop;
import org.freshet.it.harness.WorkDirectory;

/**
 * Runs one case: a job's whole history, each version by stock Hadoop and by the candidate, compared
 * after each. One instance serves one case, on one thread.
 */
final class CaseRunner {

  /** What is compared with stock Hadoop. */
  enum Candidate {
    /** Freshet over the local job runner. */
    FRESHET,
    /** Stock Hadoop with other splits: it must agree with itself, or the jobs are no oracle. */
    STOCK_WITH_OTHER_SPLITS
  }

  private final long seed;
  private final int number;
  private final Candidate candidate;
  private final Path jobJar;
  private final Reuse reuse;
  private final Random random;
  private final RandomJob firstJob;
  private final int chunkBytes;
  private final int fanIn;
  private final int parallelMaps;
  private final List<Version> history;

  /** Draws case {@code number} of {@code seed}; nothing is run yet. */
  CaseRunner(long seed, int number, Candidate candidate, Path jobJar, Reuse reuse) {
    this.seed = seed;
    this.number = number;
    this.candidate = candidate;
    this.jobJar = jobJar;
    this.reuse = reuse;
    this.random = new Random(seed * 1_000_003 + number);
    this.firstJob = RandomJob.generate(random);
    this.chunkBytes = 256 << random.nextInt(5);
    this.fanIn = 2 + random.nextInt(7);
    this.parallelMaps = 1 + random.nextInt(2);
    this.history = Version.history(firstJob, random);
  }

  /** Runs the case; what differed, or empty. The work directory is kept where something did. */
  Optional<String> run() throws IOException {
    Path work = WorkDirectory.fresh("case-" + number);
    Optional<String> mismatch;
    try {
      mismatch = compareAll(work);
    } catch (IOException | RuntimeException e) {
      mismatch = Optional.of("the harness failed: " + stackTrace(e));
    }
    if (mismatch.isEmpty()) {
      WorkDirectory.delete(work);
    }
    return mismatch.map(
        what ->
            "%s%n  %s%n  reproduce: -Dfreshet.it.seed=%d -Dfreshet.it.case=%d%n  kept: %s"
                .formatted(what, this, seed, number, work));
  }

  private Optional<String> compareAll(Path work) throws IOException {
    JobConf stock = LocalHadoop.stock(work.resolve("tmp-stock"));
    JobConf other = candidateConf(work);
    InputDirectory input = new InputDirectory(work.resolve("in"), stock);
    VersionRun expected = null;
    Version lastGood = null;
    Path output = null;
    for (int i = 0; i < history.size(); i++) {
      Version version = history.get(i);
      input.become(version.input());
      if (version.edit() == Edit.TOUCH) {
        input.touch();
      }
      if (output != null) {
        disturb(version.edit(), output);
      }
      output = nextOutput(version.edit(), output, work.resolve("out-" + i));
      boolean refused = version.edit() == Edit.EXISTING_OUTPUT && Files.exists(output);
      if (refused || !isKnown(version, lastGood)) {
        Path stockOutput = work.resolve("stock-" + i);
        if (refused) {
          Files.createDirectories(stockOutput);
        }
        expected =
            VersionRun.of(version.job(), stock, version.input(), input.root(), stockOutput, jobJar);
      }
      if (expected.outcome().failedInUserCode()) {
        return Optional.of(
            "version %d is no legal job, stock %s".formatted(i, expected.outcome().end()));
      }
      VersionRun actual =
          VersionRun.of(
              candidateJob(version.job()), other, version.input(), input.root(), output, jobJar);
      Optional<String> difference = expected.difference(actual, version.job());
      if (difference.isPresent()) {
        return Optional.of("version %d (%s): %s".formatted(i, version.edit(), difference.get()));
      }
      if (!refused) {
        reuse.add(
            actual.outcome(),
            isReuseExpected(version, lastGood),
            "case "
                + number
                + " version "
                + i
                + ": "
                + version.edit()
                + " "
                + version.job().summary());
        lastGood = actual.outcome().succeeded() ? version : null;
      } else {
        // Its result stands for the refused run only.
        lastGood = null;
      }
    }
    return Optional.empty();
  }

  private JobConf candidateConf(Path work) {
    Path temporary = work.resolve("tmp-candidate");
    JobConf conf =
        switch (candidate) {
          case FRESHET -> LocalHadoop.freshet(temporary, work.resolve("store"), chunkBytes, fanIn);
          case STOCK_WITH_OTHER_SPLITS -> LocalHadoop.stock(temporary);
        };
    conf.setInt("mapreduce.local.map.tasks.maximum", parallelMaps);
    return conf;
  }

  private RandomJob candidateJob(RandomJob job) {
    return candidate == Candidate.STOCK_WITH_OTHER_SPLITS && job.independentOfSplits()
        ? job.withSplitBytes(job.splitBytes() > 1 << 20 ? 1 << 11 : 1 << 25)
        : job;
  }

  private void disturb(Edit edit, Path output) throws IOException {
    switch (edit) {
      case DELETE_OUTPUT, SAME_OUTPUT_PATH -> WorkDirectory.delete(output);
      case CORRUPT_OUTPUT -> OutputDamage.inflict(output, random);
      default -> {
        // The last output stays as it is.
      }
    }
  }

  private static Path nextOutput(Edit edit, Path last, Path next) {
    return last != null && (edit == Edit.SAME_OUTPUT_PATH || edit == Edit.EXISTING_OUTPUT)
        ? last
        : next;
  }

  /** Whether stock's result for this version is that of the last one. */
  private static boolean isKnown(Version version, Version last) {
    return last != null && version.input().equals(last.input()) && version.job().equals(last.job());
  }

  /** Whether a Freshet that works must have kept chunks: it may find none in tiny inputs. */
  private boolean isReuseExpected(Version version, Version last) {
    return last != null
        && version.job().reusable()
        && version.job().equals(last.job())
        && version.edit().small()
        && (!version.job().map().positionSensitive() || isKnown(version, last))
        && last.input().plainBytes() > 16L * chunkBytes;
  }

  private static String stackTrace(Exception e) {
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @Override
  public String toString() {
    return "case %d: %s, chunks of %d bytes, fan-in %d, history %s"
        .formatted(
            number,
            firstJob,
            chunkBytes,
            fanIn,
            history.stream().map(v -> v.edit() + "(" + v.input().bytes() + " bytes)").toList());
  }
}
