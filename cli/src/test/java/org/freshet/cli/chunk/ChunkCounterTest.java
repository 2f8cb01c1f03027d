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
package org.freshet.cli.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.freshet.cli.chunk.ChunkStatistics.LengthClass;
import org.junit.jupiter.api.Test;

class ChunkCounterTest {
  @Test
  void nothingHasStatisticsOfZero() {
    ChunkStatistics none = new ChunkCounter(true).total();
    assertThat(none.chunks()).isZero();
    assertThat(none.mean()).isZero();
    assertThat(none.distribution()).isEmpty();
    assertThat(none.duplicateChunks()).isZero();
  }

  @Test
  void lengthsAreSummedUp() {
    ChunkCounter counter = new ChunkCounter(false);
    for (long length = 1; length <= 2000; length++) {
      counter.add(length, null);
    }
    ChunkStatistics s = counter.endFile();
    assertThat(s.bytes()).isEqualTo(2000 * 2001 / 2);
    assertThat(s.chunks()).isEqualTo(2000);
    assertThat(s.minimum()).isEqualTo(1);
    assertThat(s.mean()).isEqualTo(1000.5);
    assertThat(s.maximum()).isEqualTo(2000);
    // A uniform distribution's: sqrt((n^2 - 1) / 12).
    assertThat(s.deviation()).isCloseTo(577.35, within(0.01));
    assertThat(s.percentile1()).isEqualTo(20);
    assertThat(s.median()).isEqualTo(1000);
    assertThat(s.percentile99()).isEqualTo(1980);
    assertThat(s.duplicateChunks()).isNull();
    assertThat(s.distribution().stream().mapToLong(LengthClass::chunks).sum()).isEqualTo(2000);
    assertThat(s.distribution()).contains(new LengthClass(512, 1024, 512)).hasSize(11);
  }

  @Test
  void anEmptyClassBetweenTwoIsShown() {
    ChunkCounter counter = new ChunkCounter(false);
    counter.add(9, null);
    counter.add(40, null);
    assertThat(counter.endFile().distribution())
        .containsExactly(
            new LengthClass(8, 16, 1), new LengthClass(16, 32, 0), new LengthClass(32, 64, 1));
  }

  @Test
  void aClassMayReachTheEndOfTheNumbers() {
    ChunkCounter counter = new ChunkCounter(false);
    counter.add(Long.MAX_VALUE, null);
    assertThat(counter.endFile().distribution()).hasSize(1);
  }

  @Test
  void contentThatCameBeforeIsADuplicate() {
    ChunkCounter counter = new ChunkCounter(true);
    counter.add(5, digest(1));
    counter.add(7, digest(2));
    counter.add(5, digest(1));
    counter.add(5, digest(1));
    ChunkStatistics s = counter.endFile();
    assertThat(s.duplicateChunks()).isEqualTo(2);
    assertThat(s.duplicateBytes()).isEqualTo(10);
  }

  @Test
  void whatAnotherFileHasIsADuplicateAmongAllButNotInTheFile() {
    ChunkCounter counter = new ChunkCounter(true);
    counter.add(5, digest(1));
    counter.add(7, digest(2));
    counter.endFile();
    counter.add(7, digest(2));
    counter.add(9, digest(3));
    counter.add(7, digest(2));

    ChunkStatistics second = counter.endFile();
    assertThat(second.bytes()).isEqualTo(23);
    assertThat(second.duplicateChunks()).isEqualTo(1);
    assertThat(second.duplicateBytes()).isEqualTo(7);
    ChunkStatistics all = counter.total();
    assertThat(all.bytes()).isEqualTo(35);
    assertThat(all.chunks()).isEqualTo(5);
    assertThat(all.duplicateChunks()).isEqualTo(2);
    assertThat(all.duplicateBytes()).isEqualTo(14);
  }

  @Test
  void aFileThatIsDroppedLeavesNothing() {
    ChunkCounter counter = new ChunkCounter(true);
    counter.add(5, digest(1));
    counter.endFile();
    counter.add(5, digest(1));
    counter.add(7, digest(2));
    counter.add(7, digest(2));
    counter.dropFile();
    counter.add(7, digest(2));
    counter.add(5, digest(1));

    assertThat(counter.endFile().duplicateChunks()).isZero();
    ChunkStatistics all = counter.total();
    assertThat(all.chunks()).isEqualTo(3);
    assertThat(all.bytes()).isEqualTo(17);
    assertThat(all.duplicateChunks()).isEqualTo(1);
    assertThat(all.duplicateBytes()).isEqualTo(5);
  }

  /** Compared with lists and sets, over many sizes of the tables. */
  @Test
  void manyChunksOfManyFilesAreCountedRight() {
    SplittableRandom random = new SplittableRandom(3);
    ChunkCounter counter = new ChunkCounter(true);
    Set<Long> seen = new HashSet<>();
    List<Long> lengths = new ArrayList<>();
    long duplicates = 0;
    for (int file = 0; file < 6; file++) {
      boolean dropped = file % 3 == 1;
      Set<Long> seenHere = new HashSet<>();
      long again = 0;
      for (int i = 0; i < 20_000; i++) {
        long content = random.nextLong(40_000);
        long length = 1 + content % 5_000;
        counter.add(length, digest(content));
        again += seenHere.add(content) ? 0 : 1;
        if (!dropped) {
          duplicates += seen.add(content) ? 0 : 1;
          lengths.add(length);
        }
      }
      if (dropped) {
        counter.dropFile();
      } else {
        assertThat(counter.endFile().duplicateChunks()).isEqualTo(again);
      }
    }
    ChunkStatistics all = counter.total();
    Collections.sort(lengths);
    assertThat(all.chunks()).isEqualTo(80_000);
    assertThat(all.duplicateChunks()).isEqualTo(duplicates);
    assertThat(all.bytes()).isEqualTo(lengths.stream().mapToLong(length -> length).sum());
    assertThat(all.percentile1()).isEqualTo(lengths.get(799));
    assertThat(all.median()).isEqualTo(lengths.get(39_999));
    assertThat(all.percentile99()).isEqualTo(lengths.get(79_199));
  }

  /** Of 32 bytes, as different as those of different contents. */
  private static byte[] digest(long content) {
    byte[] digest = new byte[32];
    new SplittableRandom(content).nextBytes(digest);
    return digest;
  }
}
