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

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/** Candidates and cuts by their definitions, position by position: slow and plain. */
final class Oracle {
  private static final long[] GEAR = new long[256];
  private static final long[] SIEVED = new long[256];

  static {
    SplittableRandom splitMix64 = new SplittableRandom(0);
    for (int i = 0; i < GEAR.length; i++) {
      GEAR[i] = splitMix64.nextLong();
      SIEVED[i] = GEAR[i] - Math.floorMod(GEAR[i], 65536) + i * 0x9E37L % 65536;
    }
  }

  private Oracle() {}

  /** The candidates in {@code (from, to]}. */
  static int[] candidates(CandidateRule rule, byte[] bytes, int from, int to) {
    List<Integer> candidates = new ArrayList<>();
    for (int position = from + 1; position <= to; position++) {
      if (isCandidate(rule, bytes, position)) {
        candidates.add(position);
      }
    }
    return candidates.stream().mapToInt(Integer::intValue).toArray();
  }

  static boolean isCandidate(CandidateRule rule, byte[] bytes, int position) {
    if (position < rule.window()) {
      return false;
    }
    if (rule instanceof CandidateRule.Gear gear) {
      return Long.compareUnsigned(gear(GEAR, bytes, position) - gear.first(), gear.width()) < 0;
    }
    if (rule instanceof CandidateRule.SievedGear sieved) {
      long hash = gear(SIEVED, bytes, position);
      return hash >>> 6 << 54 == 0x2A5L << 54 && Long.compareUnsigned(hash, sieved.width()) < 0;
    }
    CandidateRule.Rabin rabin = (CandidateRule.Rabin) rule;
    long low = rabin(rabin, bytes, position) % (1L << rabin.maskBits());
    return low == rabin.marker();
  }

  /** The sum of each byte's value times two to the power of its distance from the end. */
  private static long gear(long[] values, byte[] bytes, int position) {
    long hash = 0;
    for (int distance = 0; distance < 64; distance++) {
      hash += values[Byte.toUnsignedInt(bytes[position - 1 - distance])] << distance;
    }
    return hash;
  }

  /** Long division, bit by bit. */
  private static long rabin(CandidateRule.Rabin rule, byte[] bytes, int position) {
    long overflow = Long.highestOneBit(rule.polynomial());
    long rest = 0;
    for (int i = position - rule.window(); i < position; i++) {
      for (int bit = 7; bit >= 0; bit--) {
        rest = (rest << 1) | ((bytes[i] >>> bit) & 1);
        if ((rest & overflow) != 0) {
          rest ^= rule.polynomial();
        }
      }
    }
    return rest;
  }

  /**
   * The ends of all chunks.
   *
   * @param recordBegins by position: whether a record boundary is there
   */
  static List<Long> cuts(ChunkerConfig config, byte[] bytes, IntPredicate recordBegins) {
    List<Long> cuts = new ArrayList<>();
    int start = 0;
    while (start < bytes.length) {
      int end = start + 1;
      while (end < bytes.length && !mayEnd(config, bytes, start, end)) {
        end++;
      }
      while (end < bytes.length && !recordBegins.test(end)) {
        end++;
      }
      cuts.add((long) end);
      start = end;
    }
    return cuts;
  }

  private static boolean mayEnd(ChunkerConfig config, byte[] bytes, int start, int end) {
    int length = end - start;
    return length == config.maxSize()
        || (length >= config.minSize() && isCandidate(config.rule(), bytes, end));
  }
}
