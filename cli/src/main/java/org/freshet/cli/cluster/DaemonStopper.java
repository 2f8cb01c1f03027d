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
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Ends daemons: asks, waits, then insists.
 *
 * <p>NodeManagers go first: they end the containers they launched, which nobody else would do, and
 * report to a ResourceManager that still answers.
 */
final class DaemonStopper {
  private static final Duration ASKED = Duration.ofSeconds(30);
  private static final Duration FORCED = Duration.ofSeconds(10);
  private static final long POLL_MS = 50;

  /**
   * Ends these daemons, none but the very processes that were recorded.
   *
   * @return those that still run
   */
  List<ClusterState.Daemon> stop(List<ClusterState.Daemon> daemons) throws InterruptedException {
    Predicate<ClusterState.Daemon> isNode = d -> d.name().startsWith("nodemanager");
    stopTogether(daemons.stream().filter(isNode).toList());
    stopTogether(daemons.stream().filter(isNode.negate()).toList());
    return running(daemons);
  }

  private static void stopTogether(List<ClusterState.Daemon> daemons) throws InterruptedException {
    forEachHandle(daemons, ProcessHandle::destroy);
    await(daemons, ASKED);
    forEachHandle(daemons, ProcessHandle::destroyForcibly);
    await(daemons, FORCED);
  }

  private static void forEachHandle(
      List<ClusterState.Daemon> daemons, Consumer<ProcessHandle> signal) {
    for (ClusterState.Daemon daemon : daemons) {
      daemon.process().handle().ifPresent(signal);
    }
  }

  private static void await(List<ClusterState.Daemon> daemons, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    // The daemons are mostly not children of this JVM: their end is no event that it could await.
    while (!running(daemons).isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(POLL_MS);
    }
  }

  private static List<ClusterState.Daemon> running(List<ClusterState.Daemon> daemons) {
    return daemons.stream().filter(d -> d.process().isAlive()).toList();
  }
}
