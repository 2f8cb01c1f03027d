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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ChunkDigester.Piece;
import org.freshet.shredder.DigestAlgorithm;
import org.freshet.shredder.UnfinishedDigest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Digests of several chunks at once are the JDK's, in whatever form. */
abstract class DigestContract {
  /** Bytes whose number of bits has more than 32 bits. */
  private static final int HUGE = (512 << 20) + 77;

  private final int forms;

  /**
   * @param forms those to be used
   */
  DigestContract(DigestForm... forms) {
    this.forms = Arrays.stream(forms).mapToInt(DigestForm::bit).reduce(0, (a, b) -> a | b);
  }

  /** Lengths around those at which the padding takes a block of its own, among others. */
  @Property(tries = 200)
  void theyAreTheJdks(
      @ForAll @IntRange(max = 100) int count,
      @ForAll @IntRange(max = 70) int from,
      @ForAll long seed)
      throws NoSuchAlgorithmException {
    Random random = new Random(seed);
    int[] ends = new int[count];
    int end = from;
    for (int i = 0; i < count; i++) {
      end += random.nextInt(4) == 0 ? random.nextInt(9000) : 50 + random.nextInt(20);
      ends[i] = end;
    }
    byte[] bytes = Noise.bytes(end + 3, seed);
    byte[] expected = expected(bytes, from, ends);

    assertThat(inArray(bytes, from, ends)).isEqualTo(expected);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    assertThat(inDirect(direct, from, ends)).isEqualTo(expected);
  }

  /** In pieces around a block's length or longer, here and there empty, in arrays and buffers. */
  @Property(tries = 300)
  void howTheyAreDividedIntoPiecesMakesNoDifference(
      @ForAll @IntRange(max = 40) int count, @ForAll long seed) throws NoSuchAlgorithmException {
    Random random = new Random(seed);
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    List<byte[]> arrays = new ArrayList<>();
    List<ByteBuffer> buffers = new ArrayList<>();
    IntStream.Builder places = IntStream.builder();
    int[] ends = new int[count];
    ByteBuffer expected = ByteBuffer.allocate(32 * count);
    int pieces = 0;
    for (int i = 0; i < count; i++) {
      for (int more = random.nextInt(6); more > 0; more--) {
        int length = random.nextInt(4) == 0 ? random.nextInt(9000) : random.nextInt(140);
        int from = random.nextInt(70);
        byte[] bytes = Noise.bytes(from + length + random.nextInt(3), random.nextLong());
        boolean direct = random.nextBoolean();
        places.add(arrays.size()).add(from).add(from + length);
        arrays.add(direct ? null : bytes);
        buffers.add(direct ? ByteBuffer.allocateDirect(bytes.length).put(bytes) : null);
        sha256.update(bytes, from, length);
        pieces++;
      }
      ends[i] = pieces;
      expected.put(sha256.digest());
    }

    byte[] digests =
        digest(
            forms,
            arrays.toArray(new byte[0][]),
            buffers.toArray(new ByteBuffer[0]),
            places.build().toArray(),
            ends);

    assertThat(digests).isEqualTo(expected.array());
  }

  @Test
  void everyLengthUpToFourBlocksIsRight() throws NoSuchAlgorithmException {
    int[] ends = IntStream.rangeClosed(0, 256).map(n -> n * (n + 1) / 2).toArray();
    byte[] bytes = Noise.bytes(ends[256], 5);

    assertThat(inArray(bytes, 0, ends)).isEqualTo(expected(bytes, 0, ends));
  }

  /** One long message among short ones, and every number of equal ones. */
  @Test
  void numbersOfChunksAndUnequalLengthsMakeNoDifference() throws NoSuchAlgorithmException {
    byte[] bytes = Noise.bytes(500_000, 7);
    for (int count = 0; count <= 40; count++) {
      int[] equal = IntStream.rangeClosed(1, count).map(i -> 11 + 1000 * i).toArray();
      int[] unequal = IntStream.rangeClosed(1, count).map(i -> 400_000 + 100 * i).toArray();
      for (int[] ends : new int[][] {equal, unequal}) {
        assertThat(inArray(bytes, 11, ends)).isEqualTo(expected(bytes, 11, ends));
      }
    }
  }

  @Test
  void lengthsInBitsNeedNotFitInAnInt(@TempDir Path directory)
      throws IOException, NoSuchAlgorithmException {
    Path file = directory.resolve("hole");
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, HUGE + 1000);
      bytes.put(5, (byte) 1).put(HUGE - 1, (byte) 2).put(HUGE, (byte) 3);
      int[] ends = {HUGE, HUGE + 1000};

