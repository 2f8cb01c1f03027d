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
package org.freshet.shredder;

import java.nio.ByteBuffer;
import java.util.Objects;

/** What the finders written in Java have in common: checks, and access to every kind of buffer. */
abstract class JavaFinder implements CandidateFinder {
  /*
   * The loops run over arrays: a ByteBuffer's get() costs a third of the speed, and more where a call
   * site has seen both kinds of buffer. A direct buffer is copied into an array piece by piece; a
   * piece stays in the second-level cache, and the copy takes about a tenth of the time of the search.
   */
  private static final int PIECE_BYTES = 128 << 10;

  @Override
  public final int[] find(byte[] bytes, int from, int to) {
    check(from, to, bytes.length);
    Positions found = new Positions();
    search(bytes, from, to, 0, found);
    return found.toArray();
  }

  @Override
  public final int[] find(ByteBuffer bytes, int from, int to) {
    check(from, to, bytes.capacity());
    Positions found = new Positions();
    if (bytes.hasArray()) {
      int start = bytes.arrayOffset();
      search(bytes.array(), start + from, start + to, -start, found);
    } else {
      // Absolute access, too, ends at the limit.
      ByteBuffer whole = bytes.duplicate().clear();
      int before = window() - 1;
      byte[] piece = new byte[before + Math.min(PIECE_BYTES, to - from)];
      for (int at = from; at < to; ) {
        int count = Math.min(piece.length - before, to - at);
        whole.get(at - before, piece, 0, before + count);
        search(piece, before, before + count, at - before, found);
        at += count;
      }
    }
    return found.toArray();
  }

  private void check(int from, int to, int length) {
    Objects.checkFromToIndex(from, to, length);
    if (from < window() - 1) {
      throw new IndexOutOfBoundsException(
          "The first window needs " + (window() - 1) + " bytes before it, not " + from);
    }
  }

  /**
   * Adds the candidates in {@code (from, to]}, each plus {@code shift}, in ascending order to what
   * has been found.
   */
  abstract void search(byte[] bytes, int from, int to, int shift, Positions found);
}
