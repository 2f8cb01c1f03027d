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
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.freshet.shredder.ChunkDigester.Piece;
import org.freshet.shredder.UnfinishedDigest;

/** Where the bytes of some chunks lie, as {@link NativeCalls#digest} takes it. */
record Pieces(byte[][] arrays, ByteBuffer[] buffers, int[] places, int[] ends) {
  /** What has not been digested of chunks that are {@link #areWithinReach within reach}. */
  static Pieces of(List<UnfinishedDigest> chunks) {
    // In few arrays and buffers lie many pieces.
    Map<Object, Integer> holders = new IdentityHashMap<>();
    List<byte[]> arrays = new ArrayList<>();
    List<ByteBuffer> buffers = new ArrayList<>();
    int pieces = 0;
    for (UnfinishedDigest chunk : chunks) {
      pieces += chunk.rest().size();
    }
    int[] places = new int[3 * pieces];
    int[] ends = new int[chunks.size()];
    int count = 0;
    for (int i = 0; i < ends.length; i++) {
      for (Piece piece : chunks.get(i).rest()) {
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
    return new Pieces(
        arrays.toArray(new byte[0][]), buffers.toArray(new ByteBuffer[0]), places, ends);
  }

  /** Whether the library can read what has not been digested. */
  static boolean areWithinReach(UnfinishedDigest chunk) {
    for (Piece piece : chunk.rest()) {
      if (!isWithinReach(piece)) {
        return false;
      }
    }
    return true;
  }

  static boolean isWithinReach(Piece piece) {
    return piece.bytes().isDirect() || piece.bytes().hasArray();
  }
}
