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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.freshet.it.differential.CaseRunner.Candidate;
import org.freshet.it.harness.JobJar;
import org.freshet.it.harness.WorkDirectory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random jobs over randomly edited inputs: Freshet must give what stock Hadoop gives.
 *
 * <p>System properties: {@code freshet.it.seed} (drawn from the clock and printed where unset),
 * {@code freshet.it.case} (that case alone), {@code freshet.it.cases} (how many, 100). The Maven
 * profile {@code many-cases} runs thousands.
 */
@Tag("differential")
class DifferentialTest {
  private static final int SHOWN_MISMATCHES = 8;
  private static final double KEPT_AT_LEAST = 0.6;

  /** A case takes a second and a half on two cores; a hanging one must not hold the build up. */
  private static final int LIMIT_SECONDS = 300;

  private static final int LIMIT_SECONDS_A_CASE = 3;

  private static Path jobJar;

  @BeforeAll
  static void packJobs() throws IOException {
    jobJar = JobJar.ofTestJobs(WorkDirectory.fresh("jobs").resolve("jobs.jar"));
  }

  @Test
  void freshetGivesWhatStockGivesAfterEveryEdit() throws Exception {
    Reuse reuse = new Reuse();
    List<String> mismatches =
        run(Candidate.FRESHET, Integer.getInteger("freshet.it.cases", 100), reuse);
    System.out.println(reuse);
    assertThat(mismatches).as(mismatches.size() + " cases differ from stock").isEmpty();
    assertThat(reuse.total("RUNS_RECOMPUTED"))
        .as("memoized runs that were missing, though the stores were left alone%n%s", reuse)
        .isZero();
    assertThat(reuse.keptFraction())
        .as("the part of the eligible runs that kept chunks%n%s", reuse)
        .isGreaterThanOrEqualTo(KEPT_AT_LEAST);
  }

  /** The oracle's own test: were a random job's output open, a mismatch would mean nothing. */
  @Test
  void stockAgreesWithItselfWhateverTheSplits() throws Exception {
    int cases = Math.max(1, Integer.getInteger("freshet.it.cases", 100) / 6);
    assertThat(run(Candidate.STOCK_WITH_OTHER_SPLITS, cases, new Reuse())).isEmpty();
  }

  private static List<String> run(Candidate candidate, int cases, Reuse reuse) throws Exception {
    long seed = Optional.ofNullable(Long.getLong("freshet.it.seed")).orElse(System.nanoTime());
    Integer only = Integer.getInteger("freshet.it.case");
    System.out.printf("%s: seed %d, %d cases%n", candidate, seed, only == null ? cases : 1);
    long start = System.nanoTime();
    long limit = LIMIT_SECONDS + (long) cases * LIMIT_SECONDS_A_CASE;
    long deadline = start + TimeUnit.SECONDS.toNanos(limit);
    // Two at a time at most: the harness is to find races of Freshet, not of an overloaded machine.
    ExecutorService pool =
        Executors.newFixedThreadPool(Math.min(2, Runtime.getRuntime().availableProcessors()));
    try {
      List<Future<Optional<String>>> running =
          (only == null ? IntStream.range(0, cases) : IntStream.of(only))
              .mapToObj(
                  i -> pool.submit(() -> new CaseRunner(seed, i, candidate, jobJar, reuse).run()))
              .toList();
      return collect(running, deadline);
    } finally {
      pool.shutdownNow();
      System.out.printf("%s: %d s%n", candidate, (System.nanoTime() - start) / 1_000_000_000);
    }
  }

  private static List<String> collect(List<Future<Optional<String>>> running, long deadline)
      throws ExecutionException, InterruptedException, TimeoutException {
    List<String> mismatches = new ArrayList<>();
    for (Future<Optional<String>> one : running) {
      one.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
          .ifPresent(
              mismatch -> {
                if (mismatches.size() < SHOWN_MISMATCHES) {
                  System.out.println("MISMATCH " + mismatch);
                }
                mismatches.add(mismatch);
              });
    }
    return mismatches;
  }
}