      assertThat(inDirect(bytes, 0, ends)).isEqualTo(expected(bytes, 0, ends));
    }
  }

  @Test
  void lengthsMayBeVeryUnequal() throws NoSuchAlgorithmException {
    byte[] bytes = Noise.bytes(50_000_000, 8);
    int[] ends = {3_000_000, 9_000_000, 30_000_000, 30_000_001, 40_000_000, 49_999_999};

    assertThat(inArray(bytes, 7, ends)).isEqualTo(expected(bytes, 7, ends));
  }

  @Test
  void piecesOutsideTheBytesAreRefused() {
    byte[] bytes = new byte[1000];
    ByteBuffer direct = ByteBuffer.allocateDirect(1000);
    int most = Integer.MAX_VALUE;
    int least = Integer.MIN_VALUE;
    for (int[] place :
        new int[][] {
          {0, 0, 1001},
          {0, 10, 5},
          {0, -1, 5},
          {0, 0, -1},
          {0, 0, least},
          {0, least, most},
          {1, 0, 1},
          {-1, 0, 1},
          {least, 0, 1},
          {most, 0, 1}
        }) {
      int[] second = {0, 0, 1000, place[0], place[1], place[2]};
      for (int[] ends : new int[][] {{2}, {1, 2}, {1}, {}}) {
        assertThatThrownBy(() -> inArray(bytes, second, ends))
            .as(Arrays.toString(place))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> inDirect(direct, second, ends))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
    }
    int[] places = {0, 0, 10, 0, 10, 20};
    for (int[] ends : new int[][] {{3}, {2, 1}, {-1}, {1, least}, {most}}) {
      assertThatThrownBy(() -> inArray(bytes, places, ends))
          .as(Arrays.toString(ends))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(inArray(bytes, places, new int[] {2})).hasSize(32);
  }

  @Test
  void whatIsMissingOrDoesNotFitTogetherIsRefused() {
    byte[][] array = {new byte[1000]};
    ByteBuffer[] none = {null};
    int[] places = {0, 0, 1000};
    int[] ends = {1};
    assertThatThrownBy(() -> digest(forms, null, none, places, ends))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> digest(forms, array, null, places, ends))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> digest(forms, array, none, null, ends))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> digest(forms, array, none, places, null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> digest(forms, new byte[1][], none, places, ends))
        .isInstanceOf(NullPointerException.class);
    for (int unknown : new int[] {0, -1, 16 | forms, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> digest(unknown, array, none, places, ends))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> digest(forms, array, new ByteBuffer[2], places, ends))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> digest(forms, array, none, new int[4], ends))
        .isInstanceOf(IllegalArgumentException.class);
    for (long[] done : new long[][] {{}, {0, 0}, {-1}, {63}, {Long.MIN_VALUE}}) {
      assertThatThrownBy(
              () ->
                  NativeCalls.digest(forms, 9, false, array, none, places, ends, new int[8], done))
          .isInstanceOf(IllegalArgumentException.class);
    }
    long[] one = {0};
    assertThatThrownBy(
            () -> NativeCalls.digest(forms, 9, true, array, none, places, ends, new int[7], one))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> NativeCalls.digest(forms, -1, true, array, none, places, ends, new int[8], one))
        .isInstanceOf(IllegalArgumentException.class);
    ByteBuffer[] onHeap = {ByteBuffer.allocate(1000)};
    assertThatThrownBy(() -> digest(forms, new byte[1][], onHeap, places, ends))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** The digests one after the other, each of a chunk of which nothing has been digested. */
  static byte[] digest(int forms, byte[][] arrays, ByteBuffer[] buffers, int[] places, int[] ends) {
    int count = ends == null ? 0 : ends.length;
    int[] states = new int[8 * count];
    long[] done = new long[count];
    NativeCalls.digest(forms, Long.MAX_VALUE, false, arrays, buffers, places, ends, states, done);
    assertThat(done).isEqualTo(LongStream.generate(() -> -1).limit(count).toArray());
    ByteBuffer digests = ByteBuffer.allocate(32 * count);
    digests.asIntBuffer().put(states);
    return digests.array();
  }

  /** However much is digested at a time, and whatever comes to it meanwhile. */
  @Property(tries = 300)
  void whatIsLeftGoesOnWithOthers(
      @ForAll @IntRange(min = 1, max = 80) int count,
      @ForAll @IntRange(min = 1, max = 40_000) int most,
      @ForAll @IntRange(min = 2, max = 16) int width,
      @ForAll long seed)
      throws NoSuchAlgorithmException {
    Random random = new Random(seed);
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    NativeDigester digester =
        new NativeDigester(forms, Backends.named("java").digester(DigestAlgorithm.SHA_256), most);
    List<byte[]> expected = new ArrayList<>();
    List<UnfinishedDigest> all = new ArrayList<>();
    List<UnfinishedDigest> left = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<Piece> pieces = new ArrayList<>();
      for (int more = random.nextInt(5); more > 0; more--) {
        int length = random.nextInt(4) == 0 ? random.nextInt(9000) : random.nextInt(140);
        byte[] bytes = Noise.bytes(length + 5, random.nextLong());
        ByteBuffer buffer =
            random.nextBoolean()
                ? ByteBuffer.wrap(bytes)
                : ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
        pieces.add(new Piece(buffer, 3, 3 + length));
        sha256.update(bytes, 3, length);
      }
      expected.add(sha256.digest());
      UnfinishedDigest digest = new UnfinishedDigest(pieces);
      all.add(digest);
      left.add(digest);
      if (random.nextInt(8) == 0) {
        digester.digestSome(left, width);
        left.removeIf(UnfinishedDigest::hasEnded);
        assertThat(left).hasSizeLessThan(width);
      }
    }

    digester.digest(left);

    assertThat(all.stream().map(UnfinishedDigest::digest).toArray(byte[][]::new))
        .isDeepEqualTo(expected.toArray(new byte[0][]));
    assertThat(all).allMatch(chunk -> chunk.pieces() == 0);
  }

  @Test
  void aFilledFormLeavesFewerChunksThanItsWidth() {
    int width = DigestForm.widths(forms).min().orElseThrow();
    int apart = 10_000 + 6400 * width;
    byte[] bytes = Noise.bytes(apart * width, 4);
    int[] places = new int[3 * width];
    for (int i = 0; i < width; i++) {
      places[3 * i + 1] = apart * i;
      places[3 * i + 2] = apart * i + 10_000 + 6400 * i;
    }
    int[] ends = IntStream.rangeClosed(1, width).toArray();
    int[] states = new int[8 * width];
    long[] done = new long[width];

    NativeCalls.digest(
        forms,
        Long.MAX_VALUE,
        true,
        new byte[][] {bytes},
        new ByteBuffer[1],
        places,
        ends,
        states,
        done);

    assertThat(done[0]).isEqualTo(-1);
    for (int i = 1; i < width; i++) {
      assertThat(done[i]).isBetween(9_984L, 9_984L + 200);
    }
  }

  private byte[] inArray(byte[] bytes, int from, int[] ends) {
    return inArray(bytes, places(from, ends), IntStream.rangeClosed(1, ends.length).toArray());
  }

  private byte[] inArray(byte[] bytes, int[] places, int[] ends) {
    return digest(forms, new byte[][] {bytes}, new ByteBuffer[1], places, ends);
  }

  private byte[] inDirect(ByteBuffer bytes, int from, int[] ends) {
    return inDirect(bytes, places(from, ends), IntStream.rangeClosed(1, ends.length).toArray());
  }

  private byte[] inDirect(ByteBuffer bytes, int[] places, int[] ends) {
    return digest(forms, new byte[1][], new ByteBuffer[] {bytes}, places, ends);
  }

  /** Of chunks in one piece, that follow each other. */
  private static int[] places(int from, int[] ends) {
    int[] places = new int[3 * ends.length];
    int start = from;
    for (int i = 0; i < ends.length; i++) {
      places[3 * i + 1] = start;
      places[3 * i + 2] = ends[i];
      start = ends[i];
    }
    return places;
  }

  private static byte[] expected(byte[] bytes, int from, int[] ends)
      throws NoSuchAlgorithmException {
    return expected(ByteBuffer.wrap(bytes), from, ends);
  }

  private static byte[] expected(ByteBuffer bytes, int from, int[] ends)
      throws NoSuchAlgorithmException {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    ByteBuffer all = ByteBuffer.allocate(32 * ends.length);
    int start = from;
    for (int end : ends) {
      sha256.update(bytes.duplicate().limit(end).position(start));
      all.put(sha256.digest());
      start = end;
    }
    return all.array();
  }
}
