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
import java.net.ServerSocket;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Finds TCP ports that nobody listens on.
 *
 * <p>Candidates come from below the range that Linux and macOS give to outgoing connections, so
 * that a port found free is not taken by a client socket before its daemon binds it. A port used
 * last time is kept while it is free: addresses that users noted, and HDFS paths that carry a port,
 * stay valid across restarts. Another process may still bind a port between the look and the use;
 * the daemon then fails to start and says so.
 *
 * <p>Not thread-safe; one instance serves one start.
 */
final class FreePorts {
  private static final int LOW = 20_000;
  private static final int HIGH = 32_000;

  private final RandomGenerator random;
  private final Map<String, Integer> preferred;

  /**
   * @param preferred ports to keep where they are still free, by name
   * @param random picks where to look for the others
   */
  FreePorts(Map<String, Integer> preferred, RandomGenerator random) {
    this.preferred = Map.copyOf(preferred);
    this.random = random;
  }

  /**
   * Gives each name a free port of its own.
   *
   * @return the ports in the order of {@code names}
   * @throws ClusterException if too few ports are free
   */
  Map<String, Integer> allocate(Collection<String> names) throws ClusterException {
    Map<String, Integer> ports = new LinkedHashMap<>();
    Set<Integer> taken = new HashSet<>(preferred.values());
    for (String name : names) {
      Integer kept = preferred.get(name);
      ports.put(name, kept != null && isFree(kept) ? kept : next(taken));
    }
    return ports;
  }

  private int next(Set<Integer> taken) throws ClusterException {
    int span = HIGH - LOW;
    int start = random.nextInt(span);
    for (int i = 0; i < span; i++) {
      int port = LOW + (start + i) % span;
      if (!taken.contains(port) && isFree(port)) {
        taken.add(port);
        return port;
      }
    }
    throw new ClusterException(
        "no free TCP port between "
            + LOW
            + " and "
            + HIGH
            + "; stop other servers on this machine and start again");
  }

  /** Binding the wildcard address fails when any address of this machine has a listener. */
  static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port)) {
      return socket.isBound();
    } catch (IOException occupied) {
      return false;
    }
  }
}
