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
package org.freshet.mapreduce.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;

class DeltaSchedulingTest {
  private static final String SLOWSTART = MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART;
  private static final String UBER = MRJobConfig.JOB_UBERTASK_ENABLE;

  private static Delta delta(int maps, int kept, long bytes) {
    Delta.BatchPlan batch = new Delta.BatchPlan(List.of(0), List.of(), List.of());
    return new Delta(
        Collections.nCopies(maps, batch), List.of(), List.of(), List.of(), kept, bytes, 0);
  }

  private static JobConf apply(JobConf conf, Delta delta) {
    DeltaScheduling.apply(conf, delta);
    return conf;
  }

  private static JobConf reduces(int reduces) {
    JobConf conf = new JobConf();
    conf.setNumReduceTasks(reduces);
    return conf;
  }

  @Test
  void reducesOfASmallDeltaDoNotWaitForAMapToEnd() {
    assertThat(apply(reduces(2), delta(20, 1, 1)).getFloat(SLOWSTART, 1)).isZero();
  }

  @Test
  void reducesOfAFirstRunOrALargeDeltaStartAsStockStartsThem() {
    assertThat(apply(reduces(2), delta(1, 0, 1)).getFloat(SLOWSTART, 1)).isEqualTo(0.05f);
    assertThat(apply(reduces(2), delta(21, 1, 1)).getFloat(SLOWSTART, 1)).isEqualTo(0.05f);
  }

  @Test
  void aSmallDeltaWithOneReduceRunsInTheApplicationMaster() {
    long most = DeltaScheduling.UBER_BYTES;
    assertThat(apply(reduces(1), delta(9, 1, most)).getBoolean(UBER, false)).isTrue();
    assertThat(apply(reduces(2), delta(9, 1, most)).getBoolean(UBER, false)).isFalse();
    assertThat(apply(reduces(1), delta(10, 1, most)).getBoolean(UBER, false)).isFalse();
    assertThat(apply(reduces(1), delta(9, 1, most + 1)).getBoolean(UBER, false)).isFalse();

    JobConf never = reduces(1);
    never.set("freshet.uber", "never");
    assertThat(apply(never, delta(1, 1, 1)).getBoolean(UBER, false)).isFalse();
  }

  @Test
  void whatTheUserChoseStays() {
    JobConf conf = reduces(1);
    conf.set(SLOWSTART, "0.8");
    conf.set(UBER, "false");

    apply(conf, delta(1, 1, 1));

    assertThat(conf.getFloat(SLOWSTART, 1)).isEqualTo(0.8f);
    assertThat(conf.getBoolean(UBER, true)).isFalse();
  }
}
