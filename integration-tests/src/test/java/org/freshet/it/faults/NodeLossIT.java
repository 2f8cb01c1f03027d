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
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.freshet.it.cluster.MiniHadoop;
import org.freshet.it.cluster.MiniHadoopExtension;
import org.freshet.it.harness.JobOutcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One of two NodeManagers goes while a job runs. The node stays away, so the tests after this get
 * another cluster; see {@link MiniHadoopExtension}.
 */
@Tag("faults")
@ExtendWith(MiniHadoopExtension.class)
class NodeLossIT {
  private final MiniHadoop hadoop;
  private final FragileJob job;

  NodeLossIT(MiniHadoop hadoop) throws IOException {
    this.hadoop = hadoop;
    Path root = hadoop.fresh("node-loss");
    JobConf freshet = hadoop.freshet(new Path(root, "store"));
    freshet.setBoolean(MRJobConfig.JOB_UBERTASK_ENABLE, false);
    // Stock waits three minutes for a node that might be about to come back.
    freshet.setInt(YarnConfiguration.CLIENT_NM_CONNECT_MAX_WAIT_MS, 3_000);
    freshet.setInt(YarnConfiguration.CLIENT_NM_CONNECT_RETRY_INTERVAL_MS, 500);
    freshet.setBoolean(MRJobConfig.SHUFFLE_FETCH_RETRY_ENABLED, false);
    freshet.setInt(MRJobConfig.SHUFFLE_CONNECT_TIMEOUT, 3_000);
    freshet.setLong(MRJobConfig.MAX_SHUFFLE_FETCH_RETRY_DELAY, 1_000);
    // A reduce may fail several times before the master runs the lost map again.
    freshet.setInt(MRJobConfig.REDUCE_MAX_ATTEMPTS, 20);
    job = new FragileJob(root, hadoop.stockLocal(), freshet);
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void aJobOutlivesANode() throws Exception {
    job.plan("reduce.reduce", "block");
    Path output = job.sides().freshOutput();
    Job running = Job.getInstance(job.sides().freshetJob(output));
    running.submit();
    job.awaitFault("reduce.reduce");

    nodeWithoutMaster(running).stop();

    job.planNothing();
    job.release();
    boolean succeeded = running.waitForCompletion(false);
    job.sides().assertEqualToStock(JobOutcome.of(succeeded, running.getCounters()), output);
    job.editOneLine();
    JobOutcome next = job.sides().assertEqualToStock();
    assertThat(next.counter("Freshet", "CHUNKS_KEPT")).isPositive();
  }

  /** That the application master may go is another test's business; here it stays. */
  private NodeManager nodeWithoutMaster(Job running) {
    String application = running.getJobID().toString().replace("job_", "application_");
    NodeId master =
        hadoop.applications().stream()
            .filter(app -> app.getApplicationId().toString().equals(application))
            .map(app -> app.getCurrentAppAttempt().getMasterContainer().getNodeId())
            .findFirst()
            .orElseThrow();
    NodeManager first = hadoop.yarn().getNodeManager(0);
    return first.getNMContext().getNodeId().equals(master)
        ? hadoop.yarn().getNodeManager(1)
        : first;
  }
}
