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

import java.util.Arrays;
import java.util.Objects;

/**
 * Candidates by the Gear rolling hash, 64 bits wide.
 *
 * <p>Source: W. Xia et al., "Ddelta: a deduplication-inspired fast delta compression approach",
 * Performance Evaluation 79, 2014, section 3.2; the test of the top bits is that of FastCDC (USENIX
 * ATC 2016).
 */
public final class GearFinder implements CandidateFinder {
  /*
   * h' = 2h + GEAR[byte]. A byte's share is shifted out after 64 steps, so the hash is a function of
   * the last 64 bytes and needs no subtraction of the byte that leaves. The top bits depend on all 64,
   * the low ones on few, so the top decides: a position is a candidate if h, unsigned, is below
   * 2^64 / gap. That takes any gap, not only powers of two.
   *
   * The loop waits for the chain shift, add, load of one step before it can begin the next, and
   * leaves most of the processor idle. Four independent streams, one per quarter, fill it: 1.6 times
   * the speed of one stream on Java 17. The comparison is done in two steps: whether the bits above
   * the threshold's are zero, one AND against a loop invariant, and for the few that pass, exactly.
   */

  /** Names hash, table and test; changes if any of them does. */
  static final String NAME = "gear64-1";

  private static final int WINDOW = 64;
  private static final int WARM_UP = WINDOW - 1;
  private static final int STREAMS = 4;

  /**
   * The first 256 outputs of SplitMix64 (Steele, Lea, Flood: OOPSLA 2014) from seed 0. Every
   * implementation of this hash must use these values.
   */
  private static final long[] GEAR = splitMix64(256);

  private final long threshold;
  private final long zeroBits;

  /**
   * @param gap mean distance of candidates in random content, in bytes; at least 2
   */
  public GearFinder(int gap) {
    if (gap < 2) {
      throw new IllegalArgumentException("The gap must be at least 2 bytes, not " + gap);
    }
    threshold = Long.divideUnsigned(-1L, gap);
    zeroBits = ~(-1L >>> Long.numberOfLeadingZeros(threshold));
  }

  @Override
  public int window() {
    return WINDOW;
  }

  @Override
  public int[] find(byte[] bytes, int from, int to) {
    Objects.checkFromToIndex(from, to, bytes.length);
    if (from < WARM_UP) {
      throw new IndexOutOfBoundsException(
          "The first window needs " + WARM_UP + " bytes before it, not " + from);
    }
    Found found = new Found();
    int quarter = (to - from) / STREAMS;
    findInQuarters(bytes, from, quarter, found);
    findInRest(bytes, from + STREAMS * quarter, to, found);
    return found.ascending();
  }

  private void findInQuarters(byte[] bytes, int from, int quarter, Found found) {
    long[] gear = GEAR;
    long zero = zeroBits;
    int from1 = from + quarter;
    int from2 = from1 + quarter;
    int from3 = from2 + quarter;
    long h0 = hashBefore(bytes, from);
    long h1 = hashBefore(bytes, from1);
    long h2 = hashBefore(bytes, from2);
    long h3 = hashBefore(bytes, from3);
    for (int i = 0; i < quarter; i++) {
      h0 = (h0 << 1) + gear[bytes[from + i] & 0xFF];
      h1 = (h1 << 1) + gear[bytes[from1 + i] & 0xFF];
      h2 = (h2 << 1) + gear[bytes[from2 + i] & 0xFF];
      h3 = (h3 << 1) + gear[bytes[from3 + i] & 0xFF];
      if ((h0 & zero) == 0) {
        keepIfBelow(h0, from + i + 1, found);
      }
      if ((h1 & zero) == 0) {
        keepIfBelow(h1, from1 + i + 1, found);
      }
      if ((h2 & zero) == 0) {
        keepIfBelow(h2, from2 + i + 1, found);
      }
      if ((h3 & zero) == 0) {
        keepIfBelow(h3, from3 + i + 1, found);
      }
    }
  }

  private void findInRest(byte[] bytes, int from, int to, Found found) {
    long h = hashBefore(bytes, from);
    for (int i = from; i < to; i++) {
      h = (h << 1) + GEAR[bytes[i] & 0xFF];
      keepIfBelow(h, i + 1, found);
    }
  }

  private void keepIfBelow(long h, int position, Found found) {
    if (Long.compareUnsigned(h, threshold) < 0) {
      found.add(position);
    }
  }

  private static long hashBefore(byte[] bytes, int position) {
    long h = 0;
    for (int i = position - WARM_UP; i < position; i++) {
      h = (h << 1) + GEAR[bytes[i] & 0xFF];
    }
    return h;
  }

  private static long[] splitMix64(int count) {
    long[] values = new long[count];
    long state = 0;
    for (int i = 0; i < count; i++) {
      state += 0x9E3779B97F4A7C15L;
      long z = state;
      z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
      z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
      values[i] = z ^ (z >>> 31);
    }
    return values;
  }

  /** Positions as the streams come upon them. */
  private static final class Found {
    private int[] positions = new int[16];
    private int count;

    void add(int position) {
      if (count == positions.length) {
        positions = Arrays.copyOf(positions, 2 * count);
      }
      positions[count++] = position;
    }

    int[] ascending() {
      int[] result = Arrays.copyOf(positions, count);
      Arrays.sort(result);
      return result;
    }
  }
}
