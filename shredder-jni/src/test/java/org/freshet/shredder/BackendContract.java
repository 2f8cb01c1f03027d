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
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * What every backend must do, whatever it is made of. A test class for a backend extends this one
 * and says which backend; it adds what is the backend's own. Methods are public because those
 * classes lie in other packages.
 */
public abstract class BackendContract {
  /** The polynomial, window, sizes and mask of the public vectors. */
  private static final ChunkerConfig VECTORS =
      ChunkerConfig.builder()
          .rabin(0x3DA3358B4DC173L, 64)
          .maskBits(20)
          .minSize(512 << 10)
          .maxSize(8 << 20)
          .build();

  /** The backend that is to be tested; the same one at each call. */
  protected abstract Backend backend();

  /** Rules whose candidates are a few hundred bytes apart at most. */
  @Provide
  protected Arbitrary<CandidateRule> rules() {
    return Rules.dense();
  }

  /** Content of every kind, up to a few kilobytes, often shorter than a window. */
  @Provide
  protected Arbitrary<byte[]> contents() {
    return Arbitraries.oneOf(Rules.content(150), Rules.content(5000));
  }

  /** Longer content, for comparisons with the Java backend. */
  @Provide
  protected Arbitrary<byte[]> longContents() {
    return Rules.content(300_000);
  }

  @Property(tries = 150)
  public void findsWhatTheDefinitionSays(
      @ForAll("rules") CandidateRule rule, @ForAll("contents") byte[] bytes) {
    int from = Math.min(bytes.length, rule.window() - 1);
    if (from == rule.window() - 1) {
      int[] found = backend().finder(rule).find(bytes, from, bytes.length);

      assertThat(found).isEqualTo(Oracle.candidates(rule, bytes, from, bytes.length));
    }
  }

  @Property(tries = 150)
  public void findsWhatJavaFinds(
      @ForAll("rules") CandidateRule rule, @ForAll("longContents") byte[] bytes) {
    CandidateFinder java = new JavaBackend().finder(rule);
    int from = Math.min(bytes.length, rule.window() - 1);
    if (from == rule.window() - 1) {
      int[] found = backend().finder(rule).find(bytes, from, bytes.length);

      assertThat(found).isEqualTo(java.find(bytes, from, bytes.length));
    }
  }

  @Property(tries = 150)
  public void findsTheSameInEveryKindOfBuffer(
      @ForAll("rules") CandidateRule rule,
      @ForAll("longContents") byte[] bytes,
      @ForAll @IntRange(max = 70) int inFront) {
    CandidateFinder finder = backend().finder(rule);
    int from = Math.min(bytes.length, rule.window() - 1);
    if (from < rule.window() - 1) {
      return;
    }
    int[] inArray = finder.find(bytes, from, bytes.length);
    ByteBuffer heap = ByteBuffer.allocate(inFront + bytes.length + 3);
    heap.put(inFront, bytes);
    ByteBuffer direct = ByteBuffer.allocateDirect(inFront + bytes.length + 3);
    direct.put(inFront, bytes);
    for (ByteBuffer whole :
        List.of(heap, direct, heap.asReadOnlyBuffer(), direct.asReadOnlyBuffer())) {
      ByteBuffer slice = whole.slice(inFront, bytes.length).order(ByteOrder.LITTLE_ENDIAN);
      slice.position(bytes.length / 3).limit(bytes.length / 2);

      assertThat(finder.find(slice, from, bytes.length)).isEqualTo(inArray);
      assertThat(slice.position()).isEqualTo(bytes.length / 3);
      assertThat(slice.limit()).isEqualTo(bytes.length / 2);

      int[] behind = finder.find(whole, inFront + from, inFront + bytes.length);
      assertThat(IntStream.of(behind).map(p -> p - inFront).toArray()).isEqualTo(inArray);
    }
  }

  @Property(tries = 150)
  public void findsTheSameInOnePieceAndInMany(
      @ForAll("rules") CandidateRule rule,
      @ForAll("longContents") byte[] bytes,
      @ForAll long seed) {
    CandidateFinder finder = backend().finder(rule);
    int from = Math.min(bytes.length, rule.window() - 1);
    if (from < rule.window() - 1) {
      return;
    }
    Random random = new Random(seed);
    IntStream parts = IntStream.empty();
    for (int at = from; at < bytes.length; ) {
      int to = Math.min(bytes.length, at + random.nextInt(random.nextBoolean() ? 200 : 100_000));
      parts = IntStream.concat(parts, IntStream.of(finder.find(bytes, at, to)));
      at = to;
    }

    assertThat(parts.toArray()).isEqualTo(finder.find(bytes, from, bytes.length));
  }

