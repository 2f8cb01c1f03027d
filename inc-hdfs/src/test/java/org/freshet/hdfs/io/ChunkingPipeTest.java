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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.freshet.shredder.Backends;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chunks longer than spans, which are held for them; the oracle is the chunker. */
@Timeout(60)
class ChunkingPipeTest {
  private static final ExecutorService EXECUTOR = Executors.newFixedThreadPool(2);
  private static final int MEBIBYTE = 1 << 20;
  private static final byte[] CONTENT = content();

  @AfterAll
  static void stop() {
    EXECUTOR.shutdownNow();
  }

  /** Whatever became of a pipe, here or in a test before in the same JVM. */
  @BeforeEach
  @AfterEach
  void nothingIsHeldAnyMore() throws InterruptedException {
    assertThat(HeldSpans.MOST).isGreaterThan(ChunkingPipe.MOST_HELD);
    for (int wait = 0; HeldSpans.left() < HeldSpans.MOST && wait < 1000; wait++) {
      Thread.sleep(10);
    }
    assertThat(HeldSpans.left()).isEqualTo(HeldSpans.MOST);
  }

  @ParameterizedTest
  @ValueSource(ints = {1 << 12, 1 << 18, 1 << 20, 1 << 22, 1 << 25})
  void chunksOfAnySizeAreThoseOfTheWhole(int average) throws IOException {
    ChunkerConfig config = ChunkerConfig.withAverage(average);
    assertThat(throughPipe(config)).isEqualTo(new Chunker(config).chunk(CONTENT));
  }

  @Test
  void whereOthersHoldAllSpansChunksAreTheSame() throws IOException {
    ChunkerConfig config = ChunkerConfig.withAverage(2 * MEBIBYTE);
    List<Chunk> expected = new Chunker(config).chunk(CONTENT);
    for (int left : new int[] {0, 1, 3}) {
      int others = 0;
      while (HeldSpans.left() > left && HeldSpans.tryHold()) {
        others++;
      }
      try {
        assertThat(throughPipe(config)).isEqualTo(expected);
      } finally {
        for (; others > 0; others--) {
          HeldSpans.letGo(null);
        }
      }
    }
  }

  /** Many logs may be open for days. */
  @Test
  void whoFlushesAfterEveryRecordHoldsNothing() throws IOException {
    ChunkerConfig config = ChunkerConfig.withAverage(4 * MEBIBYTE);
    List<Chunk> expected = new Chunker(config).chunk(ByteBuffer.wrap(CONTENT, 0, 9 * MEBIBYTE));
    try (ChunkingPipe pipe = pipe(config, new CollectingTarget(0))) {
      for (int at = 0; at < 9 * MEBIBYTE; at += 1024) {
        pipe.write(CONTENT, at, 1024);
        pipe.drain();
        assertThat(HeldSpans.left()).isEqualTo(HeldSpans.MOST);
      }
      assertThat(pipe.finish()).isEqualTo(expected);
    }
  }

  @Test
  void aPipeThatIsNotFinishedLetsGo() throws IOException {
    ChunkerConfig config = ChunkerConfig.withAverage(16 * MEBIBYTE);
    CollectingTarget target = new CollectingTarget(0);
    try (ChunkingPipe pipe = pipe(config, target)) {
      pipe.write(CONTENT, 0, 7 * MEBIBYTE);
      pipe.drain();
      pipe.write(CONTENT, 0, 3 * MEBIBYTE);
    }
    assertThat(target.bytes.size()).isGreaterThanOrEqualTo(7 * MEBIBYTE);
  }

  /** The search fails while spans are held. */
  @Test
  void aPipeThatFailsPassesOnAllBytesAndLetsGo() throws IOException {
    ChunkerConfig config = ChunkerConfig.withAverage(4 * MEBIBYTE);
    PieceSearch sound = new AlignedSearch(config, Backends.preferred(), 0);
    PieceSearch failing =
        new PieceSearch() {
          @Override
          public Found next(byte[] bytes, int from, int to, long offset) throws IOException {
            if (offset > 10 * MEBIBYTE) {
              throw new IOException("as intended");
            }
            return sound.next(bytes, from, to, offset);
          }

          @Override
          public void end() {}
        };
    CollectingTarget target = new CollectingTarget(0);
    try (ChunkingPipe pipe = new ChunkingPipe(failing, EXECUTOR, 0, target)) {
      pipe.write(CONTENT, 0, CONTENT.length);
      pipe.drain();

      assertThat(pipe.failure()).hasMessage("as intended");
      assertThatThrownBy(pipe::finish).isInstanceOf(IOException.class);
      assertThat(target.bytes.toByteArray()).isEqualTo(CONTENT);
    }
  }

  /** What waits for being passed on is let go of, too. */
  @Test
  void aPipeWhoseTargetFailsLetsGo() throws IOException {
    ChunkerConfig config = ChunkerConfig.withAverage(4 * MEBIBYTE);
    ChunkingPipe.Target failing =
        new ChunkingPipe.Target() {
          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            throw new IOException("as intended");
          }

          @Override
          public void chunkEnds(long cut, byte[] bytes, int to) {}
        };
    try (ChunkingPipe pipe = pipe(config, failing)) {
      assertThatThrownBy(() -> pipe.write(CONTENT, 0, CONTENT.length)).hasMessage("as intended");
    }
  }

  private static ChunkingPipe pipe(ChunkerConfig config, ChunkingPipe.Target target) {
    return new ChunkingPipe(
        new AlignedSearch(config, Backends.preferred(), 0), EXECUTOR, 0, target);
  }

  private static List<Chunk> throughPipe(ChunkerConfig config) throws IOException {
    CollectingTarget target = new CollectingTarget(0);
    Random random = new Random(config.minSize());
    try (ChunkingPipe pipe = pipe(config, target)) {
      for (int at = 0; at < CONTENT.length; ) {
        int count = Math.min(CONTENT.length - at, 1 + random.nextInt(MEBIBYTE));
        pipe.write(CONTENT, at, count);
        at += count;
        if (random.nextInt(8) == 0) {
          pipe.drain();
        }
      }
      pipe.drain();
      List<Chunk> chunks = pipe.finish();
      assertThat(target.bytes.toByteArray()).isEqualTo(CONTENT);
      assertThat(chunks.stream().map(Chunk::end).toList())
          .startsWith(target.cuts.toArray(new Long[0]));
      return chunks;
    }
  }

  private static byte[] content() {
    byte[] bytes = new byte[48 * MEBIBYTE + 4711];
    new Random(11).nextBytes(bytes);
    return bytes;
  }
}
