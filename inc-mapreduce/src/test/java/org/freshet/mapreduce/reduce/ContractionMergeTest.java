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
package org.freshet.mapreduce.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContractionMergeTest {
  @ParameterizedTest
  @CsvSource({
    "attempt_1_0001_r_000002_0, 4, true",
    "attempt_1_0001_r_000002_1, 4, true",
    "attempt_1_0001_r_000002_2, 4, false",
    "attempt_1_0001_r_000002_3, 4, false",
    "attempt_1_0001_r_000002_1000, 4, true",
    "attempt_1_0001_r_000002_1002, 4, false",
    "attempt_1_0001_r_000002_0, 2, true",
    "attempt_1_0001_r_000002_1, 2, false",
    "attempt_1_0001_r_000002_0, 1, false",
    "attempt_local1_0001_r_000002_0, 4, false"
  })
  void anAttemptFailsOfAnUnreadableStoreOnlyWhereOthersAreLeft(
      String attempt, int most, boolean mayFail) {
    JobConf job = new JobConf();
    job.setMaxReduceAttempts(most);

    assertThat(ContractionMerge.mayFail(TaskAttemptID.forName(attempt), job)).isEqualTo(mayFail);
  }
}