  @Property(tries = 150)
  public void candidatesDependOnTheWindowBeforeThemOnly(
      @ForAll("rules") CandidateRule rule,
      @ForAll("contents") byte[] content,
      @ForAll @IntRange(max = 500) int shift,
      @ForAll long seed) {
    int window = rule.window();
    if (content.length < window) {
      return;
    }
    byte[] shifted = Sources.random(shift + content.length + shift, seed);
    System.arraycopy(content, 0, shifted, shift, content.length);
    CandidateFinder finder = backend().finder(rule);

    int[] here = finder.find(content, window - 1, content.length);
    int[] there = finder.find(shifted, shift + window - 1, shift + content.length);

    assertThat(IntStream.of(there).map(p -> p - shift).toArray()).isEqualTo(here);
  }

  @Property(tries = 100)
  public void everyFormOfASourceHasTheCutsThatTheDefinitionSays(
      @ForAll("rules") CandidateRule rule,
      @ForAll("contents") byte[] bytes,
      @ForAll @IntRange(min = 1, max = 700) int min,
      @ForAll @IntRange(min = 0, max = 2000) int more,
      @ForAll boolean lines)
      throws IOException {
    ChunkerConfig config =
        new ChunkerConfig(
            rule,
            min,
            more == 0 ? ChunkerConfig.NO_MAXIMUM : min + more - 1L,
            lines ? RecordAlignment.lines() : RecordAlignment.none(),
            DigestAlgorithm.SHA_256);
    List<Long> expected = Oracle.cuts(config, bytes, p -> !lines || bytes[p - 1] == '\n');
    Chunker chunker = new Chunker(config, backend());
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();

    assertThat(ends(chunker.chunk(bytes))).isEqualTo(expected);
    assertThat(chunker.chunk(direct)).isEqualTo(chunker.chunk(bytes));
    assertThat(chunker.chunk(new ByteArrayInputStream(bytes))).isEqualTo(chunker.chunk(bytes));
    assertThat(chunker.chunk(Sources.of(bytes))).isEqualTo(chunker.chunk(bytes));
  }

  /** Whatever way the content comes, and whether chunks end within parts or cross many. */
  @Property(tries = 60)
  public void digestsAreThoseOfOtherLibraries(
      @ForAll @IntRange(max = 900_000) int length,
      @ForAll @IntRange(min = 8, max = 300_000) int average,
      @ForAll DigestAlgorithm algorithm,
      @ForAll long seed)
      throws Exception {
    byte[] bytes = Sources.random(length, seed);
    ChunkerConfig config = ChunkerConfig.withAverage(average).with(algorithm);
    Chunker chunker = new Chunker(config, backend(), new Chunker.Pieces(70_000, 50_000, 3, 9, 0));
    List<Chunk> expected = new ArrayList<>();
    long start = 0;
    List<Long> cuts = new ArrayList<>();
    chunker.boundaries(ByteBuffer.wrap(bytes), cuts::add);
    for (long cut : cuts) {
      byte[] digest =
          algorithm == DigestAlgorithm.BLAKE3
              ? Blake3Vectors.expected(bytes, (int) start, (int) cut)
              : sha256(bytes, (int) start, (int) cut);
      expected.add(new Chunk(start, cut - start, digest));
      start = cut;
    }

    assertThat(chunker.chunk(bytes)).isEqualTo(expected);
    assertThat(chunker.chunk(new ByteArrayInputStream(bytes))).isEqualTo(expected);
    assertThat(chunker.chunk(Sources.of(bytes))).isEqualTo(expected);
    ExecutorService executor = Executors.newFixedThreadPool(3);
    try {
      assertThat(chunker.chunk(Sources.of(bytes), executor, 3)).isEqualTo(expected);
    } finally {
      executor.shutdownNow();
    }
  }

