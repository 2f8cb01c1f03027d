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

import java.util.List;

/** The names under which a cluster's state keeps its TCP ports. */
final class Ports {
  static final String NAMENODE_RPC = "namenode.rpc";
  static final String NAMENODE_WEB = "namenode.web";
  static final String RM_CLIENT = "resourcemanager.client";
  static final String RM_SCHEDULER = "resourcemanager.scheduler";
  static final String RM_TRACKER = "resourcemanager.tracker";
  static final String RM_ADMIN = "resourcemanager.admin";
  static final String RM_WEB = "resourcemanager.web";
  static final String HISTORY_RPC = "historyserver.rpc";
  static final String HISTORY_ADMIN = "historyserver.admin";
  static final String HISTORY_WEB = "historyserver.web";

  static final String SPARK_MASTER_RPC = "spark-master.rpc";
  static final String SPARK_MASTER_WEB = "spark-master.web";
  static final String SPARK_HISTORY_WEB = "spark-historyserver.web";

  private Ports() {}

  static List<String> ofHadoop() {
    return List.of(
        NAMENODE_RPC,
        NAMENODE_WEB,
        RM_CLIENT,
        RM_SCHEDULER,
        RM_TRACKER,
        RM_ADMIN,
        RM_WEB,
        HISTORY_RPC,
        HISTORY_ADMIN,
        HISTORY_WEB);
  }

  static List<String> ofSpark() {
    return List.of(SPARK_MASTER_RPC, SPARK_MASTER_WEB, SPARK_HISTORY_WEB);
  }

  static String sparkWorkerRpc(int worker) {
    return "spark-worker-" + worker + ".rpc";
  }

  static String sparkWorkerWeb(int worker) {
    return "spark-worker-" + worker + ".web";
  }

  static List<String> ofSparkWorker(int worker) {
    return List.of(sparkWorkerRpc(worker), sparkWorkerWeb(worker));
  }

  static String dataNodeData(int node) {
    return "datanode-" + node + ".data";
  }

  static String dataNodeIpc(int node) {
    return "datanode-" + node + ".ipc";
  }

  static String dataNodeWeb(int node) {
    return "datanode-" + node + ".web";
  }

  static List<String> ofDataNode(int node) {
    return List.of(dataNodeData(node), dataNodeIpc(node), dataNodeWeb(node));
  }

  static String nodeManagerRpc(int node) {
    return "nodemanager-" + node + ".rpc";
  }

  static String nodeManagerLocalizer(int node) {
    return "nodemanager-" + node + ".localizer";
  }

  static String nodeManagerCollector(int node) {
    return "nodemanager-" + node + ".collector";
  }

  static String nodeManagerShuffle(int node) {
    return "nodemanager-" + node + ".shuffle";
  }

  static String nodeManagerWeb(int node) {
    return "nodemanager-" + node + ".web";
  }

  static List<String> ofNodeManager(int node) {
    return List.of(
        nodeManagerRpc(node),
        nodeManagerLocalizer(node),
        nodeManagerCollector(node),
        nodeManagerShuffle(node),
        nodeManagerWeb(node));
  }
}
