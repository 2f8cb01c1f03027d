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
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.freshet.shredder.Backends;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.CandidateRule;
import org.junit.jupiter.api.Test;

/**
 * The library at every level of instructions that this processor has, against the definition of the
 * rules.
 */
class NativeFinderTest {
  /** Irreducible, of degrees 9, 16, 31, 53 and 56. */
  private static final List<Long> POLYNOMIALS =
      List.of(0x211L, 0x1002DL, 0x80000009L, CandidateRule.Rabin.POLYNOMIAL, 0x100000000000095L);

  @Property(tries = 400)
  void findsWhatTheDefinitionSays(
      @ForAll("rules") CandidateRule rule,
      @ForAll("contents") byte[] bytes,
      @ForAll @IntRange(max = 70) int skipped) {
    NativeLibraryCondition.require();
    int from = Math.min(rule.window() - 1 + skipped, bytes.length);
    if (from < rule.window() - 1) {
      return;
    }
    int[] expected = NaiveRule.find(rule, bytes, from, bytes.length);
    for (InstructionLevel level : levels()) {
      assertThat(new NativeFinder(rule, level).find(bytes, from, bytes.length))
          .as("%s", level)
          .isEqualTo(expected);
    }
  }

  @Property(tries = 100)
  void kindsOfBuffersMakeNoDifference(
      @ForAll("rules") CandidateRule rule,
      @ForAll("contents") byte[] bytes,
      @ForAll @IntRange(max = 130) int offset) {
    NativeLibraryCondition.require();
    if (bytes.length < rule.window()) {
      return;
    }
    int from = rule.window() - 1;
    byte[] shifted = new byte[offset + bytes.length + 3];
    System.arraycopy(bytes, 0, shifted, offset, bytes.length);
    ByteBuffer slice = ByteBuffer.wrap(shifted).slice(offset, bytes.length);
    ByteBuffer direct =
        ByteBuffer.allocateDirect(shifted.length).put(shifted).slice(offset, bytes.length);
    for (InstructionLevel level : levels()) {
      CandidateFinder finder = new NativeFinder(rule, level);
      int[] expected = finder.find(bytes, from, bytes.length);
      for (ByteBuffer buffer : List.of(slice, slice.asReadOnlyBuffer(), direct)) {
        buffer.position(buffer.capacity() / 2).limit(buffer.capacity() / 2);
        ByteBuffer before = buffer.duplicate();
        assertThat(finder.find(buffer, from, bytes.length)).as("%s", buffer).isEqualTo(expected);
        assertThat(buffer.position()).isEqualTo(before.position());
        assertThat(buffer.limit()).isEqualTo(before.limit());
      }
    }
  }

  @Test
  void tilesAndPiecesOfALargeSourceMeetWithoutAGap() {
    NativeLibraryCondition.require();
    byte[] bytes = new byte[9_000_001];
    new Random(7).nextBytes(bytes);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    for (CandidateRule rule :
        List.of(CandidateRule.Gear.everyBytes(100), CandidateRule.Rabin.published(7, 0x31))) {
      CandidateFinder java = Backends.named("java").finder(rule);
      int[] expected = java.find(bytes, 63, bytes.length);
      for (InstructionLevel level : levels()) {
        CandidateFinder finder = new NativeFinder(rule, level);
        assertThat(finder.find(bytes, 63, bytes.length)).isEqualTo(expected);
        assertThat(finder.find(direct, 63, bytes.length)).isEqualTo(expected);
        assertThat(finder.find(direct.asReadOnlyBuffer(), 63, bytes.length)).isEqualTo(expected);
        assertThat(finder.find(ByteBuffer.wrap(bytes).asReadOnlyBuffer(), 63, bytes.length))
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void aPolynomialOfEveryDegreeAndAMaskOfEveryWidthIsExact() {
    NativeLibraryCondition.require();
    byte[] bytes = new byte[3000];
    new Random(11).nextBytes(bytes);
    for (long polynomial : POLYNOMIALS) {
      int degree = 63 - Long.numberOfLeadingZeros(polynomial);
      for (int maskBits = 1; maskBits <= Math.min(degree, CandidateRule.MAX_MASK_BITS); maskBits++) {
        // The marker of a window that there is, so that even the widest mask has a candidate.
        CandidateRule.Rabin any = new CandidateRule.Rabin(polynomial, 48, maskBits, 0);
        long marker = NaiveRule.fingerprint(any, bytes, 2000) & (1L << maskBits) - 1;
        CandidateRule rule = new CandidateRule.Rabin(polynomial, 48, maskBits, marker);
        int[] expected = NaiveRule.find(rule, bytes, 47, bytes.length);
        assertThat(expected).contains(2000);
        for (InstructionLevel level : levels()) {
          assertThat(new NativeFinder(rule, level).find(bytes, 47, bytes.length))
              .as("%s at %s", rule.name(), level)
              .isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void rangesOutsideTheBytesAreRefused() {
    NativeLibraryCondition.require();
    CandidateFinder finder =
        new NativeFinder(CandidateRule.Rabin.published(13, 0), InstructionLevel.SCALAR);
    byte[] bytes = new byte[100];
    ByteBuffer direct = ByteBuffer.allocateDirect(100).order(ByteOrder.LITTLE_ENDIAN);
    for (int[] range :
        new int[][] {
          {46, 100}, {-1, 100}, {Integer.MIN_VALUE, 100}, {47, 101}, {60, 59}, {47, -1},
          {47, Integer.MAX_VALUE}, {101, 101}
        }) {
      assertThatThrownBy(() -> finder.find(bytes, range[0], range[1]))
          .as(Arrays.toString(range))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> finder.find(direct, range[0], range[1]))
          .as(Arrays.toString(range))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  private static List<InstructionLevel> levels() {
    return Stream.of(InstructionLevel.values())
        .filter(level -> level.compareTo(InstructionLevel.best()) <= 0)
        .toList();
  }

  @Provide
  Arbitrary<CandidateRule> rules() {
    Arbitrary<CandidateRule> gear =
        Combinators.combine(Arbitraries.longs(), Arbitraries.integers().between(2, 60))
            .as((first, shift) -> new CandidateRule.Gear(first, -1L >>> shift));
    Arbitrary<CandidateRule> rabin =
        Combinators.combine(
                Arbitraries.of(POLYNOMIALS),
                Arbitraries.integers().between(1, CandidateRule.MAX_WINDOW),
                Arbitraries.integers().between(1, 9),
                Arbitraries.longs())
            .as(
                (polynomial, window, bits, marker) ->
                    new CandidateRule.Rabin(polynomial, window, bits, marker & (1L << bits) - 1));
    return Arbitraries.oneOf(gear, rabin);
  }

  /** Noise, few different bytes, all the same, and a repeated word; of any length. */
  @Provide
  Arbitrary<byte[]> contents() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 3000),
            Arbitraries.longs(),
            Arbitraries.of(256, 4, 1),
            Arbitraries.of(1 << 20, 96))
        .as(
            (length, seed, values, period) -> {
              Random random = new Random(seed);
              byte[] bytes = new byte[length];
              for (int i = 0; i < length; i++) {
                bytes[i] =
                    i < period ? (byte) (31 * random.nextInt(values)) : bytes[i - period];
              }
              return bytes;
            });
  }
}
