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

/**
 * A daemon to launch.
 *
 * @param name unique in the cluster; names its log and its data directory
 * @param title what people call it
 * @param mainClass the stock class with its {@code main}
 * @param heapMb the limit of its Java heap, in MiB
 * @param arguments what {@code main} is given
 */
record DaemonSpec(String name, String title, String mainClass, int heapMb, List<String> arguments) {
  DaemonSpec {
    arguments = List.copyOf(arguments);
  }

  /** Whether it belongs to Spark, which launches its classes in a way of its own. */
  boolean isSpark() {
    return mainClass.startsWith("org.apache.spark.");
  }
}
