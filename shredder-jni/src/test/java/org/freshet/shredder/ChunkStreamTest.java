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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ChunkStreamTest {
  private static final Backend JAVA = new JavaBackend();

  @Provide
  Arbitrary<CandidateRule> rules() {
    return Rules.dense();
  }

  @Provide
  Arbitrary<byte[]> contents() {
    return Rules.content(20_000);
  }

  @Property(tries = 200)
  void equalsOneShotWhateverThePieces(
      @ForAll("rules") CandidateRule rule,
      @ForAll("contents") byte[] content,
      @ForAll @IntRange(min = 1, max = 400) int min,
      @ForAll @IntRange(min = 1, max = 3000) int spanBytes,
      @ForAll boolean lines,
      @ForAll long seed) {
    ChunkerConfig config =
        new ChunkerConfig(
            rule,
            min,
            5L * min + 100,
            lines ? RecordAlignment.lines() : RecordAlignment.none(),
            DigestAlgorithm.SHA_256);
    Chunker chunker = new Chunker(config, JAVA, new Chunker.Pieces(spanBytes, 1, 3, 5000, 0));
    List<Chunk> streamed = new ArrayList<>();
    List<Long> cuts = new ArrayList<>();
    ChunkStream chunks = chunker.stream(streamed::add);
    ChunkStream boundaries = chunker.streamBoundaries(cuts::add);
    Random random = new Random(seed);
    for (int at = 0; at < content.length; ) {
      int count = Math.min(content.length - at, random.nextInt(random.nextBoolean() ? 5 : 5000));
      byte[] piece = Arrays.copyOfRange(content, at, at + count);
      chunks.update(piece);
      ByteBuffer direct = ByteBuffer.allocateDirect(count).put(piece).flip();
      boundaries.update(direct);
      assertThat(direct.hasRemaining()).isFalse();
      at += count;
    }

    assertThat(chunks.finish()).isEqualTo(content.length);
    assertThat(boundaries.finish()).isEqualTo(content.length);
    List<Chunk> oneShot = new Chunker(config, JAVA).chunk(content);
    assertThat(streamed).isEqualTo(oneShot);
    assertThat(cuts).isEqualTo(oneShot.stream().map(Chunk::end).toList());
  }

  @Test
  void passesChunksOnBeforeTheSourceEnds() {
    List<Chunk> chunks = new ArrayList<>();
    ChunkStream stream = new Chunker(ChunkerConfig.withAverage(1024), JAVA).stream(chunks::add);

    stream.update(Sources.random(3 << 20, 1));

    assertThat(chunks).hasSizeGreaterThan(2500);
  }

  @Test
  void anEmptySourceHasNoChunk() {
    List<Chunk> chunks = new ArrayList<>();
    ChunkStream stream = new Chunker(ChunkerConfig.withAverage(1024), JAVA).stream(chunks::add);
    stream.update(new byte[0]);

    assertThat(stream.finish()).isZero();
    assertThat(chunks).isEmpty();
  }

  @Test
  void nothingComesAfterTheEnd() {
    List<Chunk> chunks = new ArrayList<>();
    ChunkStream stream = new Chunker(ChunkerConfig.withAverage(1024), JAVA).stream(chunks::add);
    stream.update(new byte[77]);
    stream.finish();

    assertThat(stream.finish()).isEqualTo(77);
    assertThat(chunks).hasSize(1);
    assertThatThrownBy(() -> stream.update(new byte[1]))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("77");
  }

  /** It must not be that the consumer goes on, and gets chunks that the source does not have. */
  @Test
  void nothingComesAfterAConsumerHasThrown() {
    byte[] content = Sources.random(3 << 20, 2);
    for (boolean inTheEnd : new boolean[] {false, true}) {
      List<Chunk> chunks = new ArrayList<>();
      Consumer<Chunk> once =
          chunk -> {
            chunks.add(chunk);
            if (inTheEnd ? chunk.end() == content.length : chunks.size() == 10) {
              throw new UncheckedIOException(new IOException("The consumer is meant to fail"));
            }
          };
      ChunkStream stream = new Chunker(ChunkerConfig.withAverage(1024), JAVA).stream(once);

      assertThatThrownBy(
              () -> {
                stream.update(content);
                stream.finish();
              })
          .hasMessageContaining("meant to fail");

      int passed = chunks.size();
      for (ThrowingCallable next :
          List.<ThrowingCallable>of(() -> stream.update(content), stream::finish)) {
        assertThatThrownBy(next)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("an exception was thrown");
      }
      assertThat(chunks).hasSize(passed);
    }
  }
}
