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

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.freshet.shredder.ChunkDigester;

/** Sixteen digests at a time with AVX-512, where there are chunks enough to fill them. */
final class NativeDigester implements ChunkDigester {
  /*
   * Sixteen chunks take as long together as the longest of them, and one alone takes longer than with the
   * processor's own instructions for SHA-256, which the JDK uses. It pays if there are about as many bytes as
   * this many chunks of the greatest length.
   */
  private static final int WORTHWHILE = 5;

  /** An array is locked for as long as one chunk takes; this many bytes take milliseconds. */
  private static final int LONGEST = 4 << 20;

  private static final int DIGEST_BYTES = 32;

  private final ChunkDigester otherwise;

  /**
   * @param otherwise for what does not pay here
   */
  NativeDigester(ChunkDigester otherwise) {
    this.otherwise = otherwise;
  }

  @Override
  public byte[][] digest(ByteBuffer bytes, int from, int[] ends) {
    if (!pays(from, ends) || !(bytes.isDirect() || bytes.hasArray())) {
      return otherwise.digest(bytes, from, ends);
    }
    Objects.checkFromToIndex(from, ends[ends.length - 1], bytes.capacity());
    int level = InstructionLevel.AVX512.code();
    if (bytes.isDirect()) {
      return split(NativeCalls.digestDirect(level, bytes, from, ends));
    }
    int offset = bytes.arrayOffset();
    int[] moved = ends;
    if (offset != 0) {
      moved = Arrays.stream(ends).map(end -> end + offset).toArray();
    }
    return split(NativeCalls.digestArray(level, bytes.array(), offset + from, moved));
  }

  private static boolean pays(int from, int[] ends) {
    int longest = 0;
    int start = from;
    for (int end : ends) {
      longest = Math.max(longest, end - start);
      start = end;
    }
    return longest > 0 && longest <= LONGEST && (start - from) / longest >= WORTHWHILE;
  }

  private static byte[][] split(byte[] digests) {
    byte[][] each = new byte[digests.length / DIGEST_BYTES][];
    for (int i = 0; i < each.length; i++) {
      each[i] = Arrays.copyOfRange(digests, i * DIGEST_BYTES, (i + 1) * DIGEST_BYTES);
    }
    return each;
  }
}
