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

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.freshet.shredder.Backend;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.ChunkStream;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A source longer than an {@code int} can count, even unsigned, in every form; most of it is a hole
 * of a file. Java's chunks are those of what is behind the hole, with all that lies before it
 * known.
 */
@NeedsNative
class LargeSourceTest {
  private static final long HOLE = (4L << 30) + 12_345;
  private static final int MAX = 1 << 20;
  private static final ChunkerConfig CONFIG =
      ChunkerConfig.builder().maskBits(14).minSize(4096).maxSize(MAX).build();

  @TempDir private Path directory;
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private final List<Chunk> expected = new ArrayList<>();
  private Path file;
  private Chunker chunker;

  @BeforeEach
  void writeFile() throws IOException {
    byte[] content = Noise.bytes(3 << 20, 5);
    file = directory.resolve("large");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(content), HOLE);
    }
    // Zeros have no candidate, so the maximum cuts them, and content begins this far into a chunk.
    Backend java = Backends.named("java");
    byte[] zeros = new Chunker(CONFIG, java).chunk(new byte[MAX]).get(0).digest();
    int zerosInFront = (int) (HOLE % MAX);
    long begin = HOLE - zerosInFront;
    for (long offset = 0; offset < begin; offset += MAX) {
      expected.add(new Chunk(offset, MAX, zeros));
    }
    byte[] tail = new byte[zerosInFront + content.length];
    System.arraycopy(content, 0, tail, zerosInFront, content.length);
    for (Chunk chunk : new Chunker(CONFIG, java).chunk(tail)) {
      expected.add(new Chunk(begin + chunk.offset(), chunk.length(), chunk.digest()));
    }
    chunker = new Chunker(CONFIG, Backends.named("native"));
  }

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  private void assertExpected(List<Chunk> chunks) throws IOException {
    assertThat(chunks.get(chunks.size() - 1).end()).isEqualTo(Files.size(file));
    assertThat(chunks).hasSizeGreaterThan(4096 + 100).isEqualTo(expected);
  }

  @Test
  void aFileIsCutAndDigestedOnTwoThreads() throws IOException {
    assertExpected(chunker.chunk(ByteSource.of(file), threads, 2));
  }

  @Test
  @Tag("soak")
  void aFileIsCutAndDigestedOnOneThread() throws IOException {
    assertExpected(chunker.chunk(file));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  @Tag("soak")
  void aFileIsCutWithoutDigests(int parallelism) throws IOException {
    List<Long> cuts = new ArrayList<>();
    chunker.boundaries(ByteSource.of(file), threads, parallelism, cuts::add);

    assertThat(cuts).isEqualTo(expected.stream().map(Chunk::end).toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  @Tag("soak")
  void aStreamIsCutAndDigested(int parallelism) throws IOException {
    List<Chunk> chunks = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      chunker.chunk(in, threads, parallelism, chunks::add);
    }

    assertExpected(chunks);
  }

  @Test
  @Tag("soak")
  void whatIsHandedOverPieceByPieceIsCutAndDigested() throws IOException {
    List<Chunk> chunks = new ArrayList<>();
    ChunkStream stream = chunker.stream(chunks::add);
    ByteBuffer piece = ByteBuffer.allocate(1_000_003);
    try (FileChannel channel = FileChannel.open(file)) {
      while (channel.read(piece.clear()) > 0) {
        stream.update(piece.flip());
      }
    }
    assertThat(stream.finish()).isEqualTo(Files.size(file));

    assertExpected(chunks);
  }
}
