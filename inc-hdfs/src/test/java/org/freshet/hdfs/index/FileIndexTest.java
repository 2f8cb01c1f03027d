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
package org.freshet.hdfs.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.freshet.shredder.Chunk;
import org.junit.jupiter.api.Test;

class FileIndexTest {
  private static final FileVersion VERSION = FileVersion.recorded("inode:17:100:5");

  private static List<Chunk> chunks(int count, int largest, long seed) {
    Random random = new Random(seed);
    List<Chunk> chunks = new ArrayList<>();
    long offset = 0;
    for (int i = 0; i < count; i++) {
      byte[] sha256 = new byte[32];
      random.nextBytes(sha256);
      long length = 1 + random.nextInt(largest);
      chunks.add(new Chunk(offset, length, sha256));
      offset += length;
    }
    return chunks;
  }

  private static byte[] index(List<Chunk> chunks, int pageChunks) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FileIndexContent content = new FileIndexContent("gear/lines", true, chunks);
    FileIndex.write(out, "inode 17", "/a/b", VERSION, content, pageChunks);
    return out.toByteArray();
  }

  private static List<Chunk> overlapping(List<Chunk> chunks, long from, long to) {
    return from == to
        ? List.of()
        : chunks.stream().filter(c -> c.offset() < to && c.end() > from).toList();
  }

  @Property(tries = 300)
  void anyRangeGivesTheChunksThatOverlapIt(
      @ForAll @IntRange(max = 400) int count,
      @ForAll @IntRange(min = 1, max = 40) int pageChunks,
      @ForAll @IntRange(min = 1, max = 1 << 24) int largest,
      @ForAll @LongRange(min = 0) long seed)
      throws IOException {
    List<Chunk> chunks = chunks(count, largest, seed);
    try (FileIndex index = BytesInput.open(index(chunks, pageChunks))) {
      assertThat(index.all()).isEqualTo(chunks);
      assertThat(index.count()).isEqualTo(count);
      assertThat(index.startsWithBom()).isTrue();
      assertThat(index.fingerprint()).isEqualTo("gear/lines");
      assertThat(index.version()).isEqualTo(VERSION);
      Random random = new Random(seed);
      for (int i = 0; i < 20; i++) {
        long from = index.length() == 0 ? 0 : random.nextLong(index.length() + 1);
        long to = from + random.nextLong(index.length() - from + 1);
        assertThat(index.chunksIn(from, to)).isEqualTo(overlapping(chunks, from, to));
      }
    }
  }

  @Test
  void everyCutIsABoundaryOfRanges() throws IOException {
    List<Chunk> chunks = chunks(30, 100, 1);
    try (FileIndex index = BytesInput.open(index(chunks, 7))) {
      for (Chunk chunk : chunks) {
        assertThat(index.chunksIn(chunk.offset(), chunk.end())).containsExactly(chunk);
        assertThat(index.chunksIn(chunk.end() - 1, chunk.end())).containsExactly(chunk);
        assertThat(index.chunksIn(chunk.end(), chunk.end())).isEmpty();
      }
    }
  }

  @Test
  void aRangeOfAHugeIndexReadsLittleOfIt() throws IOException {
    List<Chunk> chunks = chunks(300_000, 8 << 20, 2);
    byte[] bytes = index(chunks, 256);
    BytesInput in = new BytesInput(bytes);
    Chunk one = chunks.get(212_345);
    try (FileIndex index = in.open()) {
      assertThat(index.chunksIn(one.offset() + 1, one.end())).containsExactly(one);
      assertThat(in.readBytes()).isLessThan((64 << 10) + 15 * 10_300);
      assertThat(in.reads()).isLessThan(15);
    }
    // A hundredth of a percent of the file.
    assertThat((double) bytes.length / chunks.get(chunks.size() - 1).end()).isLessThan(1e-4);
  }

  @Test
  void aRangeOutsideTheFileIsAnError() throws IOException {
    try (FileIndex index = BytesInput.open(index(chunks(3, 10, 1), 2))) {
      assertThatThrownBy(() -> index.chunksIn(0, index.length() + 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> index.chunksIn(-1, 1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> index.chunksIn(2, 1)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void everyTruncationIsNoticed() throws IOException {
    byte[] intact = index(chunks(11, 100, 3), 4);
    for (int length = 0; length < intact.length; length++) {
      byte[] truncated = Arrays.copyOf(intact, length);
      assertThatThrownBy(() -> readAll(truncated))
          .as("%d bytes of %d", length, intact.length)
          .isInstanceOf(StreamCorruptedException.class);
    }
    byte[] longer = Arrays.copyOf(intact, intact.length + 1);
    assertThatThrownBy(() -> readAll(longer)).isInstanceOf(StreamCorruptedException.class);
  }

  @Test
  void everyFlippedBitIsNoticed() throws IOException {
    byte[] intact = index(chunks(11, 100, 4), 4);
    for (int bit = 0; bit < 8 * intact.length; bit++) {
      byte[] flipped = intact.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> readAll(flipped))
          .as("bit %d", bit)
          .isInstanceOf(StreamCorruptedException.class);
    }
  }

  @Test
  void everyReplacedByteIsNoticed() throws IOException {
    byte[] intact = index(chunks(11, 100, 4), 4);
    Random random = new Random(5);
    for (int i = 0; i < intact.length; i++) {
      byte[] replaced = intact.clone();
      replaced[i] += (byte) (1 + random.nextInt(255));
      assertThatThrownBy(() -> readAll(replaced))
          .as("byte %d", i)
          .isInstanceOf(StreamCorruptedException.class);
    }
  }

  @Test
  void damageInOnePageDoesNotHideInAnother() throws IOException {
    List<Chunk> chunks = chunks(12, 100, 6);
    byte[] damaged = index(chunks, 4);
    damaged[damaged.length - 10] ^= 1;
    try (FileIndex index = BytesInput.open(damaged)) {
      Chunk intact = chunks.get(3);
      assertThat(index.chunksIn(intact.offset(), intact.end())).containsExactly(intact);
      assertThatThrownBy(() -> index.chunksIn(index.length() - 1, index.length()))
          .isInstanceOf(StreamCorruptedException.class)
          .hasMessageContaining("page 2");
    }
  }

  @Test
  void pagesOfAnotherIndexAreNoticed() throws IOException {
    // Of the same length, so that only the pages' own checks can tell.
    byte[] one = index(chunks(8, 1, 7), 4);
    byte[] other = index(chunks(8, 1, 8), 4);
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    FileVersion version = FileVersion.recorded("inode:17:100:6");
    FileIndexContent content = new FileIndexContent("gear/lines", true, chunks(8, 1, 8));
    FileIndex.write(header, "inode 17", "/a/b", version, content, 4);
    assertThat(header.size()).isEqualTo(one.length).isEqualTo(other.length);
    byte[] mixed = one.clone();
    int pages = 2 * FileIndexPage.bytes(4);
    System.arraycopy(header.toByteArray(), one.length - pages, mixed, one.length - pages, pages);
    assertThatThrownBy(() -> readAll(mixed)).isInstanceOf(StreamCorruptedException.class);
  }

  @Test
  void pagesThatChangePlacesAreNoticed() throws IOException {
    byte[] bytes = index(chunks(12, 1, 9), 4);
    int page = FileIndexPage.bytes(4);
    int first = bytes.length - 3 * page;
    byte[] swapped = bytes.clone();
    System.arraycopy(bytes, first, swapped, first + page, page);
    System.arraycopy(bytes, first + page, swapped, first, page);
    assertThatThrownBy(() -> readAll(swapped)).isInstanceOf(StreamCorruptedException.class);
  }

  @Test
  void whatIsNoIndexIsRefused() {
    assertThatThrownBy(() -> readAll("This is some text, not an index.".getBytes(UTF_8)))
        .isInstanceOf(StreamCorruptedException.class)
        .hasMessageContaining("Magic");
  }

  private static List<Chunk> readAll(byte[] bytes) throws IOException {
    try (FileIndex index = BytesInput.open(bytes)) {
      return index.all();
    }
  }
}
