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
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.freshet.it.cluster.MiniHadoop;
import org.freshet.it.cluster.MiniHadoopExtension;
import org.freshet.it.jobs.FragileWordCount;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Task attempts on YARN fail at each of their steps, one attempt after the other, by an exception
 * or by the death of the process; YARN tries again, and the job must come out right.
 */
@Tag("faults")
@ExtendWith(MiniHadoopExtension.class)
class TaskFailureIT {
  private final FragileJob job;

  TaskFailureIT(MiniHadoop hadoop) throws IOException {
    Path root = hadoop.fresh("task-failure");
    JobConf freshet = hadoop.freshet(new Path(root, "store"));
    // Every planned fault costs an attempt, and none may end the job.
    freshet.setInt(MRJobConfig.MAP_MAX_ATTEMPTS, 20);
    freshet.setInt(MRJobConfig.REDUCE_MAX_ATTEMPTS, 20);
    freshet.setBoolean(MRJobConfig.MR_AM_JOB_NODE_BLACKLISTING_ENABLE, false);
    freshet.setBoolean(MRJobConfig.JOB_UBERTASK_ENABLE, false);
    job = new FragileJob(root, hadoop.stockLocal(), freshet);
  }

  private static List<String> allSteps() {
    List<String> steps = new ArrayList<>(FragileWordCount.MAP_STEPS);
    steps.addAll(FragileWordCount.REDUCE_STEPS);
    return steps;
  }

  /** An oracle that fails would be none: stock runs when the faults have happened. */
  private void assertEqualInSpiteOfFaults(String action, List<String> steps) throws IOException {
    for (String step : steps) {
      job.plan(step, action);
    }
    var run = job.sides().runFreshet();
    List<String> happened = job.happened();
    job.planNothing();
    job.sides().assertEqualToStock(run, job.sides().lastOutput());
    assertThat(happened).as("steps that were reached").containsExactlyInAnyOrderElementsOf(steps);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"throw", "halt"})
  void aFirstRunOutlivesAFaultAtEveryStep(String action) throws IOException {
    assertEqualInSpiteOfFaults(action, allSteps());
    job.sides().assertEqualToStock();
  }

  @ParameterizedTest
  @ValueSource(strings = {"throw", "halt"})
  void anIncrementalRunOutlivesFaults(String action) throws IOException {
    job.sides().assertEqualToStock();
    job.editOneLine();
    assertEqualInSpiteOfFaults(
        action, List.of("map.setup", "map.cleanup", "reduce.reduce", "write.close", "commit.task"));
    job.editOneLine();
    job.sides().assertEqualToStock();
  }
}
