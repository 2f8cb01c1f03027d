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

/** Several digests at a time. Which form of the library computes them, the library decides. */
final class NativeDigester implements ChunkDigester {
  /** One digest alone the JDK computes as fast. */
  private static final int WORTHWHILE = 2;

  /** An array is locked for as long as one chunk takes; this many bytes take 8 milliseconds. */
  private static final int LONGEST_IN_ARRAY = 16 << 20;

  private static final int DIGEST_BYTES = 32;

  private final int forms;
  private final ChunkDigester otherwise;

  /**
   * @param forms bits of the {@link DigestForm}s to use; at least one
   * @param otherwise for what does not pay here
   */
  NativeDigester(int forms, ChunkDigester otherwise) {
    this.forms = forms;
    this.otherwise = otherwise;
  }

  @Override
  public byte[][] digest(ByteBuffer bytes, int from, int[] ends) {
    if (ends.length < WORTHWHILE || !isWithinReach(bytes, from, ends)) {
      return otherwise.digest(bytes, from, ends);
    }
    Objects.checkFromToIndex(from, ends[ends.length - 1], bytes.capacity());
    if (bytes.isDirect()) {
      return split(NativeCalls.digestDirect(forms, bytes, from, ends));
    }
    int offset = bytes.arrayOffset();
    int[] moved = ends;
    if (offset != 0) {
      moved = Arrays.stream(ends).map(end -> end + offset).toArray();
    }
    return split(NativeCalls.digestArray(forms, bytes.array(), offset + from, moved));
  }

  private static boolean isWithinReach(ByteBuffer bytes, int from, int[] ends) {
    return bytes.isDirect() || (bytes.hasArray() && longest(from, ends) <= LONGEST_IN_ARRAY);
  }

  private static int longest(int from, int[] ends) {
    int longest = 0;
    int start = from;
    for (int end : ends) {
      longest = Math.max(longest, end - start);
      start = end;
    }
    return longest;
  }

  private static byte[][] split(byte[] digests) {
    byte[][] each = new byte[digests.length / DIGEST_BYTES][];
    for (int i = 0; i < each.length; i++) {
      each[i] = Arrays.copyOfRange(digests, i * DIGEST_BYTES, (i + 1) * DIGEST_BYTES);
    }
    return each;
  }
}
