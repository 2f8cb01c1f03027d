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
import java.util.Arrays;
import java.util.Objects;

/** What the finders written in Java have in common: checks, and access to every kind of buffer. */
abstract class JavaFinder implements CandidateFinder {
  /*
   * The loops run over arrays: a ByteBuffer's get() costs a third of the speed, and more where a call
   * site has seen both kinds of buffer. A direct buffer is copied into an array piece by piece; a
   * piece stays in the second-level cache, and the copy takes about a tenth of the time of the search.
   *
   * One rolling hash waits for its own last step, so STREAMS of them run side by side. For Java's
   * compiler to keep all of them in registers, the loops are written as they are: streams are a
   * constant apart, one index and four constants instead of four indexes; tables and the list of hits
   * are arrays made where they are used, so that their lengths are known and no index need be checked;
   * nothing is called, which would have the compiler keep everything in memory. That is twice the speed.
   */
  private static final int PIECE_BYTES = 256 << 10;

  static final int STREAMS = 4;

  /** Bytes that a stream searches before it begins elsewhere, hashing a window for nothing. */
  static final int RUN = 16 << 10;

  /** Hits that a search of runs has room for; a power of two. */
  static final int HITS = 1024;

  private static final int RUNS = STREAMS * RUN;

  private final int window;

  /** Whether runs would have more hits than there is room for. */
  private final boolean dense;

  JavaFinder(CandidateRule rule) {
    window = rule.window();
    dense = RUNS / rule.meanGap() > HITS / 2;
  }

  @Override
  public final int window() {
    return window;
  }

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
  private void search(byte[] bytes, int from, int to, int shift, Positions found) {
    int at = from;
    if (at < to && at < window) {
      // In front of the source's first window there may be no byte that leaves it.
      searchOneStream(bytes, at, at + 1, shift, found);
      at++;
    }
    for (; !dense && to - at >= RUNS; at += RUNS) {
      int[] hits = searchRuns(bytes, at);
      int count = hits[HITS];
      if (count > HITS) {
        searchOneStream(bytes, at, at + RUNS, shift, found);
      } else {
        Arrays.sort(hits, 0, count);
        for (int k = 0; k < count; k++) {
          found.add(hits[k] + 1 + shift);
        }
      }
    }
    searchOneStream(bytes, at, to, shift, found);
  }

  /**
   * Searches {@link #STREAMS} runs of {@link #RUN} bytes side by side.
   *
   * @return {@value #HITS} + 1 numbers: indexes of the bytes behind which there are candidates, in
   *     any order, and last how many; if these are more than there is room for, the indexes are
   *     worth nothing
   */
  abstract int[] searchRuns(byte[] bytes, int from);

  /** Adds the candidates in {@code (from, to]}, each plus {@code shift}, one after the other. */
  abstract void searchOneStream(byte[] bytes, int from, int to, int shift, Positions found);

  /**
   * A copy of a table with 256 values, of which the compiler knows that no byte is out of range.
   */
  static long[] copyOf(long[] table) {
    long[] copy = new long[256];
    System.arraycopy(table, 0, copy, 0, copy.length);
    return copy;
  }
}
