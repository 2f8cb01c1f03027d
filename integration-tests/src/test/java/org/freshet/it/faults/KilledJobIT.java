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
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.freshet.it.cluster.MiniHadoop;
import org.freshet.it.cluster.MiniHadoopExtension;
import org.freshet.it.harness.JobOutcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job on YARN is killed, or its application master is, while a task is under way. */
@Tag("faults")
@Tag("long")
@ExtendWith(MiniHadoopExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class KilledJobIT {
  private final FragileJob job;

  KilledJobIT(MiniHadoop hadoop) throws IOException {
    Path root = hadoop.fresh("killed-job");
    JobConf freshet = hadoop.freshet(new Path(root, "store"));
    freshet.setBoolean(MRJobConfig.JOB_UBERTASK_ENABLE, false);
    job = new FragileJob(root, hadoop.stockLocal(), freshet);
  }

  private Job submitBlockedAt(String step, Path output) throws Exception {
    job.plan(step, "block");
    Job running = Job.getInstance(job.sides().freshetJob(output));
    running.submit();
    job.awaitFault(step);
    return running;
  }

  @ParameterizedTest
  @ValueSource(strings = {"map.map", "reduce.reduce", "commit.task"})
  void aKilledJobLeavesNothingThatIsTakenForAResult(String step) throws Exception {
    Job running = submitBlockedAt(step, job.sides().freshOutput());
    running.killJob();
    assertThat(running.waitForCompletion(false)).as("a killed job succeeded").isFalse();
    job.planNothing();
    JobOutcome next = job.sides().assertEqualToStock();
    assertThat(next.counter("Freshet", "REDUCES_REUSED")).as("reduces reused").isZero();
    job.editOneLine();
    job.sides().assertEqualToStock();
  }

  @ParameterizedTest
  @ValueSource(strings = {"map.map", "reduce.reduce"})
  void aJobOutlivesItsApplicationMaster(String step) throws Exception {
    Path output = job.sides().freshOutput();
    Job running = submitBlockedAt(step, output);
    String application = running.getJobID().toString().replace("job_", "application_");
    ProcessHandle master =
        MiniHadoop.containerProcess("MRAppMaster", application)
            .orElseThrow(() -> new AssertionError("no application master of " + application));
    assertThat(master.destroyForcibly()).isTrue();
    boolean succeeded = running.waitForCompletion(false);
    job.planNothing();
    job.sides().assertEqualToStock(JobOutcome.of(succeeded, running.getCounters()), output);
    job.editOneLine();
    job.sides().assertEqualToStock();
  }
}
