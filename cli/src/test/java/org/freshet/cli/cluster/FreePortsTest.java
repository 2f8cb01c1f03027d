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

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  private static final long SEED = 7;

  @Test
  void everyNameGetsAPortOfItsOwnThatCanBeBound() throws Exception {
    List<String> names = IntStream.range(0, 50).mapToObj(i -> "port-" + i).toList();
    Map<String, Integer> ports = allocate(Map.of(), names);
    assertThat(ports.keySet()).containsExactlyElementsOf(names);
    assertThat(ports.values()).doesNotHaveDuplicates();
    for (int port : ports.values()) {
      try (ServerSocket socket = new ServerSocket(port)) {
        assertThat(socket.getLocalPort()).isEqualTo(port);
      }
    }
  }

  @Test
  void keepsThePortOfLastTimeWhileItIsFree() throws Exception {
    int before = allocate(Map.of(), List.of("a")).get("a");
    assertThat(allocate(Map.of("a", before), List.of("a", "b"))).containsEntry("a", before);
  }

  @Test
  void givesAnotherPortWhenALoopbackListenerHasTheOldOne() throws Exception {
    int before = allocate(Map.of(), List.of("a")).get("a");
    try (ServerSocket occupied =
        new ServerSocket(before, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
      assertThat(occupied.isBound()).isTrue();
      assertThat(allocate(Map.of("a", before), List.of("a")).get("a")).isNotEqualTo(before);
    }
  }

  @Test
  void doesNotGiveAwayAPortThatAnotherNamePrefers() throws Exception {
    int wouldBeNext = allocate(Map.of(), List.of("a")).get("a");
    Map<String, Integer> ports = allocate(Map.of("b", wouldBeNext), List.of("a", "b"));
    assertThat(ports.get("b")).isEqualTo(wouldBeNext);
    assertThat(ports.get("a")).isNotEqualTo(wouldBeNext);
  }

  private static Map<String, Integer> allocate(Map<String, Integer> preferred, List<String> names)
      throws ClusterException {
    return new FreePorts(preferred, new SplittableRandom(SEED)).allocate(names);
  }
}
