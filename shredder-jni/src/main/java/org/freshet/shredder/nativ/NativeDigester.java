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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.freshet.shredder.ChunkDigester;

/** Several digests at a time. Which form of the library computes them, the library decides. */
final class NativeDigester implements ChunkDigester {
  /** One digest alone the JDK computes as fast. */
  private static final int WORTHWHILE = 2;

  /**
   * Arrays are locked while their chunks are digested, which may hold up the garbage collector: 32
   * MiB take 9 milliseconds. One chunk takes longer, because it can't be divided: 16 MiB 8.
   */
  private static final long MOST_LOCKED = 32L << 20;

  private static final long LONGEST_LOCKED = 16L << 20;

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
  public boolean isFasterTogether() {
    return true;
  }

  @Override
  public byte[][] digest(List<List<Piece>> chunks) {
    byte[][] digests = new byte[chunks.size()][];
    int at = 0;
    while (at < digests.length) {
      int end = endOfPart(chunks, at);
      List<List<Piece>> part = chunks.subList(at, end);
      byte[][] some = isForLibrary(part) ? inLibrary(part) : otherwise.digest(part);
      System.arraycopy(some, 0, digests, at, end - at);
      at = end;
    }
    return digests;
  }

  /** How far arrays may be locked together; at least one chunk. */
  private static int endOfPart(List<List<Piece>> chunks, int from) {
    long locked = 0;
    int end = from;
    for (; end < chunks.size(); end++) {
      long next = locked(chunks.get(end));
      locked += next;
      if (next > LONGEST_LOCKED || locked > MOST_LOCKED) {
        break;
      }
    }
    return Math.max(end, from + 1);
  }

  private static boolean isForLibrary(List<List<Piece>> part) {
    return part.size() >= WORTHWHILE && part.stream().allMatch(NativeDigester::isWithinReach);
  }

  private static boolean isWithinReach(List<Piece> chunk) {
    for (Piece piece : chunk) {
      if (!piece.bytes().isDirect() && !piece.bytes().hasArray()) {
        return false;
      }
    }
    return locked(chunk) <= LONGEST_LOCKED;
  }

  /** How many bytes of a chunk are in arrays. */
  private static long locked(List<Piece> chunk) {
    long bytes = 0;
    for (Piece piece : chunk) {
      bytes += piece.bytes().isDirect() ? 0 : piece.length();
    }
    return bytes;
  }

  private byte[][] inLibrary(List<List<Piece>> chunks) {
    // In few arrays and buffers lie many pieces.
    Map<Object, Integer> holders = new IdentityHashMap<>();
    List<byte[]> arrays = new ArrayList<>();
    List<ByteBuffer> buffers = new ArrayList<>();
    int[] places = new int[3 * chunks.stream().mapToInt(List::size).sum()];
    int[] ends = new int[chunks.size()];
    int count = 0;
    for (int i = 0; i < ends.length; i++) {
      for (Piece piece : chunks.get(i)) {
        ByteBuffer bytes = piece.bytes();
        byte[] array = bytes.isDirect() ? null : bytes.array();
        Integer known = holders.putIfAbsent(array == null ? bytes : array, arrays.size());
        if (known == null) {
          known = arrays.size();
          arrays.add(array);
          buffers.add(array == null ? bytes : null);
        }
        int offset = array == null ? 0 : bytes.arrayOffset();
        places[3 * count] = known;
        places[3 * count + 1] = offset + piece.from();
        places[3 * count + 2] = offset + piece.to();
        count++;
      }
      ends[i] = count;
    }
    return split(
        NativeCalls.digest(
            forms,
            arrays.toArray(new byte[0][]),
            buffers.toArray(new ByteBuffer[0]),
            places,
            ends));
  }

  private static byte[][] split(byte[] digests) {
    byte[][] each = new byte[digests.length / DIGEST_BYTES][];
    for (int i = 0; i < each.length; i++) {
      each[i] = Arrays.copyOfRange(digests, i * DIGEST_BYTES, (i + 1) * DIGEST_BYTES);
    }
    return each;
  }
}
