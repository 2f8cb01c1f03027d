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

import java.time.Duration;

/**
 * The size of a local cluster. With neither NodeManagers nor DataNodes, it has no Hadoop at all.
 *
 * @param nodeManagers NodeManagers to run, 1 to 16; each takes a loopback address of its own
 * @param dataNodes DataNodes to run, 1 to 16
 * @param memoryMb memory that each NodeManager offers to containers, in MiB, at least 2048 (an
 *     application master and one task at their stock sizes)
 * @param startLimitSeconds how long each kind of daemon may take until it answers, in seconds
 * @param sparkWorkers workers of a standalone Spark to run beside, of one core and 1 GiB each, 0 to
 *     16; with 0 there is no Spark
 */
public record ClusterOptions(
    int nodeManagers, int dataNodes, int memoryMb, long startLimitSeconds, int sparkWorkers) {
  private static final int MAX_NODES = 16;
  private static final int MIN_MEMORY_MB = 2048;

  /** Two NodeManagers of 4 GiB, two DataNodes, two minutes for each kind of daemon. */
  public static final ClusterOptions DEFAULT = new ClusterOptions(2, 2, 4096, 120, 0);

  public ClusterOptions {
    requireRange("Spark workers", sparkWorkers, 0, MAX_NODES);
    if (sparkWorkers == 0 || nodeManagers != 0 || dataNodes != 0) {
      requireRange("NodeManagers", nodeManagers, 1, MAX_NODES);
      requireRange("DataNodes", dataNodes, 1, MAX_NODES);
    }
    requireRange("memory of a NodeManager in MiB", memoryMb, MIN_MEMORY_MB, 1 << 20);
    if (startLimitSeconds < 1) {
      throw new IllegalArgumentException(
          "start limit is " + startLimitSeconds + " s, expected at least 1 s");
    }
  }

  /** A standalone Spark of so many workers, and no Hadoop. */
  public static ClusterOptions sparkAlone(int workers) {
    return new ClusterOptions(0, 0, 4096, 120, workers);
  }

  boolean hasHadoop() {
    return dataNodes > 0;
  }

  boolean hasSpark() {
    return sparkWorkers > 0;
  }

  Duration startLimit() {
    return Duration.ofSeconds(startLimitSeconds);
  }

  private static void requireRange(String what, int value, int low, int high) {
    if (value < low || value > high) {
      throw new IllegalArgumentException(what + ": " + value + ", expected " + low + " to " + high);
    }
  }
}