  private static byte[] sha256(byte[] bytes, int from, int to) throws NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(bytes, from, to - from);
    return digest.digest();
  }

  @Test
  public void findsWhatJavaFindsInMegabytesForEveryMask() {
    byte[] bytes = Sources.random((4 << 20) + 77, 20);
    for (int bits = 1; bits <= 20; bits++) {
      long marker = 0x5A5A5 & ((1L << bits) - 1);
      List<CandidateRule> rules =
          List.of(
              CandidateRule.Gear.masked(bits, marker),
              CandidateRule.Gear.everyBytes((1 << bits) + bits),
              CandidateRule.SievedGear.everyBytes((2047 << (bits % 8)) + bits),
              CandidateRule.Rabin.published(bits, marker),
              new CandidateRule.Rabin(CandidateRule.Rabin.POLYNOMIAL, 64 - bits, bits, marker));
      for (CandidateRule rule : rules) {
        int[] found = backend().finder(rule).find(bytes, 63, bytes.length);

        assertThat(found)
            .as(rule.name())
            .isEqualTo(new JavaBackend().finder(rule).find(bytes, 63, bytes.length));
        assertThat(found.length)
            .as(rule.name())
            .isBetween((int) (0.5 * bytes.length / rule.meanGap()) - 20, bytes.length);
      }
    }
  }

  @Test
  public void allMayBeCandidatesOrNone() {
    byte[] zeros = new byte[100_000];
    CandidateRule all = CandidateRule.Rabin.published(13, 0);
    CandidateRule none = CandidateRule.Rabin.published(13, 0x78);

    assertThat(backend().finder(all).find(zeros, 47, zeros.length))
        .isEqualTo(IntStream.rangeClosed(48, zeros.length).toArray());
    assertThat(backend().finder(none).find(zeros, 47, zeros.length)).isEmpty();
  }

  /** As in content with a short period, of which one position in each is a candidate. */
  @Test
  public void candidatesMayComeFarMoreOftenThanInTheMean() {
    for (CandidateRule rule :
        List.of(
            CandidateRule.Gear.everyBytes(2048),
            CandidateRule.SievedGear.everyBytes(2048),
            CandidateRule.Rabin.published(11, 5))) {
      byte[] bytes = new byte[200_000];
      long seed = 0;
      do {
        byte[] period = Sources.random(16, seed++);
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = period[i % period.length];
        }
      } while (Oracle.candidates(rule, bytes, 63, 80).length == 0);

      int[] found = backend().finder(rule).find(bytes, 63, bytes.length);

      assertThat(found).isEqualTo(Oracle.candidates(rule, bytes, 63, bytes.length));
      assertThat(found).hasSizeGreaterThan(12_000);
    }
  }

  /** The sieve is made of weights and sums: bytes of the highest and lowest values strain it. */
  @Test
  public void sumsOfExtremeBytesDoNotOverflow() {
    CandidateRule rule = new CandidateRule.SievedGear(-1L);
    Random random = new Random(3);
    byte[] bytes = new byte[1 << 20];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(16) == 0 ? random.nextInt() : -random.nextInt(3));
    }

    int[] found = backend().finder(rule).find(bytes, 63, bytes.length);

    assertThat(found).isEqualTo(Oracle.candidates(rule, bytes, 63, bytes.length));
    assertThat(found).hasSizeBetween(500, 2000);
  }

  @Test
  public void runsOfOneByteHaveNoSievedCandidate() {
    CandidateFinder finder = backend().finder(new CandidateRule.SievedGear(-1L));
    for (int value = 0; value < 256; value++) {
      byte[] run = new byte[1000];
      Arrays.fill(run, (byte) value);

      assertThat(finder.find(run, 63, run.length)).as("byte %d", value).isEmpty();
    }
  }

  @Test
  public void needsAWholeWindowBeforeTheFirstPosition() {
    for (CandidateRule rule :
        List.of(
            CandidateRule.Gear.everyBytes(64),
            CandidateRule.SievedGear.everyBytes(2048),
            CandidateRule.Rabin.published(6, 1))) {
      CandidateFinder finder = backend().finder(rule);
      int first = finder.window() - 1;
      byte[] bytes = new byte[100];

      assertThat(finder.window()).isEqualTo(rule.window());
      assertThat(finder.find(new byte[first], first, first)).isEmpty();
      assertThat(finder.find(ByteBuffer.allocateDirect(first), first, first)).isEmpty();
      for (ByteBuffer buffer : List.of(ByteBuffer.wrap(bytes), ByteBuffer.allocateDirect(100))) {
        assertThatThrownBy(() -> finder.find(buffer, first - 1, 100))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> finder.find(buffer, first, 101))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> finder.find(buffer, 90, 80))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      assertThatThrownBy(() -> finder.find(bytes, first - 1, 100))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining(String.valueOf(first - 1));
      assertThatThrownBy(() -> finder.find(bytes, -1, 100))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> finder.find(bytes, first, 101))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> finder.find(bytes, 90, 80))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  public void oneFinderServesManyThreads() throws Exception {
    CandidateRule rule = CandidateRule.Rabin.published(8, 7);
    CandidateFinder finder = backend().finder(rule);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<int[]>> found = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        byte[] bytes = Sources.random(200_000, i);
        found.add(threads.submit(() -> finder.find(bytes, 47, bytes.length)));
      }
      for (int i = 0; i < found.size(); i++) {
        byte[] bytes = Sources.random(200_000, i);
        assertThat(found.get(i).get())
            .isEqualTo(new JavaBackend().finder(rule).find(bytes, 47, bytes.length));
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  public void helpFromAnExecutorChangesNothing() throws IOException {
    byte[] bytes = Sources.bytes(Sources.lines(60_000, 8));
    ChunkerConfig config = ChunkerConfig.withAverage(4096).with(RecordAlignment.lines());
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Chunk> expected = new Chunker(config, new JavaBackend()).chunk(bytes);
      for (int segment : new int[] {100_000, 1500}) {
        for (int held : new int[] {0, 4000, 30_000, 300_000}) {
          for (int width : new int[] {3, 16}) {
            Chunker.Pieces pieces = new Chunker.Pieces(segment, segment, width, held, 0);
            Chunker divided = new Chunker(config, backend(), pieces);

            assertThat(divided.chunk(Sources.of(bytes), threads, 3)).isEqualTo(expected);
            assertThat(divided.chunk(Sources.of(bytes))).isEqualTo(expected);
            assertThat(divided.chunk(bytes)).isEqualTo(expected);
          }
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * The vectors of {@code github.com/restic/chunker}, chunker_test.go: lengths of the chunks of 32
   * MiB of Go's random numbers from seed 23.
   */
  @Test
  public void cutsThePublicVectors() {
    byte[] bytes = GoRandom.bytes(23, 32 << 20);

    List<Chunk> chunks = new Chunker(VECTORS, backend()).chunk(bytes);

    assertThat(chunks.stream().map(Chunk::length))
        .containsExactly(
            2163460L, 643703L, 1528956L, 1955808L, 2222372L, 2538687L, 609606L, 1205738L, 959742L,
            4036109L, 1525894L, 1352720L, 811884L, 1282314L, 1318021L, 948640L, 645464L, 533758L,
            1128303L, 800374L, 2453512L, 2651975L, 237392L);
    assertThat(HexFormat.of().formatHex(chunks.get(0).digest()))
        .isEqualTo("4b94cb2cf293855ea43bf766731c74969b91aa6bf3c078719aabdd19860d590d");
    assertThat(HexFormat.of().formatHex(chunks.get(22).digest()))
        .isEqualTo("fcd567f5d866357a8e299fd5b2359bb2c8157c30395229c4e9b0a353944a7978");
  }

  /**
   * As the public vectors' authors do: zeros are cut at the minimum, for their fingerprint is 0.
   */
  @Test
  public void cutsZerosAtTheMinimumIfTheMarkerIsZero() {
    List<Chunk> chunks = new Chunker(VECTORS, backend()).chunk(new byte[4 * (512 << 10)]);

    assertThat(chunks).hasSize(4);
    for (Chunk chunk : chunks) {
      assertThat(chunk.length()).isEqualTo(512 << 10);
      assertThat(HexFormat.of().formatHex(chunk.digest()))
          .isEqualTo("07854d2fef297a06ba81685e660c332de36d5d18d546927d30daad6d7fda1541");
    }
  }

  @Test
  public void describesItself() {
    assertThat(backend().name()).isIn("java", "native", "cuda");
    assertThat(backend().description()).startsWith(backend().name());
  }

  private static List<Long> ends(List<Chunk> chunks) {
    return chunks.stream().map(Chunk::end).toList();
  }
}
