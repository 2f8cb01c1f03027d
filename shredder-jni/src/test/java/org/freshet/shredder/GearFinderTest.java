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
package org.freshet.shredder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class GearFinderTest {
  private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);

  /** The definition, in numbers of any size: the oracle for the interleaved 64-bit form. */
  private static List<Integer> candidatesByDefinition(byte[] bytes, int from, int to, int gap) {
    long[] gear = new long[256];
    SplittableRandom splitMix64 = new SplittableRandom(0);
    Arrays.setAll(gear, i -> splitMix64.nextLong());
    BigInteger threshold = TWO_TO_64.subtract(BigInteger.ONE).divide(BigInteger.valueOf(gap));
    List<Integer> candidates = new ArrayList<>();
    for (int p = from + 1; p <= to; p++) {
      BigInteger hash = BigInteger.ZERO;
      for (int i = p - 64; i < p; i++) {
        BigInteger value = new BigInteger(Long.toUnsignedString(gear[bytes[i] & 0xFF]));
        hash = hash.shiftLeft(1).add(value).mod(TWO_TO_64);
      }
      if (hash.compareTo(threshold) < 0) {
        candidates.add(p);
      }
    }
    return candidates;
  }

  @Property(tries = 40)
  void findsWhatTheDefinitionSays(
      @ForAll long seed,
      @ForAll @IntRange(max = 300) int length,
      @ForAll @IntRange(min = 2, max = 40) int gap) {
    byte[] bytes = Sources.random(70 + length, seed);

    int[] found = new GearFinder(gap).find(bytes, 70, bytes.length);

    assertThat(IntStream.of(found).boxed().toList())
        .isEqualTo(candidatesByDefinition(bytes, 70, bytes.length, gap));
  }

  @Property(tries = 100)
  void findsTheSameInOnePieceAndInTwo(
      @ForAll long seed, @ForAll @IntRange(min = 64, max = 5000) int middle) {
    byte[] bytes = Sources.random(5000, seed);
    GearFinder finder = new GearFinder(50);

    int[] whole = finder.find(bytes, 63, 5000);
    IntStream parts =
        IntStream.concat(
            IntStream.of(finder.find(bytes, 63, middle)),
            IntStream.of(finder.find(bytes, middle, 5000)));

    assertThat(parts.toArray()).isEqualTo(whole).isNotEmpty();
  }

  @Property(tries = 50)
  void candidatesDependOnTheWindowBeforeThemOnly(
      @ForAll long seed, @ForAll @IntRange(max = 500) int shift) {
    byte[] content = Sources.random(4000, seed);
    byte[] shifted = new byte[shift + content.length];
    System.arraycopy(Sources.random(shift, ~seed), 0, shifted, 0, shift);
    System.arraycopy(content, 0, shifted, shift, content.length);
    GearFinder finder = new GearFinder(64);

    int[] here = finder.find(content, 63, content.length);
    int[] there = finder.find(shifted, shift + 63, shifted.length);

    assertThat(IntStream.of(there).map(p -> p - shift).toArray()).isEqualTo(here);
  }

  @Test
  void candidatesAreAsFarApartAsAskedFor() {
    byte[] bytes = Sources.random(8 << 20, 42);
    for (int gap : new int[] {100, 256, 1000}) {
      double found = new GearFinder(gap).find(bytes, 63, bytes.length).length;

      assertThat(bytes.length / found).isBetween(0.97 * gap, 1.03 * gap);
    }
  }

  @Test
  void needsAWholeWindowBeforeTheFirstPosition() {
    GearFinder finder = new GearFinder(64);

    assertThat(finder.find(new byte[63], 63, 63)).isEmpty();
    assertThatThrownBy(() -> finder.find(new byte[100], 62, 100))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContaining("not 62");
    assertThatThrownBy(() -> finder.find(new byte[100], 63, 101))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> new GearFinder(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 1");
  }
}
