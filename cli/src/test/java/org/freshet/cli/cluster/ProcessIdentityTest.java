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

import org.junit.jupiter.api.Test;

class ProcessIdentityTest {
  @Test
  void knowsARunningProcessAndSeesItsEnd() throws Exception {
    Process process = new ProcessBuilder("sleep", "60").start();
    ProcessIdentity identity = ProcessIdentity.of(process.pid());
    assertThat(identity.isAlive()).isTrue();
    assertThat(identity.handle())
        .hasValueSatisfying(h -> assertThat(h.pid()).isEqualTo(process.pid()));
    process.destroyForcibly().waitFor();
    assertThat(identity.isAlive()).isFalse();
    assertThat(identity.handle()).isEmpty();
  }

  @Test
  void aProcessThatGotTheSameIdLaterIsAnotherProcess() throws Exception {
    long pid = ProcessHandle.current().pid();
    ProcessIdentity self = ProcessIdentity.of(pid);
    assertThat(self.isAlive()).isTrue();
    ProcessIdentity earlier = new ProcessIdentity(pid, self.birth() + " of another time");
    assertThat(earlier.isAlive()).isFalse();
    assertThat(earlier.handle()).isEmpty();
  }

  @Test
  void isTheSameHoweverOftenItIsTaken() throws Exception {
    long pid = ProcessHandle.current().pid();
    assertThat(ProcessIdentity.of(pid)).isEqualTo(ProcessIdentity.of(pid));
  }

  @Test
  void aProcessThatEndedHasNoIdentity() throws Exception {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    assertThatThrownBy(() -> ProcessIdentity.of(process.pid()))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(Long.toString(process.pid()));
  }

  @Test
  void readsTheStartTickBehindACommandNameWithBlanksAndParentheses() {
    String tail = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21";
    assertThat(ProcessIdentity.parseStat("99 (a) b (c))" + tail)).contains("4711");
  }

  @Test
  void aZombieIsNotAlive() {
    String tail = " Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21";
    assertThat(ProcessIdentity.parseStat("99 (java)" + tail)).isEmpty();
  }
}
