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
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RecordAlignmentTest {
  @Property(tries = 300)
  void aDelimiterIsFoundWhereverASearchStartsAndHoweverBytesAreSplit(
      @ForAll @Size(min = 1, max = 6) byte[] pattern, @ForAll long seed) {
    // Two values only, so that delimiters occur, overlap themselves, and almost occur.
    byte[] delimiter = ofTwoValues(pattern);
    byte[] bytes = ofTwoValues(Sources.random(200, seed));

    assertFinds(
        RecordAlignment.delimiter(delimiter),
        bytes,
        seed,
        p ->
            p >= delimiter.length
                && Arrays.equals(bytes, p - delimiter.length, p, delimiter, 0, delimiter.length));
  }

  private static byte[] ofTwoValues(byte[] bytes) {
    byte[] result = bytes.clone();
    for (int i = 0; i < result.length; i++) {
      result[i] = (byte) ('a' + (result[i] & 1));
    }
    return result;
  }

  @Property(tries = 200)
  void recordsOfFixedLengthAreFoundWhereverASearchStarts(
      @ForAll @IntRange(min = 1, max = 70) int record,
      @ForAll @IntRange(max = 250) int header,
      @ForAll long seed) {
    assertFinds(
        RecordAlignment.fixedLength(record, header),
        new byte[200],
        seed,
        p -> p >= header && (p - header) % record == 0);
  }

  @Property(tries = 100)
  void linesMayEndInAnyByte(@ForAll byte delimiter, @ForAll long seed) {
    byte[] bytes = Sources.random(2000, seed);

    assertFinds(RecordAlignment.lines(delimiter), bytes, seed, p -> bytes[p - 1] == delimiter);
  }

  /** Searches from every position, in pieces of any size, each in a buffer of its own. */
  private static void assertFinds(
      RecordAlignment alignment, byte[] bytes, long seed, IntPredicate isBoundary) {
    Random random = new Random(seed);
    for (int position = 1; position <= bytes.length; position++) {
      int expected = position;
      while (expected <= bytes.length && !isBoundary.test(expected)) {
        expected++;
      }
      RecordAlignment.Search search = alignment.searchFrom(position);
      int found = -1;
      int at = Math.max(0, position - alignment.lookBehind());
      while (found < 0 && at <= bytes.length) {
        int count = Math.min(bytes.length - at, random.nextInt(40));
        ByteBuffer piece = ByteBuffer.allocate(5 + count).put(5, bytes, at, count);
        int boundary = search.next(piece, 5, 5 + count);
        found = boundary < 0 ? -1 : at + boundary - 5;
        if (at == bytes.length) {
          break;
        }
        at += count;
      }

      assertThat(found).isEqualTo(expected <= bytes.length ? expected : -1);
    }
  }

  @Test
  void aRecordLongerThanAnIntIsCountedInFull() {
    RecordAlignment.Search search = RecordAlignment.fixedLength(5L << 30, 3).searchFrom(4);
    ByteBuffer gibibyte = ByteBuffer.allocate(0);
    for (int i = 0; i < 5; i++) {
      assertThat(search.next(gibibyte, 0, 1 << 30)).isEqualTo(i == 4 ? (1 << 30) - 1 : -1);
    }
  }

  @Test
  void namesTellOneFromAnother() {
    assertThat(
            Stream.of(
                    RecordAlignment.none(),
                    RecordAlignment.lines(),
                    RecordAlignment.lines((byte) 0),
                    RecordAlignment.delimiter(new byte[] {0, 0}),
                    RecordAlignment.delimiter(new byte[] {13, 10}),
                    RecordAlignment.fixedLength(10, 0),
                    RecordAlignment.fixedLength(1, 0),
                    RecordAlignment.fixedLength(10, 1))
                .map(RecordAlignment::name))
        .doesNotHaveDuplicates();
    assertThat(RecordAlignment.lines((byte) '\n')).isEqualTo(RecordAlignment.lines());
    assertThat(RecordAlignment.delimiter(new byte[] {'\n'})).isEqualTo(RecordAlignment.lines());
    assertThat(RecordAlignment.delimiter(new byte[] {13, 10}))
        .isEqualTo(RecordAlignment.delimiter(new byte[] {13, 10}))
        .hasSameHashCodeAs(RecordAlignment.delimiter(new byte[] {13, 10}));
  }

  @Test
  void refusesWhatCannotBeARecord() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RecordAlignment.fixedLength(0, 0))
        .withMessageContaining("not 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RecordAlignment.fixedLength(1, -1))
        .withMessageContaining("not -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RecordAlignment.delimiter(new byte[0]))
        .withMessageContaining("not 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RecordAlignment.delimiter(new byte[65]))
        .withMessageContaining("not 65");
  }
}
