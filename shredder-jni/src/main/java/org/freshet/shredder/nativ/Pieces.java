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
  static Pieces of(UnfinishedDigest[] chunks) {
    // In few arrays and buffers lie many pieces.
    Map<Object, Integer> holders = new IdentityHashMap<>();
    List<byte[]> arrays = new ArrayList<>();
    List<ByteBuffer> buffers = new ArrayList<>();
    int pieces = 0;
    for (UnfinishedDigest chunk : chunks) {
      pieces += chunk.pieces();
    }
    int[] places = new int[3 * pieces];
    int[] ends = new int[chunks.length];
    int count = 0;
    Object last = null;
    int holder = 0;
    for (int i = 0; i < ends.length; i++) {
      UnfinishedDigest chunk = chunks[i];
      for (int p = 0; p < chunk.pieces(); p++) {
        Piece piece = chunk.piece(p);
        ByteBuffer bytes = piece.bytes();
        byte[] array = bytes.isDirect() ? null : bytes.array();
        Object held = array == null ? bytes : array;
        if (held != last) {
          last = held;
          Integer known = holders.putIfAbsent(held, arrays.size());
          holder = known == null ? arrays.size() : known;
          if (known == null) {
            arrays.add(array);
            buffers.add(array == null ? bytes : null);
          }
        }
        int offset = array == null ? 0 : bytes.arrayOffset();
        places[3 * count] = holder;
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
    for (int p = 0; p < chunk.pieces(); p++) {
      if (!isWithinReach(chunk.piece(p))) {
        return false;
      }
    }
    return true;
  }

  static boolean isWithinReach(Piece piece) {
    return piece.bytes().isDirect() || piece.bytes().hasArray();
  }
}
