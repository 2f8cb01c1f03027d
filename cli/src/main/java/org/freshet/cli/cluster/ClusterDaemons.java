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
package org.freshet.cli.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which daemons a cluster has and how each is launched.
 *
 * <p>All read the same configuration directory. What differs between two daemons of a kind, their
 * addresses and directories, is given as generic options, which every stock {@code main} takes.
 */
final class ClusterDaemons {
  private static final int HEAP_MB = 256;
  private static final int SCHEDULER_HEAP_MB = 384;
  private static final String SPARK_HOST = "127.0.0.1";
  private static final String SPARK_HISTORY = "spark-historyserver";

  /** What each worker offers to executors. */
  private static final int SPARK_WORKER_MB = 1024;

  private final ClusterLayout layout;
  private final ClusterState state;

  ClusterDaemons(ClusterLayout layout, ClusterState state) {
    this.layout = layout;
    this.state = state;
  }

  /** All daemons, in launch order. */
  List<DaemonSpec> specs() {
    List<DaemonSpec> specs = new ArrayList<>();
    if (state.options().hasHadoop()) {
      addHadoop(specs);
    }
    if (state.options().hasSpark()) {
      addSpark(specs);
    }
    return specs;
  }

  private void addHadoop(List<DaemonSpec> specs) {
    specs.add(
        new DaemonSpec(
            "namenode",
            "NameNode",
            "org.apache.hadoop.hdfs.server.namenode.NameNode",
            HEAP_MB,
            List.of()));
    for (int node = 1; node <= state.options().dataNodes(); node++) {
      specs.add(dataNode(node));
    }
    specs.add(
        new DaemonSpec(
            "resourcemanager",
            "ResourceManager",
            "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
            SCHEDULER_HEAP_MB,
            List.of()));
    for (int node = 1; node <= state.options().nodeManagers(); node++) {
      specs.add(nodeManager(node));
    }
    specs.add(
        new DaemonSpec(
            "historyserver",
            "JobHistoryServer",
            "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer",
            HEAP_MB,
            List.of()));
  }

  private void addSpark(List<DaemonSpec> specs) {
    specs.add(
        new DaemonSpec(
            "spark-master",
            "Spark master",
            "org.apache.spark.deploy.master.Master",
            HEAP_MB,
            sparkAddress(Ports.SPARK_MASTER_RPC, Ports.SPARK_MASTER_WEB)));
    for (int worker = 1; worker <= state.options().sparkWorkers(); worker++) {
      String name = "spark-worker-" + worker;
      List<String> arguments =
          new ArrayList<>(sparkAddress(Ports.sparkWorkerRpc(worker), Ports.sparkWorkerWeb(worker)));
      arguments.addAll(List.of("--cores", "1", "--memory", SPARK_WORKER_MB + "m"));
      arguments.addAll(List.of("--work-dir", layout.data(name).toString(), sparkMaster(state)));
      specs.add(
          new DaemonSpec(
              name,
              "Spark worker " + worker,
              "org.apache.spark.deploy.worker.Worker",
              HEAP_MB,
              arguments));
    }
    specs.add(
        new DaemonSpec(
            SPARK_HISTORY,
            "Spark history",
            "org.apache.spark.deploy.history.HistoryServer",
            HEAP_MB,
            List.of(
                "--properties-file", layout.sparkConf().resolve(SparkSite.HISTORY).toString())));
  }

  private List<String> sparkAddress(String rpc, String web) {
    return List.of(
        "--host",
        SPARK_HOST,
        "--port",
        Integer.toString(state.port(rpc)),
        "--webui-port",
        Integer.toString(state.port(web)));
  }

  /** The master's address, as applications name it. */
  static String sparkMaster(ClusterState state) {
    return "spark://" + SPARK_HOST + ":" + state.port(Ports.SPARK_MASTER_RPC);
  }

  private DaemonSpec dataNode(int node) {
    String name = "datanode-" + node;
    // The host name is only what block locations show: with it, tasks on the NodeManager of the
    // same name are local to the block. The NameNode always takes the address it was called from.
    return new DaemonSpec(
        name,
        "DataNode " + node,
        "org.apache.hadoop.hdfs.server.datanode.DataNode",
        HEAP_MB,
        generic(
            Map.of(
                "dfs.datanode.hostname",
                ClusterSite.host(node),
                "dfs.datanode.data.dir",
                layout.data(name).toUri().toString(),
                "dfs.datanode.address",
                "localhost:" + state.port(Ports.dataNodeData(node)),
                "dfs.datanode.ipc.address",
                "localhost:" + state.port(Ports.dataNodeIpc(node)),
                "dfs.datanode.http.address",
                "localhost:" + state.port(Ports.dataNodeWeb(node)))));
  }

