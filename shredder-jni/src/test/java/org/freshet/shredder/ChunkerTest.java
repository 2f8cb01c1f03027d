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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChunkerTest {
  private static final ChunkerConfig SMALL = ChunkerConfig.withAverage(1024);
  private static final RecordAlignment LINES = RecordAlignment.lines();
  private static final Backend JAVA = new JavaBackend();

  private static List<Chunk> chunk(byte[] content, ChunkerConfig config, RecordAlignment alignment)
      throws IOException {
    return new Chunker(config.with(alignment), JAVA).chunk(Sources.of(content));
  }

  private static void assertCovers(List<Chunk> chunks, byte[] content) {
    Sha256 sha256 = new Sha256();
    long offset = 0;
    for (Chunk chunk : chunks) {
      assertThat(chunk.offset()).isEqualTo(offset);
      offset = chunk.end();
      sha256.update(
          new ChunkDigester.Piece(
              ByteBuffer.wrap(content), (int) chunk.offset(), (int) chunk.end()));
      assertThat(chunk.digest()).isEqualTo(sha256.end());
    }
    assertThat(offset).isEqualTo(content.length);
  }

  @Property(tries = 60)
  void chunksOfAnyContentCoverItWithinTheSizesAskedFor(
      @ForAll long seed, @ForAll @IntRange(max = 60_000) int length) throws IOException {
    byte[] content = Sources.random(length, seed);

    List<Chunk> chunks = chunk(content, SMALL, RecordAlignment.none());

    assertCovers(chunks, content);
    for (int i = 0; i < chunks.size(); i++) {
      long atLeast = i == chunks.size() - 1 ? 1 : SMALL.minSize();
      assertThat(chunks.get(i).length()).isBetween(atLeast, SMALL.maxSize());
    }
  }

  @Property(tries = 60)
  void chunksOfTextAreWholeLines(@ForAll long seed, @ForAll @IntRange(max = 800) int count)
      throws IOException {
    byte[] content = Sources.bytes(Sources.lines(count, seed));

    List<Chunk> chunks = chunk(content, SMALL, LINES);

    assertCovers(chunks, content);
    for (Chunk chunk : chunks) {
      assertThat(content[(int) chunk.end() - 1]).isEqualTo((byte) '\n');
      // The longest line has 121 bytes.
      assertThat(chunk.length()).isLessThan(SMALL.maxSize() + 121);
    }
    chunks.stream()
        .limit(Math.max(0, chunks.size() - 1))
        .forEach(chunk -> assertThat(chunk.length()).isGreaterThanOrEqualTo(SMALL.minSize()));
  }

  @Property(tries = 60)
  void theSpansReadHaveNoInfluence(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3000) int spanBytes,
      @ForAll @IntRange(max = 7) int held,
      @ForAll boolean lines)
      throws IOException {
    byte[] content = Sources.bytes(Sources.lines(300, seed));
    RecordAlignment alignment = lines ? LINES : RecordAlignment.none();
    Chunker spans =
        new Chunker(
            SMALL.with(alignment),
            new HoldingBackend(),
            new Chunker.Pieces(
                spanBytes, 1, HoldingBackend.WIDTH, held * spanBytes, Long.MAX_VALUE));
    List<Chunk> expected = chunk(content, SMALL, alignment);

    assertThat(spans.chunk(Sources.of(content))).isEqualTo(expected);
    assertThat(spans.chunk(new ByteArrayInputStream(content))).isEqualTo(expected);
    assertThat(spans.chunk(content)).isEqualTo(expected);
  }

  @Test
  void chunksMeasureTheAverageAskedFor() throws IOException {
    byte[] content = Sources.random(16 << 20, 1);
    for (int average : new int[] {512, 4096, 10_000}) {
      ChunkerConfig config = ChunkerConfig.withAverage(average);

      double mean = (double) content.length / chunk(content, config, RecordAlignment.none()).size();

      assertThat(mean).isBetween(0.95 * average, 1.05 * average);
    }
  }

  @Test
  void editingALineChangesAboutOneChunk() throws IOException {
    List<String> lines = Sources.lines(20_000, 3);
    Set<String> before = digests(chunk(Sources.bytes(lines), SMALL, LINES));
    Random random = new Random(4);
    int changed = 0;
    int edits = 90;
    for (int i = 0; i < edits; i++) {
      List<String> edited = new ArrayList<>(lines);
      int at = random.nextInt(edited.size());
      switch (i % 3) {
        case 0 -> edited.add(at, "an inserted line " + i + "\n");
        case 1 -> edited.remove(at);
        default -> edited.set(at, edited.get(at).replace('e', 'f') + "and more\n");
      }
      Set<String> after = digests(chunk(Sources.bytes(edited), SMALL, LINES));
      after.removeAll(before);
      // A candidate made or lost may shift cuts until both sequences meet in a common candidate.
      assertThat(after).hasSizeLessThan(15);
      changed += after.size();
    }

    assertThat((double) changed / edits).isBetween(0.9, 1.6);
  }

  private static Set<String> digests(List<Chunk> chunks) {
    Set<String> digests = new HashSet<>();
    for (Chunk chunk : chunks) {
      digests.add(Arrays.toString(chunk.digest()));
    }
    return digests;
  }

  @Test
  void zerosMakeChunksOfTheMaximum() throws IOException {
    byte[] zeros = new byte[10 * (int) SMALL.maxSize() + 5];

    List<Chunk> chunks = chunk(zeros, SMALL, RecordAlignment.none());

    assertCovers(chunks, zeros);
    assertThat(chunks).hasSize(11);
    assertThat(digests(chunks)).hasSize(2);
  }

  @Test
  void contentWithoutALineEndIsOneChunk() throws IOException {
    byte[] content = Sources.random(100_000, 9);
    for (int i = 0; i < content.length; i++) {
      content[i] = content[i] == '\n' ? 0 : content[i];
    }

    List<Chunk> chunks = chunk(content, SMALL, LINES);

    assertThat(chunks).hasSize(1);
    assertCovers(chunks, content);
  }

  @Test
  void emptySourceHasNoChunkAndATinyOneHasOne() throws IOException {
    assertThat(chunk(new byte[0], SMALL, LINES)).isEmpty();
    for (int length : new int[] {1, 2, 63, 64, 65, SMALL.minSize() - 1}) {
      byte[] content = Sources.random(length, length);
      List<Chunk> chunks = chunk(content, SMALL, RecordAlignment.none());
      assertThat(chunks).hasSize(1);
      assertCovers(chunks, content);
    }
  }

  @Test
  void noticesASourceThatIsShorterOrLongerThanItSays() {
    byte[] content = Sources.random(5000, 5);
    Chunker chunker = new Chunker(SMALL, JAVA);

    assertThatThrownBy(() -> chunker.chunk(Sources.claiming(content, 5001)))
        .isInstanceOf(SourceChangedException.class)
        .hasMessageContaining("5000")
        .hasMessageContaining("5001");
    assertThatThrownBy(() -> chunker.chunk(Sources.claiming(content, 4999)))
        .isInstanceOf(SourceChangedException.class)
        .hasMessageContaining("4999");
    assertThatThrownBy(() -> chunker.chunk(Sources.claiming(content, 0)))
        .isInstanceOf(SourceChangedException.class);
  }

  @Test
  void boundariesStayWhatTheyWereInEarlierVersions() throws IOException {
    // Chunk lists are kept between versions: if this fails, the rule must change its name.
    List<Chunk> chunks = chunk(Sources.random(20_000, 2026), SMALL, RecordAlignment.none());

    assertThat(chunks.stream().map(Chunk::end).limit(8))
        .containsExactly(818L, 1396L, 2806L, 3682L, 4229L, 5008L, 7086L, 8184L);
  }

  @Test
  void rabinBoundariesStayWhatTheyWereInEarlierVersions() {
    ChunkerConfig config = ChunkerConfig.builder().rabin().maskBits(10).marker(0x78).build();
    List<Long> cuts = new ArrayList<>();

    new Chunker(config, JAVA).boundaries(Sources.random(20_000, 2026), cuts::add);

    assertThat(cuts.stream().limit(8))
        .containsExactly(312L, 1168L, 1692L, 4176L, 6058L, 6187L, 6764L, 6823L);
  }

  @Test
  void boundariesAreTheEndsOfTheChunksInEveryForm(@TempDir Path directory) throws IOException {
    byte[] content = Sources.bytes(Sources.lines(2000, 12));
    Path file = Files.write(directory.resolve("file"), content);
    Chunker chunker = new Chunker(SMALL.with(LINES), JAVA, new Chunker.Pieces(5000, 5000, 1, 0, 0));
    List<Chunk> chunks = chunker.chunk(content);
    List<Long> ends = chunks.stream().map(Chunk::end).toList();

    List<Long> ofArray = new ArrayList<>();
    chunker.boundaries(content, ofArray::add);
    List<Long> ofBuffer = new ArrayList<>();
    chunker.boundaries(
        ByteBuffer.allocateDirect(content.length).put(content).flip(), ofBuffer::add);
    List<Long> ofFile = new ArrayList<>();
    chunker.boundaries(file, ofFile::add);
    List<Long> ofStream = new ArrayList<>();
    chunker.boundaries(new ByteArrayInputStream(content), ofStream::add);

    assertThat(ends).hasSizeGreaterThan(50);
    assertThat(ofArray).isEqualTo(ends);
    assertThat(ofBuffer).isEqualTo(ends);
    assertThat(ofFile).isEqualTo(ends);
    assertThat(ofStream).isEqualTo(ends);
    assertThat(chunker.chunk(file)).isEqualTo(chunks);
  }

  @Test
  void aBufferIsCutBetweenItsPositionAndItsLimit() {
    byte[] content = Sources.random(50_000, 13);
    List<Chunk> whole = new Chunker(SMALL, JAVA).chunk(Arrays.copyOfRange(content, 700, 40_000));
    for (ByteBuffer buffer :
        List.of(ByteBuffer.wrap(content), ByteBuffer.allocateDirect(50_000).put(content))) {
      buffer.limit(40_000).position(700);

      assertThat(new Chunker(SMALL, JAVA).chunk(buffer)).isEqualTo(whole);
      assertThat(buffer.position()).isEqualTo(700);
      assertThat(buffer.limit()).isEqualTo(40_000);
      assertThat(new Chunker(SMALL, JAVA).chunk(buffer.asReadOnlyBuffer())).isEqualTo(whole);
    }
  }

  @Test
  void aStreamIsReadToItsEndAndLeftOpen() throws IOException {
    byte[] content = Sources.random(5000, 14);
    boolean[] closed = new boolean[1];
    ByteArrayInputStream in =
        new ByteArrayInputStream(content) {
          @Override
          public void close() {
            closed[0] = true;
          }
        };
    in.skip(1000);

    List<Chunk> chunks = new Chunker(SMALL, JAVA).chunk(in);

    assertThat(chunks)
        .isEqualTo(new Chunker(SMALL, JAVA).chunk(Arrays.copyOfRange(content, 1000, 5000)));
    assertThat(in.read()).isNegative();
    assertThat(closed[0]).isFalse();
  }

  @Test
  void chunkIsAValue() {
    byte[] sha256 = new byte[32];
    Chunk chunk = new Chunk(5, 7, sha256);
    sha256[0] = 1;
    chunk.digest()[1] = 1;

    assertThat(chunk).isEqualTo(new Chunk(5, 7, new byte[32])).hasSameHashCodeAs(chunk);
    assertThat(chunk)
        .isNotEqualTo(new Chunk(5, 7, sha256))
        .isNotEqualTo(new Chunk(5, 8, new byte[32]));
    assertThatThrownBy(() -> new Chunk(0, 0, sha256)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Chunk(0, 1, new byte[20]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("20");
  }

  @Test
  void asManyChunksWaitForEachOtherAsThereIsMemoryFor() {
    int tooMuch = Integer.MAX_VALUE;
    Chunker.Pieces pieces =
        new Chunker.Pieces(
            1000,
            1000,
            List.of(
                new Chunker.Pieces.Width(32, tooMuch),
                new Chunker.Pieces.Width(16, 5000),
                new Chunker.Pieces.Width(3, 1000)),
            0);

    assertThat(pieces.width()).isEqualTo(16);
    assertThat(pieces.heldSpans()).isEqualTo(10);
    assertThat(pieces.width(2)).isEqualTo(16);
    assertThat(pieces.heldSegments(2)).isEqualTo(10);

    // As much memory as there may be for one source is enough for one of two threads, not for one
    // of three.
    int segment = 4096;
    long bearable = Math.min(Runtime.getRuntime().maxMemory() / 8, 1 << 30);
    int forOne = (int) (bearable / segment - 12) * segment;
    Chunker.Pieces half =
        new Chunker.Pieces(
            segment,
            segment,
            List.of(new Chunker.Pieces.Width(32, forOne), new Chunker.Pieces.Width(3, segment)),
            0);
    assertThat(half.width(2)).isEqualTo(32);
    assertThat((long) half.heldSegments(2) * segment).isBetween((long) forOne, bearable);
    assertThat(half.width(3)).isEqualTo(3);

    Chunker.Pieces few = new Chunker.Pieces(1000, 1 << 20, 3, tooMuch, 0);
    assertThat(few.width()).isEqualTo(3);
    assertThat((long) few.heldSpans() * 1000)
        .isBetween(1L, Runtime.getRuntime().maxMemory() / 8 + 1000);
    assertThat((long) few.segments(2) << 20)
        .isBetween(1L, Math.max(10L << 20, Runtime.getRuntime().maxMemory() / 8));
  }
}
