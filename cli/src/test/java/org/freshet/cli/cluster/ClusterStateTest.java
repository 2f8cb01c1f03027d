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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterStateTest {
  @TempDir private Path dir;

  @Test
  void isReadBackAsItWasWritten() throws Exception {
    ClusterState state =
        new ClusterState(ClusterOptions.DEFAULT, Map.of("namenode.rpc", 20001), List.of())
            .with(
                new ClusterState.Daemon(
                    "namenode", new ProcessIdentity(42, "tick 7 of boot x"), "/logs/namenode.log"));
    state.write(dir.resolve("state.json"));
    assertThat(ClusterState.read(dir.resolve("state.json"))).contains(state);
    assertThat(dir).isDirectoryNotContaining("glob:**.new");
  }

  @Test
  void isEmptyWhereNothingWasStarted() throws Exception {
    assertThat(ClusterState.read(dir.resolve("state.json"))).isEmpty();
  }

  @Test
  void namesTheFileThatItCannotUnderstand() throws Exception {
    Path file = Files.writeString(dir.resolve("state.json"), "{\"ports\": 3}");
    assertThatThrownBy(() -> ClusterState.read(file))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void aMissingPortIsNamed() {
    ClusterState state = new ClusterState(ClusterOptions.DEFAULT, Map.of(), List.of());
    assertThatThrownBy(() -> state.port("namenode.rpc"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("namenode.rpc");
  }

  @Test
  void sizesThatCannotRunAJobAreRefused() {
    assertThatThrownBy(() -> new ClusterOptions(0, 1, 4096, 60, 2)).hasMessageContaining("0");
    assertThatThrownBy(() -> new ClusterOptions(1, 17, 4096, 60, 0)).hasMessageContaining("17");
    assertThatThrownBy(() -> new ClusterOptions(1, 1, 512, 60, 0)).hasMessageContaining("512");
  }
}
