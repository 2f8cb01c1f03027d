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

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes what the daemons and their clients read: site files, links to Hadoop's jars, and the pages
 * that only a binary distribution carries.
 *
 * <p>Everything is stock except what one machine needs: addresses on the loopback interface, no
 * limit on virtual memory, a disk that may be nearly full, and no wait after safe mode. Sizes of
 * containers and buffers, uber mode and scheduling are left at Hadoop's defaults, so that
 * measurements on this cluster compare with stock.
 */
final class ClusterSite {
  private static final String[] WEB_APPLICATIONS = {"hdfs", "datanode"};

  private final ClusterLayout layout;
  private final ClusterState state;

  ClusterSite(ClusterLayout layout, ClusterState state) {
    this.layout = layout;
    this.state = state;
  }

  /**
   * Writes everything anew.
   *
   * @param hadoopJars Hadoop's class path, without any jar of Freshet
   */
  void write(List<Path> hadoopJars) throws IOException {
    Files.createDirectories(layout.conf());
    Files.createDirectories(layout.logs());
    SiteFile.of(core()).write(layout.conf().resolve("core-site.xml"));
    SiteFile.of(hdfs()).write(layout.conf().resolve("hdfs-site.xml"));
    SiteFile.of(yarn()).write(layout.conf().resolve("yarn-site.xml"));
    SiteFile.of(mapred()).write(layout.conf().resolve("mapred-site.xml"));
    SiteFile.of(capacityScheduler()).write(layout.conf().resolve("capacity-scheduler.xml"));
    copyResource("log4j.properties", layout.conf().resolve("log4j.properties"));
    for (String application : WEB_APPLICATIONS) {
      Path directory = layout.web().resolve("webapps").resolve(application);
      Files.createDirectories(directory);
      copyResource(application + ".html", directory.resolve("index.html"));
    }
    JarLinks.make(layout.lib(), hadoopJars);
  }

  /** The host name of the n-th node, from 1; each node needs an address of its own. */
  static String host(int node) {
    // Other names of 127.0.0.1 are turned back into "localhost" when a NodeManager registers.
    return node == 1 ? "localhost" : "127.0.0." + node;
  }

  private String address(String port) {
    return "localhost:" + state.port(port);
  }

  private Map<String, String> core() {
    return Map.of(
        "fs.defaultFS",
        "hdfs://" + address(Ports.NAMENODE_RPC),
        "hadoop.tmp.dir",
        layout.data("tmp").toString());
  }

  private Map<String, String> hdfs() {
    return Map.of(
        "dfs.replication", Integer.toString(Math.min(2, state.options().dataNodes())),
        "dfs.namenode.name.dir", layout.nameNodeData().toUri().toString(),
        "dfs.namenode.http-address", address(Ports.NAMENODE_WEB),
        // The wait is for DataNodes of a large cluster to report; here all are asked for by name.
        "dfs.namenode.safemode.extension", "0");
  }

  private Map<String, String> yarn() {
    return Map.ofEntries(
        Map.entry("yarn.resourcemanager.hostname", "localhost"),
        Map.entry("yarn.resourcemanager.bind-host", "localhost"),
        Map.entry("yarn.resourcemanager.address", address(Ports.RM_CLIENT)),
        Map.entry("yarn.resourcemanager.scheduler.address", address(Ports.RM_SCHEDULER)),
        Map.entry("yarn.resourcemanager.resource-tracker.address", address(Ports.RM_TRACKER)),
        Map.entry("yarn.resourcemanager.admin.address", address(Ports.RM_ADMIN)),
        Map.entry("yarn.resourcemanager.webapp.address", address(Ports.RM_WEB)),
        Map.entry(
            "yarn.nodemanager.resource.memory-mb", Integer.toString(state.options().memoryMb())),
        Map.entry(
            "yarn.scheduler.maximum-allocation-mb", Integer.toString(state.options().memoryMb())),
        Map.entry("yarn.scheduler.minimum-allocation-mb", "256"),
        Map.entry("yarn.nodemanager.resource.cpu-vcores", "4"),
        Map.entry("yarn.nodemanager.vmem-check-enabled", "false"),
        Map.entry("yarn.nodemanager.aux-services", "mapreduce_shuffle"),
        Map.entry("yarn.nodemanager.env-whitelist", "JAVA_HOME"),
        Map.entry(
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99"),
        Map.entry("yarn.application.classpath", layout.conf() + "," + layout.lib() + "/*"),
        // The history server can only show logs that were gathered into HDFS.
        Map.entry("yarn.log-aggregation-enable", "true"),
        Map.entry("yarn.log-aggregation.retain-seconds", "604800"),
        Map.entry(
            "yarn.log.server.url", "http://" + address(Ports.HISTORY_WEB) + "/jobhistory/logs"));
  }

  private Map<String, String> mapred() {
    return Map.of(
        "mapreduce.framework.name",
        "yarn",
        "mapreduce.application.classpath",
        layout.lib() + "/*",
        "yarn.app.mapreduce.am.staging-dir",
        "/user",
        "mapreduce.jobhistory.address",
        address(Ports.HISTORY_RPC),
        "mapreduce.jobhistory.admin.address",
        address(Ports.HISTORY_ADMIN),
        "mapreduce.jobhistory.webapp.address",
        address(Ports.HISTORY_WEB));
  }

  private static Map<String, String> capacityScheduler() {
    return Map.of(
        "yarn.scheduler.capacity.root.queues", "default",
        "yarn.scheduler.capacity.root.default.capacity", "100",
        "yarn.scheduler.capacity.root.default.state", "RUNNING",
        // With the stock tenth, a small cluster could run only one application at a time.
        "yarn.scheduler.capacity.maximum-am-resource-percent", "0.5");
  }

  private static void copyResource(String name, Path target) throws IOException {
    try (InputStream in = ClusterSite.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new ClusterException("the Freshet jar lacks " + name + "; build it again");
      }
      Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Removes the links to Hadoop's jars, which may be gone when a cluster starts again. */
  void unlinkJars() throws IOException {
    JarLinks.remove(layout.lib());
  }

  /** The names of the ports that a cluster of that size needs. */
  static List<String> portNames(ClusterOptions options) {
    List<String> names = new ArrayList<>();
    if (options.hasHadoop()) {
      names.addAll(Ports.ofHadoop());
    }
    for (int node = 1; node <= options.dataNodes(); node++) {
      names.addAll(Ports.ofDataNode(node));
    }
    for (int node = 1; node <= options.nodeManagers(); node++) {
      names.addAll(Ports.ofNodeManager(node));
    }
    if (options.hasSpark()) {
      names.addAll(Ports.ofSpark());
    }
    for (int worker = 1; worker <= options.sparkWorkers(); worker++) {
      names.addAll(Ports.ofSparkWorker(worker));
    }
    return names;
  }
}
