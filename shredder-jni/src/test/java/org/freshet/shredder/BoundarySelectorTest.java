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

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class BoundarySelectorTest {
  private static final ChunkerConfig CONFIG = ChunkerConfig.of(100, 200, 300);
  private static final ChunkerConfig LINES = CONFIG.with(RecordAlignment.lines());

  private final List<Long> cuts = new ArrayList<>();

  private List<Long> select(ChunkerConfig config, byte[] bytes, int... candidates) {
    BoundarySelector selector = new BoundarySelector(config);
    selector.accept(ByteBuffer.wrap(bytes), 0, bytes.length, 0, candidates, cuts::add);
    selector.finish(bytes.length, cuts::add);
    return cuts;
  }

  @Test
  void takesTheFirstCandidateAtOrAfterTheMinimum() {
    assertThat(select(CONFIG, new byte[350], 99, 100, 150, 199, 201, 301))
        .containsExactly(100L, 201L, 301L, 350L);
  }

  @Test
  void cutsAtTheMaximumWhereNoCandidateIs() {
    assertThat(select(CONFIG, new byte[1000], 650)).containsExactly(300L, 600L, 900L, 1000L);
  }

  @Test
  void takesACandidateAtTheMaximumButNotBeyond() {
    assertThat(select(CONFIG, new byte[700], 300, 601)).containsExactly(300L, 600L, 700L);
  }

  @Test
  void withoutMinimumAndMaximumEveryCandidateCuts() {
    ChunkerConfig published = ChunkerConfig.builder().rabin().maskBits(13).build();

    assertThat(select(published, new byte[5000], 48, 49, 4000, 5000))
        .containsExactly(48L, 49L, 4000L, 5000L);
  }

  @Test
  void movesACutToTheEndOfTheLineItIsIn() {
    byte[] bytes = new byte[400];
    bytes[130] = '\n';
    bytes[260] = '\n';

    assertThat(select(LINES, bytes, 120, 231)).containsExactly(131L, 261L, 400L);
  }

  @Test
  void leavesACutThatIsAtTheStartOfALine() {
    byte[] bytes = new byte[200];
    bytes[119] = '\n';
    bytes[120] = '\n';

    assertThat(select(LINES, bytes, 120)).containsExactly(120L, 200L);
  }

  @Test
  void exceedsTheMaximumByTheRestOfTheLineOnly() {
    byte[] bytes = new byte[1000];
    bytes[310] = '\n';
    bytes[311] = '\n';
    bytes[950] = '\n';

    assertThat(select(LINES, bytes)).containsExactly(311L, 951L, 1000L);
  }

  @Test
  void doesNotCutAtALoneCarriageReturn() {
    byte[] bytes = new byte[1000];
    Arrays.fill(bytes, (byte) '\r');

    assertThat(select(LINES, bytes, 100, 200)).containsExactly(1000L);
  }

  @Test
  void looksForARecordNoFurtherBackThanTheSourceBegins() {
    // What lies in front of the source completes a delimiter that is not the source's.
    ByteBuffer bytes = ByteBuffer.wrap("||||||||ab||cd".getBytes(US_ASCII));
    ChunkerConfig tiny =
        new ChunkerConfig(
            CandidateRule.Gear.everyBytes(2),
            1,
            ChunkerConfig.NO_MAXIMUM,
            RecordAlignment.delimiter(new byte[] {'|', '|', '|', '|', 'a'}),
            DigestAlgorithm.SHA_256);
    BoundarySelector selector = new BoundarySelector(tiny);

    selector.accept(bytes, 8, 14, 0, new int[] {9, 10, 12}, cuts::add);
    selector.finish(6, cuts::add);

    assertThat(cuts).containsExactly(6L);
  }

  @Test
  void refusesABoundaryThatIsNotWhereItWasLookedFor() {
    for (int wrong : new int[] {0, 401}) {
      RecordAlignment broken =
          new RecordAlignment() {
            @Override
            public String name() {
              return "broken";
            }

            @Override
            public int lookBehind() {
              return 0;
            }

            @Override
            public Search searchFrom(long position) {
              return (bytes, from, to) -> wrong;
            }
          };

      assertThatThrownBy(() -> select(CONFIG.with(broken), new byte[400], 120))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("broken")
          .hasMessageContaining("at " + wrong);
    }
  }

  @Test
  void countsBeyondFourGigabytes() {
    long gib = 1L << 30;
    ChunkerConfig large = ChunkerConfig.of(1 << 29, 1 << 30, 3 << 29).with(RecordAlignment.lines());
    BoundarySelector selector = new BoundarySelector(large);
    ByteBuffer mebibyte = ByteBuffer.allocate(64 + (1 << 20));
    mebibyte.put(64 + 1000, (byte) '\n');
    for (long offset = 0; offset < 6 * gib; offset += 1 << 20) {
      selector.accept(mebibyte, 64, mebibyte.capacity(), offset, new int[0], cuts::add);
    }
    selector.finish(6 * gib, cuts::add);

    // Cut by the maximum of 1.5 GiB, and then at the line that ends 1001 bytes into a MiB; the next
    // maximum counts from there and falls right on such an end.
    assertThat(cuts)
        .containsExactly(3 * gib / 2 + 1001, 3 * gib + 1001, 9 * gib / 2 + 1001, 6 * gib);
  }

  @Test
  void maximumBeyondAllOffsetsIsNoMaximum() {
    BoundarySelector selector =
        new BoundarySelector(
            new ChunkerConfig(
                CandidateRule.Gear.everyBytes(100),
                1,
                Long.MAX_VALUE - 5,
                RecordAlignment.none(),
                DigestAlgorithm.SHA_256));
    ByteBuffer bytes = ByteBuffer.allocate(100);

    selector.accept(bytes, 0, 100, 0, new int[] {50}, cuts::add);
    selector.accept(bytes, 0, 100, 100, new int[0], cuts::add);
    selector.finish(200, cuts::add);

    assertThat(cuts).containsExactly(50L, 200L);
  }

  @Property(tries = 200)
  void looksForCandidatesWhereOneCouldEndAChunk(
      @ForAll @LongRange(min = 0) long seed,
      @ForAll @IntRange(min = 1, max = 100_000) int minimum,
      @ForAll @IntRange(min = 50, max = 200_000) int gap,
      @ForAll boolean isBounded,
      @ForAll boolean isAligned) {
    Random random = new Random(seed);
    byte[] bytes = new byte[Chunker.HALO + 1_000_000];
    random.nextBytes(bytes);
    CandidateRule rule = CandidateRule.Gear.everyBytes(gap);
    ChunkerConfig config =
        new ChunkerConfig(
            rule,
            minimum,
            isBounded ? minimum + random.nextInt(2 * gap) : ChunkerConfig.NO_MAXIMUM,
            isAligned ? RecordAlignment.lines() : RecordAlignment.none(),
            DigestAlgorithm.SHA_256);
    CandidateFinder finder = new JavaBackend().finder(rule);
    BoundarySelector given = new BoundarySelector(config);
    BoundarySelector looking = new BoundarySelector(config);
    List<Long> expected = new ArrayList<>();
    List<Long> found = new ArrayList<>();
    ByteBuffer buffer = ByteBuffer.wrap(bytes);

    int from = Chunker.HALO;
    while (from < bytes.length) {
      int to = Math.min(bytes.length, from + 1 + random.nextInt(300_000));
      long offset = from - Chunker.HALO;
      given.accept(buffer, from, to, offset, finder.find(bytes, from, to), expected::add);
      looking.accept(buffer, from, to, offset, finder, found::add);
      from = to;
    }

    assertThat(found).isEqualTo(expected);
  }

  @Test
  void doesNotLookForCandidatesInAChunksMinimum() {
    ChunkerConfig config = ChunkerConfig.withAverage(4 << 20);
    CandidateFinder finder = new JavaBackend().finder(config.rule());
    AtomicLong searched = new AtomicLong();
    CandidateFinder counting =
        new CandidateFinder() {
          @Override
          public int window() {
            return finder.window();
          }

          @Override
          public int[] find(byte[] bytes, int from, int to) {
            throw new AssertionError("The selector has a buffer");
          }

          @Override
          public int[] find(ByteBuffer bytes, int from, int to) {
            searched.addAndGet(to - from);
            return finder.find(bytes, from, to);
          }
        };
    BoundarySelector selector = new BoundarySelector(config);
    byte[] bytes = new byte[Chunker.HALO + (64 << 20)];
    new Random(7).nextBytes(bytes);
    for (int from = Chunker.HALO; from < bytes.length; from += 1 << 20) {
      int to = from + (1 << 20);
      selector.accept(ByteBuffer.wrap(bytes), from, to, from - Chunker.HALO, counting, cuts::add);
    }

    assertThat(cuts).hasSizeGreaterThan(8);
    assertThat(searched.get()).isLessThan((64 << 20) * 6L / 10);
  }
}
