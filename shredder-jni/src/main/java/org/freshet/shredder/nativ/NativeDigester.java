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
import org.freshet.shredder.ChunkDigester;
import org.freshet.shredder.UnfinishedDigest;

/** Several digests at a time. Which form of the library computes them, the library decides. */
final class NativeDigester implements ChunkDigester {
  /** One digest alone the JDK computes as fast. */
  private static final int WORTHWHILE = 2;

  /**
   * Arrays are locked while their chunks are digested, which may hold up the garbage collector. So
   * it is for no more bytes at a time, which take 5 to 15 milliseconds.
   */
  private static final long MOST_AT_A_TIME = 16L << 20;

  private static final int STATE_WORDS = 8;

  private final int forms;
  private final ChunkDigester otherwise;
  private final long mostAtATime;

  /**
   * @param forms bits of the {@link DigestForm}s to use; at least one
   * @param otherwise for what does not pay here
   */
  NativeDigester(int forms, ChunkDigester otherwise) {
    this(forms, otherwise, MOST_AT_A_TIME);
  }

  NativeDigester(int forms, ChunkDigester otherwise, long mostAtATime) {
    this.forms = forms;
    this.otherwise = otherwise;
    this.mostAtATime = mostAtATime;
  }

  @Override
  public int width() {
    return (DigestForm.LANES.isIn(forms) ? DigestForm.LANES : DigestForm.STREAMS).width();
  }

  @Override
  public void digest(List<UnfinishedDigest> chunks) {
    boolean begun = chunks.stream().anyMatch(chunk -> chunk.done() > 0);
    List<UnfinishedDigest> left = digestOthers(chunks);
    if (left.size() < WORTHWHILE && !begun) {
      otherwise.digest(left);
    } else {
      while (!left.isEmpty()) {
        inLibrary(left, false);
        left = unended(left);
      }
    }
  }

  @Override
  public void digestSome(List<UnfinishedDigest> chunks, int width) {
    List<UnfinishedDigest> left = digestOthers(chunks);
    int least = Math.max(width, leastWidth());
    while (left.size() >= least) {
      inLibrary(left, true);
      left = unended(left);
    }
    if (left.size() >= width) {
      digest(left);
    }
  }

  /** Of the form that needs the fewest. */
  private int leastWidth() {
    return forms == DigestForm.LANES.bit() ? DigestForm.LANES.width() : DigestForm.STREAMS.width();
  }

  /**
   * Digests those that the library can't read.
   *
   * @return the rest
   */
  private List<UnfinishedDigest> digestOthers(List<UnfinishedDigest> chunks) {
    List<UnfinishedDigest> mine = new ArrayList<>(chunks.size());
    List<UnfinishedDigest> others = new ArrayList<>();
    for (UnfinishedDigest chunk : chunks) {
      (isWithinReach(chunk) ? mine : others).add(chunk);
    }
    otherwise.digest(others);
    return mine;
  }

  private static List<UnfinishedDigest> unended(List<UnfinishedDigest> chunks) {
    List<UnfinishedDigest> left = new ArrayList<>(chunks);
    left.removeIf(UnfinishedDigest::hasEnded);
    return left;
  }

  private static boolean isWithinReach(UnfinishedDigest chunk) {
    for (Piece piece : chunk.rest()) {
      if (!piece.bytes().isDirect() && !piece.bytes().hasArray()) {
        return false;
      }
    }
    return true;
  }

  private void inLibrary(List<UnfinishedDigest> chunks, boolean filled) {
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
    int[] states = new int[STATE_WORDS * ends.length];
    long[] done = new long[ends.length];
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
      chunks.get(i).copyState(states, STATE_WORDS * i);
      done[i] = chunks.get(i).done();
    }
    NativeCalls.digest(
        forms,
        mostAtATime,
        filled,
        arrays.toArray(new byte[0][]),
        buffers.toArray(new ByteBuffer[0]),
        places,
        ends,
        states,
        done);
    for (int i = 0; i < ends.length; i++) {
      if (done[i] < 0) {
        chunks.get(i).end(states, STATE_WORDS * i);
      } else {
        chunks.get(i).advance(done[i], states, STATE_WORDS * i);
      }
    }
  }
}
