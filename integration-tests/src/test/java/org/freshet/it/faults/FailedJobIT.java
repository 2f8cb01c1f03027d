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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.freshet.it.harness.JobOutcome;
import org.freshet.it.harness.LocalHadoop;
import org.freshet.it.harness.WorkDirectory;
import org.freshet.it.jobs.FragileWordCount;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole jobs that fail: the local job runner tries nothing twice. Nothing that a failed job left
 * may be taken for a result.
 */
@Tag("faults")
class FailedJobIT {
  static Stream<String> steps() {
    return Stream.of(
            FragileWordCount.MAP_STEPS.stream(),
            FragileWordCount.REDUCE_STEPS.stream(),
            Stream.of("reduce.combine", "commit.job"))
        .flatMap(s -> s);
  }

  /** A run that comes to a step fails there. */
  private static boolean fails(FragileJob job, String step) throws IOException {
    job.plan(step, "throw");
    JobOutcome run = job.sides().runFreshet();
    boolean happened = !job.happened().isEmpty();
    assertThat(run.succeeded())
        .as("whether it succeeded; the fault at %s happened: %s; %s", step, happened, run.end())
        .isNotEqualTo(happened);
    job.planNothing();
    return happened;
  }

  @ParameterizedTest
  @MethodSource("steps")
  void aFailedJobLeavesNothingThatIsTakenForAResult(String step) throws IOException {
    Path work = WorkDirectory.fresh("failed-job");
    FragileJob job =
        new FragileJob(
            new org.apache.hadoop.fs.Path(work.toString()),
            LocalHadoop.stock(work.resolve("tmp-stock")),
            LocalHadoop.freshet(work.resolve("tmp"), work.resolve("store"), 1 << 10, 3));
    boolean firstFailed = fails(job, step);
    job.assertRecovers();

    job.editOneLine();
    boolean nextFailed = fails(job, step);
    job.assertRecovers();

    assertThat(firstFailed || nextFailed).as("a run comes to %s", step).isTrue();
  }
}
