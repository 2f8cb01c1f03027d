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

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.freshet.cli.program.ProgramResult;
import org.junit.jupiter.api.Test;

class JobOutcomeTest {
  private static final List<String> COUNTERS =
      List.of(
          "INFO mapreduce.Job: Counters: 5",
          "\tJob Counters ",
          "\t\tLaunched map tasks=4",
          "\t\tLaunched reduce tasks=2",
          "\t\tTotal time spent by all map tasks (ms)=3000",
          "\t\tTotal time spent by all reduce tasks (ms)=500",
          "\tMap-Reduce Framework",
          "\t\tCPU time spent (ms)=1760");

  @Test
  void countsTheApplicationMasterWithTheTasks() {
    JobOutcome outcome = outcome("Submitted application application_1_0001", COUNTERS);
    assertThat(outcome.containers()).isEqualTo(7);
    assertThat(outcome.cpuSeconds()).isEqualTo(1.76);
    assertThat(outcome.taskSeconds()).isEqualTo(3.5);
  }

  @Test
  void anUberJobIsOneContainer() {
    JobOutcome outcome =
        outcome(
            "Submitted application application_1_0001\n"
                + "Job job_1_0001 running in uber mode : true",
            COUNTERS);
    assertThat(outcome.containers()).isEqualTo(1);
  }

  @Test
  void aRunThatLaunchedNothingHasNoContainers() {
    JobOutcome outcome = outcome("nothing to do", List.of());
    assertThat(outcome.containers()).isZero();
    assertThat(outcome.cpuSeconds()).isZero();
  }

  private static JobOutcome outcome(String log, List<String> counters) {
    List<String> lines = new ArrayList<>(log.lines().toList());
    lines.addAll(counters);
    return JobOutcome.of(new ProgramResult(0, Duration.ofSeconds(20), lines));
  }
}
