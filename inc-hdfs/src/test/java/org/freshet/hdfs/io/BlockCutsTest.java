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
package org.freshet.hdfs.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.RecordAlignment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Simulates HDFS, which ends a block at the block size. */
class BlockCutsTest {
  private static final int AVERAGE = 4096;
  private static final byte[] CONTENT = Content.text(1, 64 << 20);

  private final ChunkerConfig chunker =
      ChunkerConfig.withAverage(AVERAGE).with(RecordAlignment.lines());

  @ParameterizedTest
  @ValueSource(ints = {16, 32, 64, 200})
  void noMoreThanATenthMoreBlocksAndMostEndAtCuts(int chunksInBlock) {
    int blockSize = chunksInBlock * AVERAGE;
    assertThat(BlockCuts.suit(chunker, blockSize)).isTrue();
    Set<Long> chunkEnds = new HashSet<>();
    List<Long> blocks = blockEnds(CONTENT, blockSize, chunkEnds);
    assertThat(blocks.size()).isLessThan((int) (1.1 * CONTENT.length / blockSize) + 1);
    assertThat(blocks.stream().filter(chunkEnds::contains).count())
        .isGreaterThan(blocks.size() * 8L / 10);
    long start = 0;
    for (long end : blocks.subList(0, blocks.size() - 1)) {
      assertThat(end - start).isBetween(blockSize / 4 * 3L, (long) blockSize);
      start = end;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1000, 50_000, 1_000_000})
  void blocksAreFoundAgainBehindAnInsertion(int inserted) {
    int blockSize = 32 * AVERAGE;
    int at = 10 << 20;
    byte[] edited = new byte[CONTENT.length + inserted];
    System.arraycopy(CONTENT, 0, edited, 0, at);
    System.arraycopy(Content.text(2, inserted), 0, edited, at, inserted);
    System.arraycopy(CONTENT, at, edited, at + inserted, CONTENT.length - at);
    Set<Long> before = new HashSet<>(blockEnds(CONTENT, blockSize, new HashSet<>()));
    List<Long> after = blockEnds(edited, blockSize, new HashSet<>());
    long same =
        after.stream().filter(end -> before.contains(end > at ? end - inserted : end)).count();
    assertThat(same).isGreaterThan(before.size() * 9L / 10);
  }

  @Test
  void smallBlocksAreLeftToHdfs() {
    assertThat(BlockCuts.suit(chunker, 15 * AVERAGE)).isFalse();
    assertThat(BlockCuts.suit(ChunkerConfig.withAverage(4 << 20), 64 << 20)).isTrue();
  }

  @Test
  void aFileThatMayHaveFewMoreBlocksGetsFullOnes() {
    int blockSize = 16 * AVERAGE;
    int most = CONTENT.length / blockSize + 1;
    BlockCuts cuts = BlockCuts.forNewFile(chunker, blockSize).upTo(most);
    Set<Long> chunkEnds = new HashSet<>();
    List<Long> ends = blockEnds(CONTENT, blockSize, chunkEnds, cuts);

    assertThat(ends).hasSizeLessThanOrEqualTo(most + most / 20 + 1);
    assertThat(ends.subList(0, most / 2 - 1)).anyMatch(chunkEnds::contains);
    for (int i = most / 2; i < ends.size() - 1; i++) {
      assertThat(ends.get(i) - ends.get(i - 1)).isEqualTo(blockSize);
    }
    assertThat(blockEnds(CONTENT, blockSize, chunkEnds, BlockCuts.forNewFile(chunker, blockSize)))
        .hasSizeGreaterThan(ends.size());
  }

  private List<Long> blockEnds(byte[] content, int blockSize, Set<Long> chunkEnds) {
    return blockEnds(content, blockSize, chunkEnds, BlockCuts.forNewFile(chunker, blockSize));
  }

  private List<Long> blockEnds(byte[] content, int blockSize, Set<Long> chunkEnds, BlockCuts cuts) {
    List<Long> ends = new ArrayList<>();
    new Chunker(chunker)
        .boundaries(
            content,
            cut -> {
              chunkEnds.add(cut);
              while (cut - last(ends) >= blockSize) {
                ends.add(last(ends) + blockSize);
              }
              if (cuts.endBlock(cut, content, (int) cut) && last(ends) < cut) {
                ends.add(cut);
              }
            });
    if (last(ends) < content.length) {
      ends.add((long) content.length);
    }
    return ends;
  }

  private static long last(List<Long> ends) {
    return ends.isEmpty() ? 0 : ends.get(ends.size() - 1);
  }
}
