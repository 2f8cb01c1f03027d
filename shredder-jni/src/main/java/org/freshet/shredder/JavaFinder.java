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
   * One rolling hash waits for its own last step, so several run side by side. What decides is whether
   * Java's compiler keeps all of them in registers, of which it has thirteen; with one value too many it
   * stores and loads every state at every byte, which is half of the speed. So the loops are written as
   * they are. Streams are a constant apart: one index and constants instead of several indexes. Each is
   * tested right after its step, else the compiler loads all of their bytes first. A table is a constant
   * or made where it is used, so that its length is known and no index need be checked; nothing is called;
   * and states become variables after that, because a variable that lives on while an array is filled is
   * kept in memory from then on. Hits are longs, like the tables, which the compiler then does not load
   * from earlier than it has to. How many streams a rule can have follows from what else its loop needs.
   */
  private static final int PIECE_BYTES = 256 << 10;

  /** Bytes that a stream searches before it begins elsewhere, hashing a window for nothing. */
  static final int RUN = 16 << 10;

  /** Hits that a search of runs has room for; a power of two. */
  static final int HITS = 1024;

  private final int window;

  /** How many bytes are searched side by side. */
  private final int runs;

  /** Whether runs would have more hits than there is room for. */
  private final boolean dense;

  /**
   * @param streams how many {@link #searchRuns} searches side by side
   */
  JavaFinder(CandidateRule rule, int streams) {
    window = rule.window();
    runs = streams * RUN;
    dense = runs / rule.meanGap() > HITS / 2;
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
      byte[] piece = new byte[before + Math.min(PIECE_BYTES / runs * runs, to - from)];
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
    if (!dense && to - at >= runs) {
      long[] hits = new long[HITS];
      for (; to - at >= runs; at += runs) {
        int count = searchRuns(bytes, at, statesOfRuns(bytes, at), hits);
        if (count > HITS) {
          searchOneStream(bytes, at, at + runs, shift, found);
        } else {
          Arrays.sort(hits, 0, count);
          for (int k = 0; k < count; k++) {
            found.add((int) hits[k] + 1 + shift);
          }
        }
      }
    }
    searchOneStream(bytes, at, to, shift, found);
  }

  private long[] statesOfRuns(byte[] bytes, int from) {
    long[] states = new long[runs / RUN];
    for (int stream = 0; stream < states.length; stream++) {
      states[stream] = stateAt(bytes, from + stream * RUN);
    }
    return states;
  }

  /** What rolls, as it is behind the byte before {@code position}. */
  abstract long stateAt(byte[] bytes, int position);

  /**
   * Searches runs of {@link #RUN} bytes side by side.
   *
   * @param states before the first byte of each run
   * @param hits {@value #HITS} numbers; gets the indexes of bytes behind which there are
   *     candidates, in any order
   * @return how many; if these are more than there is room for, the indexes are worth nothing
   */
  abstract int searchRuns(byte[] bytes, int from, long[] states, long[] hits);

  /** Adds the candidates in {@code (from, to]}, each plus {@code shift}, one after the other. */
  abstract void searchOneStream(byte[] bytes, int from, int to, int shift, Positions found);
}
