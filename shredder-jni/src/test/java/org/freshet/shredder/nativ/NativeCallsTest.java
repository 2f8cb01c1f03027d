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
package org.freshet.shredder.nativ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.freshet.shredder.CandidateRule;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The C side trusts nobody: what the Java classes would never pass must not crash the process. */
@NeedsNative
class NativeCallsTest {
  private static final long POLYNOMIAL = CandidateRule.Rabin.POLYNOMIAL;

  private final byte[] bytes = new byte[1000];
  private final ByteBuffer direct = ByteBuffer.allocateDirect(1000);
  private ByteBuffer rule;

  @BeforeEach
  void prepare() {
    rule = ByteBuffer.allocateDirect(NativeCalls.ruleBytes());
    NativeCalls.prepareGear(rule, 0, 1L << 50);
  }

  @Test
  void memoryThatIsNoRuleIsRefused() {
    ByteBuffer heap = ByteBuffer.allocate(NativeCalls.ruleBytes());
    ByteBuffer small = ByteBuffer.allocateDirect(NativeCalls.ruleBytes() - 1);
    ByteBuffer unaligned = ByteBuffer.allocateDirect(NativeCalls.ruleBytes() + 1);
    ByteBuffer unprepared = ByteBuffer.allocateDirect(NativeCalls.ruleBytes());
    for (ByteBuffer bad :
        new ByteBuffer[] {heap, small, unaligned.slice(1, NativeCalls.ruleBytes()), unprepared}) {
      assertThatThrownBy(() -> NativeCalls.searchArray(bad, 0, bytes, 63, 1000))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> NativeCalls.searchDirect(bad, 0, direct, 63, 1000))
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (ByteBuffer bad : new ByteBuffer[] {heap, small}) {
      assertThatThrownBy(() -> NativeCalls.prepareGear(bad, 0, 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> NativeCalls.prepareSievedGear(bad, 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> NativeCalls.prepareRabin(bad, POLYNOMIAL, 48, 13, 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void nullIsRefused() {
    assertThatThrownBy(() -> NativeCalls.prepareGear(null, 0, 1))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> NativeCalls.searchArray(null, 0, bytes, 63, 1000))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> NativeCalls.searchArray(rule, 0, null, 63, 1000))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> NativeCalls.searchDirect(rule, 0, null, 63, 1000))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void aHeapBufferIsNoDirectOne() {
    assertThatThrownBy(() -> NativeCalls.searchDirect(rule, 0, ByteBuffer.wrap(bytes), 63, 1000))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void levelsThatTheProcessorLacksAreRefused() {
    for (int level : new int[] {-1, NativeCalls.bestLevel() + 1, 99, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> NativeCalls.searchArray(rule, level, bytes, 63, 1000))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void rangesOutsideTheBytesAreRefused() {
    for (int[] range :
        new int[][] {
          {62, 1000},
          {-1, 10},
          {63, 1001},
          {200, 199},
          {63, -5},
          {Integer.MIN_VALUE, Integer.MAX_VALUE},
          {Integer.MAX_VALUE, Integer.MAX_VALUE}
        }) {
      assertThatThrownBy(() -> NativeCalls.searchArray(rule, 0, bytes, range[0], range[1]))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> NativeCalls.searchDirect(rule, 0, direct, range[0], range[1]))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(NativeCalls.searchArray(rule, 0, bytes, 1000, 1000)).isEmpty();
  }

  @Test
  void parametersThatMakeNoRabinRuleAreRefused() {
    refuseRabin(0, 48, 13, 0);
    refuseRabin(0x1FF, 48, 8, 0);
    refuseRabin(1L << 57, 48, 13, 0);
    refuseRabin(-1, 48, 13, 0);
    refuseRabin(POLYNOMIAL, 0, 13, 0);
    refuseRabin(POLYNOMIAL, -1, 13, 0);
    refuseRabin(POLYNOMIAL, 65, 13, 0);
    refuseRabin(POLYNOMIAL, Integer.MIN_VALUE, 13, 0);
    refuseRabin(POLYNOMIAL, 48, 0, 0);
    refuseRabin(POLYNOMIAL, 48, 54, 0);
    refuseRabin(POLYNOMIAL, 48, -3, 0);
    refuseRabin(POLYNOMIAL, 48, 13, 1 << 13);
    refuseRabin(POLYNOMIAL, 48, 13, -1);
  }

  @Test
  void aCandidateAtEveryPositionHasRoom() {
    NativeCalls.prepareGear(rule, 0, -1L);
    assertThat(NativeCalls.searchArray(rule, 0, bytes, 63, 1000)).hasSize(1000 - 63);
    byte[] large = new byte[5_000_000];
    assertThat(NativeCalls.searchArray(rule, 0, large, 63, large.length))
        .hasSize(large.length - 63)
        .isSorted()
        .endsWith(large.length);
  }

  private void refuseRabin(long polynomial, int window, int maskBits, long marker) {
    assertThatThrownBy(() -> NativeCalls.prepareRabin(rule, polynomial, window, maskBits, marker))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
