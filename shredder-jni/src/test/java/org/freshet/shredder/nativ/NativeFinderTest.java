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
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.freshet.shredder.Backends;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.CandidateRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the library is at risk of beyond every backend's contract: the edges of its tiles and
 * pieces, and fingerprints of which more or fewer bits decide than its sieve sees.
 */
@NeedsNative
class NativeFinderTest {
  @Test
  void tilesAndPiecesOfALargeSourceMeetWithoutAGap() {
    byte[] bytes = Noise.bytes(9_000_001, 7);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    for (CandidateRule rule :
        List.of(
            CandidateRule.Gear.everyBytes(100),
            new CandidateRule.SievedGear(-1L),
            CandidateRule.Rabin.published(7, 0x31))) {
      int[] expected = Backends.named("java").finder(rule).find(bytes, 63, bytes.length);
      for (InstructionLevel level : levels()) {
        CandidateFinder finder = new NativeFinder(rule, level);

        assertThat(finder.find(bytes, 63, bytes.length)).isEqualTo(expected);
        assertThat(finder.find(direct, 63, bytes.length)).isEqualTo(expected);
        assertThat(finder.find(ByteBuffer.wrap(bytes).asReadOnlyBuffer(), 63, bytes.length))
            .isEqualTo(expected);
      }
    }
  }

  /** Irreducible, of degrees 9, 16, 31, 53 and 56. */
  @ParameterizedTest
  @ValueSource(longs = {0x211L, 0x1002DL, 0x80000009L, 0x3DA3358B4DC173L, 0x100000000000095L})
  void maskOfEveryWidthIsExact(long polynomial) {
    byte[] bytes = Noise.bytes(20_000, 11);
    int degree = 63 - Long.numberOfLeadingZeros(polynomial);
    for (int maskBits = 1; maskBits <= Math.min(degree, CandidateRule.MAX_MASK_BITS); maskBits++) {
      // A fingerprint that occurs, so that even the widest mask has a candidate.
      long marker = fingerprint(polynomial, bytes, 15_000) & ((1L << maskBits) - 1);
      CandidateRule rule = new CandidateRule.Rabin(polynomial, 48, maskBits, marker);
      int[] expected = Backends.named("java").finder(rule).find(bytes, 47, bytes.length);
      assertThat(expected).contains(15_000);
      for (InstructionLevel level : levels()) {
        assertThat(new NativeFinder(rule, level).find(bytes, 47, bytes.length))
            .as("%s at %s", rule.name(), level)
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void rangesAtTheLimitsOfIntAreRefused() {
    CandidateFinder finder =
        new NativeFinder(CandidateRule.Rabin.published(13, 0), InstructionLevel.SCALAR);
    byte[] bytes = new byte[100];
    ByteBuffer direct = ByteBuffer.allocateDirect(100);
    for (int[] range :
        new int[][] {
          {Integer.MIN_VALUE, 100},
          {47, Integer.MAX_VALUE},
          {Integer.MAX_VALUE, Integer.MAX_VALUE},
          {Integer.MIN_VALUE, Integer.MIN_VALUE},
          {101, 101}
        }) {
      assertThatThrownBy(() -> finder.find(bytes, range[0], range[1]))
          .as(Arrays.toString(range))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> finder.find(direct, range[0], range[1]))
          .as(Arrays.toString(range))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  static List<InstructionLevel> levels() {
    return Stream.of(InstructionLevel.values())
        .filter(level -> level.compareTo(InstructionLevel.best()) <= 0)
        .toList();
  }

  /** Long division, bit by bit, of the 48 bytes before a position. */
  private static long fingerprint(long polynomial, byte[] bytes, int position) {
    long top = Long.highestOneBit(polynomial);
    long remainder = 0;
    for (int i = position - 48; i < position; i++) {
      for (int bit = 7; bit >= 0; bit--) {
        remainder = (remainder << 1) | ((bytes[i] >> bit) & 1);
        if ((remainder & top) != 0) {
          remainder ^= polynomial;
        }
      }
    }
    return remainder;
  }
}
