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

import org.freshet.cli.chunk.ChunkStatistics.LengthClass;
import org.junit.jupiter.api.Test;

class ChunkCounterTest {
  @Test
  void nothingHasStatisticsOfZero() {
    ChunkStatistics none = new ChunkCounter(true).statistics();
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
    ChunkStatistics s = counter.statistics();
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
    assertThat(counter.statistics().distribution())
        .containsExactly(
            new LengthClass(8, 16, 1), new LengthClass(16, 32, 0), new LengthClass(32, 64, 1));
  }

  @Test
  void aClassMayReachTheEndOfTheNumbers() {
    ChunkCounter counter = new ChunkCounter(false);
    counter.add(Long.MAX_VALUE, null);
    assertThat(counter.statistics().distribution()).hasSize(1);
  }

  @Test
  void contentThatCameBeforeIsADuplicate() {
    ChunkCounter counter = new ChunkCounter(true);
    counter.add(5, "a");
    counter.add(7, "b");
    counter.add(5, "a");
    counter.add(5, "a");
    assertThat(counter.statistics().duplicateChunks()).isEqualTo(2);
    assertThat(counter.statistics().duplicateBytes()).isEqualTo(10);
  }
}
