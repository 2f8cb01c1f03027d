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
  /*
   * Most chunks have one piece. The first is looked at apart from the others: the compiler then sees that it
   * need not be allocated.
   */

  /** What has not been digested of chunks that are {@link #areWithinReach within reach}. */
  static Pieces of(UnfinishedDigest[] chunks) {
    int pieces = 0;
    for (UnfinishedDigest chunk : chunks) {
      pieces += chunk.pieces();
    }
    Places places = new Places(pieces);
    int[] ends = new int[chunks.length];
    for (int i = 0; i < ends.length; i++) {
      UnfinishedDigest chunk = chunks[i];
      if (chunk.pieces() > 0) {
        places.add(chunk.piece(0));
      }
      for (int p = 1; p < chunk.pieces(); p++) {
        places.add(chunk.piece(p));
      }
      ends[i] = places.count;
    }
    return new Pieces(
        places.arrays.toArray(new byte[0][]),
        places.buffers.toArray(new ByteBuffer[0]),
        places.places,
        ends);
  }

  /** In few arrays and buffers lie many pieces, and most where the one before it lies. */
  private static final class Places {
    private final Map<Object, Integer> holders = new IdentityHashMap<>();
    private final List<byte[]> arrays = new ArrayList<>();
    private final List<ByteBuffer> buffers = new ArrayList<>();
    private final int[] places;
    private int count;

    /** Where the last piece lies, by the number of its array or buffer, and where that begins. */
    private ByteBuffer last;

    private int holder;
    private int offset;

    Places(int pieces) {
      this.places = new int[3 * pieces];
    }

    void add(Piece piece) {
      if (piece.bytes() != last) {
        goTo(piece.bytes());
      }
      places[3 * count] = holder;
      places[3 * count + 1] = offset + piece.from();
      places[3 * count + 2] = offset + piece.to();
      count++;
    }

    private void goTo(ByteBuffer bytes) {
      last = bytes;
      byte[] array = bytes.isDirect() ? null : bytes.array();
      offset = array == null ? 0 : bytes.arrayOffset();
      Integer known = holders.putIfAbsent(array == null ? bytes : array, arrays.size());
      holder = known == null ? arrays.size() : known;
      if (known == null) {
        arrays.add(array);
        buffers.add(array == null ? bytes : null);
      }
    }
  }

  /** Whether the library can read what has not been digested. */
  static boolean areWithinReach(UnfinishedDigest chunk) {
    if (chunk.pieces() > 0 && !isWithinReach(chunk.piece(0))) {
      return false;
    }
    for (int p = 1; p < chunk.pieces(); p++) {
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
