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
package org.freshet.cli.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class JobCountersTest {
  private static final List<String> LOG =
      List.of(
          "2026-11-21 02:22:20,000 INFO mapred.Task: Final Counters for attempt_1_m_0: Counters: 1",
          "\tJob Counters ",
          "\t\tLaunched map tasks=77",
          "2026-11-21 02:22:26,600 INFO mapreduce.Job: Job job_1_0001 completed successfully",
          "2026-11-21 02:22:26,642 INFO mapreduce.Job: Counters: 4",
          "\tJob Counters ",
          "\t\tLaunched map tasks=2",
          "\t\tTotal time spent by all map tasks (ms)=11853",
          "\tMap-Reduce Framework",
          "\t\tShuffled Maps =2",
          "\tFreshet",
          "\t\ta=b=3",
          "done",
          "\t\tLaunched map tasks=99",
          "2026-11-21 02:23:26,642 INFO mapreduce.Job: Counters: 1",
          "\tJob Counters ",
          "\t\tLaunched map tasks=5");

  @Test
  void readsEveryJobsCountersByTheNamesThatPeopleSee() {
    List<JobCounters> jobs = JobCounters.parse(LOG);
    assertThat(jobs).hasSize(2);
    JobCounters first = jobs.get(0);
    assertThat(first.value("Job Counters", "Launched map tasks")).isEqualTo(2);
    assertThat(first.value("Job Counters", "Total time spent by all map tasks (ms)"))
        .isEqualTo(11853);
    assertThat(first.value("Map-Reduce Framework", "Shuffled Maps ")).isEqualTo(2);
    assertThat(first.value("Freshet", "a=b")).isEqualTo(3);
    assertThat(jobs.get(1).value("Job Counters", "Launched map tasks")).isEqualTo(5);
  }

  @Test
  void whatStockOmitsIsZeroAndKnownToBeAbsent() {
    JobCounters second = JobCounters.parse(LOG).get(1);
    assertThat(second.value("Job Counters", "Launched reduce tasks")).isZero();
    assertThat(second.get("Job Counters", "Launched reduce tasks")).isEmpty();
    assertThat(second.get("Freshet", "a=b")).isEmpty();
  }

  @Test
  void aProgramThatRanNoJobHasNoCounters() {
    assertThat(JobCounters.parse(List.of("usage: x", "\tCounters", "\t\ta=1"))).isEmpty();
  }
}
