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

/** Candidates by {@link CandidateRule.Rabin}, in Java. */
final class RabinFinder extends JavaFinder {
  /*
   * What rolls is the fingerprint with the marker added, which has zeros where the fingerprint has the
   * marker: its top bits are looked up in a table in another order, and the rest of the marker goes in
   * with the byte that leaves.
   */
  private final int window;
  private final long mask;
  private final long marker;
  private final int topShift;
  private final long[] reduction;
  private final long[] leaving;

  RabinFinder(CandidateRule.Rabin rule) {
    super(rule);
    RabinTables tables = new RabinTables(rule);
    window = rule.window();
    mask = (1L << rule.maskBits()) - 1;
    marker = rule.marker();
    topShift = tables.shift();
    long[] inOrder = tables.reduction();
    reduction = new long[256];
    leaving = tables.leaving();
    int top = (int) (marker >>> topShift);
    for (int i = 0; i < 256; i++) {
      reduction[i] = inOrder[i ^ top];
      leaving[i] ^= (marker << 8) ^ marker;
    }
  }

  @Override
  int[] searchRuns(byte[] bytes, int from) {
    return searchRuns(
        bytes,
        from,
        ending(bytes, from),
        ending(bytes, from + RUN),
        ending(bytes, from + 2 * RUN),
        ending(bytes, from + 3 * RUN));
  }

  private int[] searchRuns(byte[] bytes, int from, long h0, long h1, long h2, long h3) {
    long[] enter = copyOf(reduction);
    long[] leave = copyOf(leaving);
    int top = topShift;
    long bits = mask;
    int w = window;
    int[] hits = new int[HITS + 1];
    int n = 0;
    int end = from + RUN;
    for (int i = from; i < end; i++) {
      long out0 = leave[bytes[i - w] & 0xFF] ^ (bytes[i] & 0xFF);
      long out1 = leave[bytes[i - w + RUN] & 0xFF] ^ (bytes[i + RUN] & 0xFF);
      long out2 = leave[bytes[i - w + 2 * RUN] & 0xFF] ^ (bytes[i + 2 * RUN] & 0xFF);
      long out3 = leave[bytes[i - w + 3 * RUN] & 0xFF] ^ (bytes[i + 3 * RUN] & 0xFF);
      h0 = (h0 << 8) ^ enter[(int) (h0 >>> top) & 0xFF] ^ out0;
      h1 = (h1 << 8) ^ enter[(int) (h1 >>> top) & 0xFF] ^ out1;
      h2 = (h2 << 8) ^ enter[(int) (h2 >>> top) & 0xFF] ^ out2;
      h3 = (h3 << 8) ^ enter[(int) (h3 >>> top) & 0xFF] ^ out3;
      if ((h0 & bits) == 0) {
        hits[n++ & HITS - 1] = i;
      }
      if ((h1 & bits) == 0) {
        hits[n++ & HITS - 1] = i + RUN;
      }
      if ((h2 & bits) == 0) {
        hits[n++ & HITS - 1] = i + 2 * RUN;
      }
      if ((h3 & bits) == 0) {
        hits[n++ & HITS - 1] = i + 3 * RUN;
      }
    }
    hits[HITS] = n;
    return hits;
  }

  @Override
  void searchOneStream(byte[] bytes, int from, int to, int shift, Positions found) {
    if (from == to) {
      return;
    }
    int start = from;
    long h;
    if (from < window) {
      // There is no byte that leaves: the first window is set up whole.
      start++;
      h = ending(bytes, start);
      if ((h & mask) == 0) {
        found.add(start + shift);
      }
    } else {
      h = ending(bytes, from);
    }
    for (int i = start; i < to; i++) {
      h =
          (h << 8)
              ^ reduction[(int) (h >>> topShift) & 0xFF]
              ^ leaving[bytes[i - window] & 0xFF]
              ^ (bytes[i] & 0xFF);
      if ((h & mask) == 0) {
        found.add(i + 1 + shift);
      }
    }
  }

  /** The state of the window that ends at {@code position}. */
  private long ending(byte[] bytes, int position) {
    int top = (int) (marker >>> topShift);
    long h = 0;
    for (int i = position - window; i < position; i++) {
      h = (h << 8) ^ reduction[(int) (h >>> topShift) & 0xFF ^ top] ^ (bytes[i] & 0xFF);
    }
    return h ^ marker;
  }
}
