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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import org.freshet.hdfs.format.NotCuttableException;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.ChunkerConfig;

/** The oracle is the format, which reads the whole file. */
class FramedSearchTest {
  private static final ExecutorService EXECUTOR = Executors.newFixedThreadPool(2);

  @AfterContainer
  static void stop() {
    EXECUTOR.shutdownNow();
  }

  @Property(tries = 150)
  void piecesOfAnySizeGiveTheChunksOfTheWhole(
      @ForAll ContainerKind kind,
      @ForAll @IntRange(min = 1, max = 300_000) int bytes,
      @ForAll @IntRange(min = 1, max = 20_000) int longestRecord,
      @ForAll @IntRange(min = 66, max = 30_000) int average,
      @ForAll @IntRange(min = 1, max = 100_000) int longestPiece,
      @ForAll long seed)
      throws IOException {
    byte[] file = kind.file(ContainerKind.records(seed, bytes, longestRecord));
    ChunkerConfig sizes = ChunkerConfig.of(64, average, 4 * average);
    CollectingTarget target = new CollectingTarget(0);
    ChunkingPipe pipe =
        new ChunkingPipe(
            FramedSearch.of(kind.format(), sizes, Backends.preferred()), EXECUTOR, 0, target);
    List<Chunk> chunks = write(pipe, file, 0, new Random(seed), longestPiece);
    assertThat(target.bytes.toByteArray()).isEqualTo(file);
    assertThat(chunks).isEqualTo(oracle(kind, file, sizes));
    List<Long> ends = chunks.stream().map(Chunk::end).toList();
    assertThat(ends).startsWith(target.cuts.toArray(new Long[0]));
    assertThat(ends.size() - target.cuts.size()).isBetween(0, 1);
  }

  @Property(tries = 60)
  void aSearchThatGoesOnFromAnyChunkFindsTheRest(
      @ForAll ContainerKind kind,
      @ForAll @IntRange(min = 1, max = 100_000) int bytes,
      @ForAll @IntRange(min = 66, max = 10_000) int average,
      @ForAll @IntRange(min = 1, max = 50_000) int longestPiece,
      @ForAll long seed)
      throws IOException {
    byte[] file = kind.file(ContainerKind.records(seed, bytes, 3000));
    ChunkerConfig sizes = ChunkerConfig.of(64, average, 4 * average);
    List<Chunk> all = oracle(kind, file, sizes);
    Random random = new Random(seed);
    int first = 1 + random.nextInt(all.size() - 1);
    int start = (int) all.get(first).offset();
    byte[] header = Arrays.copyOf(file, (int) all.get(0).length());
    ChunkingPipe pipe =
        new ChunkingPipe(
            FramedSearch.from(kind.format(), sizes, Backends.preferred(), header, start),
            EXECUTOR,
            start,
            new CollectingTarget(start));
    assertThat(write(pipe, file, start, random, longestPiece))
        .isEqualTo(all.subList(first, all.size()));
  }

  /** Cut short or damaged: told, unless the format takes it for a file, too. */
  @Property(tries = 150)
  void whatTheFormatLeavesWholeHasNoChunks(
      @ForAll ContainerKind kind,
      @ForAll @IntRange(min = 4, max = 8000) int length,
      @ForAll boolean damaged,
      @ForAll @IntRange(min = 1, max = 5000) int longestPiece,
      @ForAll long seed)
      throws IOException {
    byte[] whole = kind.file(ContainerKind.records(seed, 8000, 500));
    byte[] file = Arrays.copyOf(whole, Math.min(whole.length, length));
    Random random = new Random(seed);
    if (damaged && length > 4) {
      file[4 + random.nextInt(file.length - 4)] ^= (byte) (1 << random.nextInt(8));
    }
    ChunkerConfig sizes = ChunkerConfig.of(64, 500, 2000);
    CollectingTarget target = new CollectingTarget(0);
    ChunkingPipe pipe =
        new ChunkingPipe(
            FramedSearch.of(kind.format(), sizes, Backends.preferred()), EXECUTOR, 0, target);
    var oracle = kind.format().chunks(source(file), sizes, null, 1);
    if (oracle.isPresent()) {
      assertThat(write(pipe, file, 0, random, longestPiece)).isEqualTo(oracle.get());
    } else {
      assertThatThrownBy(() -> write(pipe, file, 0, random, longestPiece))
          .isInstanceOf(NotCuttableException.class);
    }
    assertThat(target.bytes.toByteArray()).isEqualTo(file);
  }

  private static List<Chunk> write(
      ChunkingPipe pipe, byte[] file, int start, Random random, int longestPiece)
      throws IOException {
    try (pipe) {
      for (int at = start; at < file.length; ) {
        int count = Math.min(file.length - at, 1 + random.nextInt(longestPiece));
        pipe.write(file, at, count);
        at += count;
        if (random.nextInt(3) == 0) {
          pipe.drain();
        }
      }
      pipe.drain();
      if (pipe.failure() instanceof NotCuttableException e) {
        throw e;
      }
      return pipe.finish();
    }
  }

  private static List<Chunk> oracle(ContainerKind kind, byte[] file, ChunkerConfig sizes)
      throws IOException {
    return kind.format().chunks(source(file), sizes, null, 1).orElseThrow();
  }

  private static ByteSource source(byte[] bytes) {
    return new ByteSource() {
      @Override
      public long length() {
        return bytes.length;
      }

      @Override
      public InputStream open(long offset) {
        int from = (int) offset;
        return new ByteArrayInputStream(bytes, from, bytes.length - from);
      }
    };
  }
}
