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

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ChunkDigester;
import org.junit.jupiter.api.Test;

/** Digests of many chunks at once are the JDK's. */
@NeedsNative(InstructionLevel.AVX512)
class NativeDigesterTest {
  private static final int LEVEL = InstructionLevel.AVX512.code();

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

    assertThat(NativeCalls.digestArray(LEVEL, bytes, from, ends)).isEqualTo(expected);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    assertThat(NativeCalls.digestDirect(LEVEL, direct, from, ends)).isEqualTo(expected);
  }

  @Test
  void everyLengthUpToFourBlocksIsRight() throws NoSuchAlgorithmException {
    int[] ends = IntStream.rangeClosed(0, 256).map(n -> n * (n + 1) / 2).toArray();
    byte[] bytes = Noise.bytes(ends[256], 5);

    assertThat(NativeCalls.digestArray(LEVEL, bytes, 0, ends)).isEqualTo(expected(bytes, 0, ends));
  }

  @Test
  void kindsOfBuffersMakeNoDifference() {
    ChunkDigester java = Backends.named("java").digester();
    ChunkDigester digester = new NativeDigester(java);
    byte[] bytes = Noise.bytes(100_000, 6);
    int[] even = IntStream.rangeClosed(1, 40).map(i -> 17 + 2000 * i).toArray();
    int[] uneven = {20, 90_000, 90_010};
    for (int[] ends : new int[][] {even, uneven, {}}) {
      byte[][] expected = java.digest(ByteBuffer.wrap(bytes), 17, ends);
      ByteBuffer shifted = ByteBuffer.allocate(bytes.length + 5).put(5, bytes).slice(5, 100_000);
      ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
      for (ByteBuffer buffer :
          new ByteBuffer[] {
            shifted, shifted.asReadOnlyBuffer(), direct, direct.asReadOnlyBuffer()
          }) {
        buffer.position(3).limit(4);
        assertThat(digester.digest(buffer, 17, ends)).isDeepEqualTo(expected);
        assertThat(buffer.position()).isEqualTo(3);
        assertThat(buffer.limit()).isEqualTo(4);
      }
    }
  }

  @Test
  void chunksOutsideTheBytesAreRefused() {
    byte[] bytes = new byte[1000];
    ByteBuffer direct = ByteBuffer.allocateDirect(1000);
    for (int[] ends : new int[][] {{1001}, {10, 5}, {-1}, {500, Integer.MIN_VALUE}, {500, 1001}}) {
      assertThatThrownBy(() -> NativeCalls.digestArray(LEVEL, bytes, 0, ends))
          .as(Arrays.toString(ends))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> NativeCalls.digestDirect(LEVEL, direct, 0, ends))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    for (int from : new int[] {-1, Integer.MIN_VALUE, 1001}) {
      assertThatThrownBy(() -> NativeCalls.digestArray(LEVEL, bytes, from, new int[] {1000}))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> NativeCalls.digestArray(LEVEL, bytes, from, new int[0]))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> NativeCalls.digestArray(LEVEL, null, 0, new int[0]))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> NativeCalls.digestArray(LEVEL, bytes, 0, null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> NativeCalls.digestArray(0, bytes, 0, new int[0]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> NativeCalls.digestDirect(LEVEL, ByteBuffer.wrap(bytes), 0, new int[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static byte[] expected(byte[] bytes, int from, int[] ends)
      throws NoSuchAlgorithmException {
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    ByteBuffer all = ByteBuffer.allocate(32 * ends.length);
    int start = from;
    for (int end : ends) {
      sha256.update(bytes, start, end - start);
      all.put(sha256.digest());
      start = end;
    }
    return all.array();
  }
}
