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

import java.nio.file.Path;

/**
 * Where a local cluster keeps what, under its directory.
 *
 * @param root the cluster's directory, absolute
 */
record ClusterLayout(Path root) {
  ClusterLayout {
    root = root.toAbsolutePath().normalize();
  }

  Path stateFile() {
    return root.resolve("state.json");
  }

  /** Held while somebody starts or stops the cluster. */
  Path lockFile() {
    return root.resolve("lock");
  }

  /** The directory to give as {@code HADOOP_CONF_DIR}. */
  Path conf() {
    return root.resolve("conf");
  }

  /** Links to Hadoop's jars, as a distribution's {@code share} would hold them. */
  Path lib() {
    return root.resolve("lib");
  }

  /** What the Maven jars lack of a distribution's web applications. */
  Path web() {
    return root.resolve("web");
  }

  /** What {@code SPARK_HOME} names in a distribution. */
  Path sparkHome() {
    return root.resolve("spark");
  }

  Path sparkJars() {
    return sparkHome().resolve("jars");
  }

  /** What the history server has on its class path beside them. */
  Path sparkHistoryJars() {
    return sparkHome().resolve("history-jars");
  }

  Path sparkConf() {
    return sparkHome().resolve("conf");
  }

  /** Starts a class of Spark, as the script of that name in a distribution does. */
  Path sparkClass() {
    return sparkHome().resolve("bin").resolve("spark-class");
  }

  Path sparkSubmit() {
    return sparkHome().resolve("bin").resolve("spark-submit");
  }

  /** Where applications write what the history server shows. */
  Path sparkEvents() {
    return data().resolve("spark-events");
  }

  Path logs() {
    return root.resolve("logs");
  }

  Path log(String daemon) {
    return logs().resolve(daemon + ".log");
  }

  Path data() {
    return root.resolve("data");
  }

  Path nameNodeData() {
    return data().resolve("namenode");
  }

  Path data(String daemon) {
    return data().resolve(daemon);
  }
}
