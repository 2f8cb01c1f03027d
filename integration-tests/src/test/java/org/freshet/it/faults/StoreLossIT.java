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
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.security.UserGroupInformation;
import org.freshet.it.cluster.MiniHadoop;
import org.freshet.it.cluster.MiniHadoopExtension;
import org.freshet.it.harness.JobOutcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The store on HDFS is lost, full or closed to the user: time is lost and nothing else. */
@Tag("faults")
@ExtendWith(MiniHadoopExtension.class)
class StoreLossIT {
  private final MiniHadoop hadoop;
  private final Path store;
  private final FragileJob job;
  private final FileSystem fs;

  StoreLossIT(MiniHadoop hadoop) throws IOException {
    this.hadoop = hadoop;
    Path root = hadoop.fresh("store-loss");
    store = new Path(root, "store");
    fs = hadoop.hdfs();
    job = new FragileJob(root, hadoop.stockLocal(), hadoop.freshetLocal(store));
  }

  @Test
  void aDeletedStoreIsAFirstRun() throws IOException {
    job.sides().assertEqualToStock();
    fs.delete(store, true);
    JobOutcome run = job.sides().assertEqualToStock();
    assertThat(run.counter("Freshet", "CHUNKS_KEPT")).isZero();
    job.assertRecovers();
  }

  @Test
  void aStoreThatIsAFileMakesNoWrongResult() throws IOException {
    fs.create(store).close();
    assertEqualOrClearlyRefused();
    fs.delete(store, false);
    job.assertRecovers();
  }

  @Test
  void aStoreWithoutSpaceMakesNoWrongResult() throws IOException {
    fs.mkdirs(store);
    hadoop.hdfs().setQuota(store, HdfsConstants.QUOTA_DONT_SET, 1 << 18);
    assertEqualOrClearlyRefused();
    hadoop.hdfs().setQuota(store, HdfsConstants.QUOTA_DONT_SET, HdfsConstants.QUOTA_RESET);
    job.assertRecovers();
  }

  @Test
  void aStoreThatFillsUpBetweenRunsMakesNoWrongResult() throws IOException {
    job.sides().assertEqualToStock();
    hadoop.hdfs().setQuota(store, HdfsConstants.QUOTA_DONT_SET, 1 << 18);
    job.editOneLine();
    assertEqualOrClearlyRefused();
    hadoop.hdfs().setQuota(store, HdfsConstants.QUOTA_DONT_SET, HdfsConstants.QUOTA_RESET);
    job.assertRecovers();
  }

  @Test
  void aStoreWithoutRoomForNamesMakesNoWrongResult() throws IOException {
    job.sides().assertEqualToStock();
    long names =
        fs.getContentSummary(store).getFileCount()
            + fs.getContentSummary(store).getDirectoryCount();
    hadoop.hdfs().setQuota(store, names + 3, HdfsConstants.QUOTA_DONT_SET);
    job.editOneLine();
    assertEqualOrClearlyRefused();
    hadoop.hdfs().setQuota(store, HdfsConstants.QUOTA_RESET, HdfsConstants.QUOTA_RESET);
    job.assertRecovers();
  }

  /** Another user's store: it can be read and not written. */
  @Test
  void aReadOnlyStoreMakesNoWrongResult() throws Exception {
    job.sides().assertEqualToStock();
    Path home = hadoop.fresh("alice");
    fs.mkdirs(home);
    fs.setOwner(home, "alice", "users");
    UserGroupInformation alice =
        UserGroupInformation.createUserForTesting("alice", new String[] {"users"});
    alice.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              JobConf freshet = hadoop.freshetLocal(store);
              FragileJob hers = new FragileJob(home, hadoop.stockLocal(), freshet);
              JobOutcome run = hers.sides().runFreshet();
              if (run.succeeded()) {
                hers.sides().assertEqualToStock(run, hers.sides().lastOutput());
              } else {
                assertThat(run.end()).contains(store.getName());
              }
              return null;
            });
    job.assertRecovers();
  }

  private void assertEqualOrClearlyRefused() throws IOException {
    JobOutcome run = job.sides().runFreshet();
    if (run.succeeded()) {
      job.sides().assertEqualToStock(run, job.sides().lastOutput());
    } else {
      assertThat(run.failure()).as("a job that ran failed without a word").isNotEmpty();
      assertThat(run.end()).contains("store");
    }
  }
}