  private DaemonSpec nodeManager(int node) {
    String name = "nodemanager-" + node;
    String host = ClusterSite.host(node);
    return new DaemonSpec(
        name,
        "NodeManager " + node,
        "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
        SCHEDULER_HEAP_MB,
        generic(
            Map.of(
                "yarn.nodemanager.hostname",
                host,
                "yarn.nodemanager.bind-host",
                host,
                "yarn.nodemanager.address",
                host + ":" + state.port(Ports.nodeManagerRpc(node)),
                "yarn.nodemanager.localizer.address",
                host + ":" + state.port(Ports.nodeManagerLocalizer(node)),
                "yarn.nodemanager.collector-service.address",
                host + ":" + state.port(Ports.nodeManagerCollector(node)),
                "yarn.nodemanager.webapp.address",
                host + ":" + state.port(Ports.nodeManagerWeb(node)),
                "mapreduce.shuffle.port",
                Integer.toString(state.port(Ports.nodeManagerShuffle(node))),
                "yarn.nodemanager.local-dirs",
                layout.data(name).resolve("local").toString(),
                "yarn.nodemanager.log-dirs",
                layout.data(name).resolve("logs").toString())));
  }

  private static List<String> generic(Map<String, String> properties) {
    List<String> options = new ArrayList<>();
    new TreeMap<>(properties)
        .forEach(
            (name, value) -> {
              options.add("-D");
              options.add(name + "=" + value);
            });
    return options;
  }

  /** The address of a daemon's web page. */
  String web(DaemonSpec spec) {
    String name = spec.name();
    String host =
        name.startsWith("nodemanager-")
            ? ClusterSite.host(Integer.parseInt(name.substring(name.indexOf('-') + 1)))
            : "localhost";
    return "http://" + host + ":" + state.port(name + ".web") + "/";
  }

  /**
   * Launches a daemon, which outlives this JVM. The log of its previous life is kept with the
   * suffix {@code .1}.
   */
  Process launch(DaemonSpec spec) throws IOException {
    Path log = layout.log(spec.name());
    if (Files.exists(log)) {
      Files.move(
          log, log.resolveSibling(log.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
    }
    ProcessBuilder builder =
        new ProcessBuilder(command(spec))
            .directory(layout.root().toFile())
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    // What a user's shell sets for another Hadoop or Spark must not reach these daemons.
    environment.keySet().removeIf(ClusterDaemons::isOfAnotherInstallation);
    if (spec.isSpark()) {
      environment.put("SPARK_DAEMON_MEMORY", spec.heapMb() + "m");
      environment.put("SPARK_DAEMON_JAVA_OPTS", String.join(" ", jvmOptions(spec)));
      if (spec.name().equals(SPARK_HISTORY)) {
        environment.put("SPARK_DAEMON_CLASSPATH", layout.sparkHistoryJars() + "/*");
      }
    }
    return builder.start();
  }

  private List<String> command(DaemonSpec spec) {
    List<String> command = new ArrayList<>();
    // In a session of its own a daemon is not interrupted by the terminal that started it.
    Path setsid = Path.of("/usr/bin/setsid");
    if (Files.isExecutable(setsid)) {
      command.add(setsid.toString());
    }
    if (spec.isSpark()) {
      command.add(layout.sparkClass().toString());
    } else {
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.add("-Xmx" + spec.heapMb() + "m");
      command.addAll(jvmOptions(spec));
      command.add("-cp");
      command.add(
          String.join(
              File.pathSeparator,
              layout.conf().toString(),
              layout.web().toString(),
              layout.lib() + "/*"));
    }
    command.add(spec.mainClass());
    command.addAll(spec.arguments());
    return command;
  }

  private static List<String> jvmOptions(DaemonSpec spec) {
    return List.of(
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Djava.net.preferIPv4Stack=true",
        "-Dfreshet.daemon=" + spec.name());
  }

  private static boolean isOfAnotherInstallation(String variable) {
    return variable.startsWith("HADOOP_")
        || variable.startsWith("YARN_")
        || variable.startsWith("HDFS_")
        || variable.startsWith("MAPRED_")
        || variable.startsWith("SPARK_")
        || variable.equals("CLASSPATH");
  }
}
