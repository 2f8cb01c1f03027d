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
package org.freshet.it.cluster;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.service.Service;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.freshet.it.harness.LocalHadoop;
import org.freshet.it.harness.WorkDirectory;

/**
 * HDFS with two DataNodes and YARN with two NodeManagers, for all tests of one JVM.
 *
 * <p>Containers get this JVM's class path without Freshet's jar and without the tests: Freshet must
 * ship itself, and a job must ship its code, as on a cluster that knows neither.
 */
public final class MiniHadoop implements AutoCloseable {
  private static final int NODES = 2;

  private final MiniDFSCluster dfs;
  private final MiniMRYarnCluster yarn;
  private final ContainerJvm containers;

  private MiniHadoop(MiniDFSCluster dfs, MiniMRYarnCluster yarn, ContainerJvm containers) {
    this.dfs = dfs;
    this.yarn = yarn;
    this.containers = containers;
  }

  /** Starts all daemons; takes about twenty seconds. */
  static MiniHadoop start() throws IOException, InterruptedException {
    LocalHadoop.useForkFreeLocalFileSystem();
    ContainerJvm containers = ContainerJvm.withoutFreshet();
    System.setProperty("java.class.path", containers.classPath().toString());
    Configuration conf = new Configuration();
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 0);
    conf.setInt("dfs.blocksize", 1 << 20);
    conf.setInt("dfs.replication", 1);
    // A closing client asks again after this time while the last block is not reported; stock: 400.
    conf.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 5);
    conf.setBoolean("dfs.permissions.enabled", true);
    MiniDFSCluster dfs =
        new MiniDFSCluster.Builder(conf, WorkDirectory.fresh("dfs").toFile())
            .numDataNodes(NODES)
            .build();
    dfs.waitActive();
    dfs.getFileSystem().mkdirs(new Path("/tmp"), new FsPermission((short) 01777));
    dfs.getFileSystem().setPermission(new Path("/tmp"), new FsPermission((short) 01777));
    MiniMRYarnCluster yarn = new MiniMRYarnCluster("yarn", NODES);
    yarn.init(yarnConf(dfs));
    yarn.start();
    MiniHadoop hadoop = new MiniHadoop(dfs, yarn, containers);
    containers.shareClasses(hadoop.stock());
    return hadoop;
  }

  private static Configuration yarnConf(MiniDFSCluster dfs) throws IOException {
    YarnConfiguration conf = new YarnConfiguration(dfs.getConfiguration(0));
    conf.set(
        CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, dfs.getFileSystem().getUri().toString());
    conf.setBoolean(YarnConfiguration.NM_DISK_HEALTH_CHECK_ENABLE, false);
    conf.setBoolean(YarnConfiguration.NM_PMEM_CHECK_ENABLED, false);
    conf.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
    conf.setInt(YarnConfiguration.NM_PMEM_MB, 2048);
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 128);
    // Waiting less between heartbeats halves the time of a small job.
    conf.setInt(YarnConfiguration.RM_NM_HEARTBEAT_INTERVAL_MS, 100);
    conf.setInt(MRJobConfig.MR_AM_TO_RM_HEARTBEAT_INTERVAL_MS, 100);
    conf.setInt(YarnConfiguration.RM_NM_EXPIRY_INTERVAL_MS, 8_000);
    conf.setInt(YarnConfiguration.NM_SLEEP_DELAY_BEFORE_SIGKILL_MS, 100);
    conf.setFloat("yarn.scheduler.capacity.maximum-am-resource-percent", 0.8f);
    return conf;
  }

  /** Jobs run by stock Hadoop on YARN. */
  public JobConf stock() {
    JobConf conf = new JobConf(yarn.getConfig());
    conf.setInt(MRJobConfig.MAP_MEMORY_MB, 384);
    conf.setInt(MRJobConfig.REDUCE_MEMORY_MB, 384);
    conf.setInt(MRJobConfig.MR_AM_VMEM_MB, 512);
    containers.configure(conf);
    conf.setInt(MRJobConfig.IO_SORT_MB, 8);
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 200);
    return conf;
  }

  /** Jobs run by stock Hadoop in this JVM, on the cluster's HDFS: a quick oracle. */
  public JobConf stockLocal() throws IOException {
    JobConf conf = stock();
    conf.set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    conf.set("hadoop.tmp.dir", WorkDirectory.fresh("oracle-tmp").toString());
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 5);
    return conf;
  }

  /** Jobs run by Freshet on YARN, with its results in {@code store}. */
  public JobConf freshet(Path store) {
    return withFreshet(stock(), "yarn", store);
  }

  /** Jobs run by Freshet in this JVM, on the cluster's HDFS. */
  public JobConf freshetLocal(Path store) throws IOException {
    return withFreshet(stockLocal(), "local", store);
  }

  private JobConf withFreshet(JobConf conf, String delegate, Path store) {
    conf.set(MRConfig.FRAMEWORK_NAME, "freshet");
    conf.set("freshet.delegate", delegate);
    conf.set("freshet.store", dfs.getURI().resolve(store.toUri().getPath()).toString());
    conf.setInt("freshet.chunk.average.bytes", 1 << 10);
    conf.setInt("freshet.chunk.min.bytes", 1 << 8);
    conf.setInt("freshet.chunk.max.bytes", 1 << 12);
    conf.setInt("freshet.tree.fan.in", 4);
    return conf;
  }

  /** The HDFS client of the superuser. */
  public DistributedFileSystem hdfs() throws IOException {
    return dfs.getFileSystem();
  }

  /** What containers are started with. */
  ContainerJvm containers() {
    return containers;
  }

  /** The DataNodes. */
  public List<DataNode> dataNodes() {
    return dfs.getDataNodes();
  }

  /** The YARN daemons. */
  public MiniMRYarnCluster yarn() {
    return yarn;
  }

  /** An HDFS directory for one test; deleted if it exists, made by whoever writes there. */
  public Path fresh(String name) throws IOException {
    Path directory = hdfs().makeQualified(new Path("/tests/" + name));
    hdfs().delete(directory, true);
    return directory;
  }

  /** The containers that YARN has allocated so far, application masters among them. */
  public long containersAllocated() {
    return resourceManager()
        .getResourceScheduler()
        .getRootQueueMetrics()
        .getAggregateAllocatedContainers();
  }

  /** The applications that were submitted so far and not forgotten. */
  public List<RMApp> applications() {
    return List.copyOf(resourceManager().getRMContext().getRMApps().values());
  }

  /** Whether no daemon has been stopped. */
  boolean isWhole() {
    return IntStream.range(0, NODES)
            .allMatch(i -> yarn.getNodeManager(i).isInState(Service.STATE.STARTED))
        && dfs.getDataNodes().stream().allMatch(DataNode::isDatanodeUp);
  }

  private ResourceManager resourceManager() {
    return yarn.getResourceManager();
  }

  /**
   * A running process on this machine, a descendant of this JVM, whose command line has all of
   * these words. Containers are such processes.
   */
  public static Optional<ProcessHandle> containerProcess(String... words) {
    return ProcessHandle.current()
        .descendants()
        .filter(
            process -> {
              String line = process.info().commandLine().orElse("");
              // The shell that started it has the same words.
              return line.contains("/java ")
                  && Stream.of(words).allMatch(line::contains)
                  && !line.contains("/bin/bash");
            })
        .findFirst();
  }

  @Override
  public void close() {
    yarn.stop();
    dfs.shutdown();
  }
}
