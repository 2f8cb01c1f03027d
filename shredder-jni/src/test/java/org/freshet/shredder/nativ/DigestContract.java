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
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
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

    assertThat(NativeCalls.digestArray(forms, bytes, from, ends)).isEqualTo(expected);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    assertThat(NativeCalls.digestDirect(forms, direct, from, ends)).isEqualTo(expected);
  }

  @Test
  void everyLengthUpToFourBlocksIsRight() throws NoSuchAlgorithmException {
    int[] ends = IntStream.rangeClosed(0, 256).map(n -> n * (n + 1) / 2).toArray();
    byte[] bytes = Noise.bytes(ends[256], 5);

    assertThat(NativeCalls.digestArray(forms, bytes, 0, ends)).isEqualTo(expected(bytes, 0, ends));
  }

  /** One long message among short ones, and every number of equal ones. */
  @Test
  void numbersOfChunksAndUnequalLengthsMakeNoDifference() throws NoSuchAlgorithmException {
    byte[] bytes = Noise.bytes(500_000, 7);
    for (int count = 0; count <= 40; count++) {
      int[] equal = IntStream.rangeClosed(1, count).map(i -> 11 + 1000 * i).toArray();
      int[] unequal = IntStream.rangeClosed(1, count).map(i -> 400_000 + 100 * i).toArray();
      for (int[] ends : new int[][] {equal, unequal}) {
        assertThat(NativeCalls.digestArray(forms, bytes, 11, ends))
            .isEqualTo(expected(bytes, 11, ends));
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

      assertThat(NativeCalls.digestDirect(forms, bytes, 0, ends))
          .isEqualTo(expected(bytes, 0, ends));
    }
  }

  @Test
  void severalPiecesOfAnArrayAreDigestedOneAfterTheOther() throws NoSuchAlgorithmException {
    byte[] bytes = Noise.bytes(50_000_000, 8);
    int[] ends = {3_000_000, 9_000_000, 30_000_000, 30_000_001, 40_000_000, 49_999_999};

    assertThat(NativeCalls.digestArray(forms, bytes, 7, ends)).isEqualTo(expected(bytes, 7, ends));
  }

  @Test
  void chunksOutsideTheBytesAreRefused() {
    byte[] bytes = new byte[1000];
    ByteBuffer direct = ByteBuffer.allocateDirect(1000);
    for (int[] ends : new int[][] {{1001}, {10, 5}, {-1}, {500, Integer.MIN_VALUE}, {500, 1001}}) {
      assertThatThrownBy(() -> NativeCalls.digestArray(forms, bytes, 0, ends))
          .as(Arrays.toString(ends))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> NativeCalls.digestDirect(forms, direct, 0, ends))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    for (int from : new int[] {-1, Integer.MIN_VALUE, 1001}) {
      assertThatThrownBy(() -> NativeCalls.digestArray(forms, bytes, from, new int[] {1000}))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> NativeCalls.digestArray(forms, bytes, from, new int[0]))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> NativeCalls.digestArray(forms, null, 0, new int[0]))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> NativeCalls.digestArray(forms, bytes, 0, null))
        .isInstanceOf(NullPointerException.class);
    for (int none : new int[] {0, -1, 4 | forms, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> NativeCalls.digestArray(none, bytes, 0, new int[0]))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> NativeCalls.digestDirect(forms, ByteBuffer.wrap(bytes), 0, new int[0]))
        .isInstanceOf(IllegalArgumentException.class);
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
