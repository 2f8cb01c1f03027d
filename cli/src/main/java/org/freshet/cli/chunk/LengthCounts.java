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
package org.freshet.cli.chunk;

import java.util.Arrays;
import java.util.function.LongBinaryOperator;

/**
 * How many chunks have which length: 16 to 64 bytes for each length that occurs, however many
 * chunks have it. For one thread.
 */
final class LengthCounts {
  private static final int LEAST_PLACES = 1 << 8;

  /** Lengths, and how many have them; 0 where there is none. */
  private long[] lengths = new long[LEAST_PLACES];

  private long[] counts = new long[LEAST_PLACES];
  private int different;

  /** So many more chunks, at least one, have this length. */
  void add(long length, long chunks) {
    int at = find(length);
    if (counts[at] == 0) {
      lengths[at] = length;
      different++;
    }
    counts[at] += chunks;
    if (2 * different > lengths.length) {
      grow();
    }
  }

  void addAll(LengthCounts others) {
    for (int i = 0; i < others.lengths.length; i++) {
      if (others.counts[i] > 0) {
        add(others.lengths[i], others.counts[i]);
      }
    }
  }

  /** Those that occur, ascending. */
  long[] sorted() {
    long[] sorted = new long[different];
    int next = 0;
    for (int i = 0; i < lengths.length; i++) {
      if (counts[i] > 0) {
        sorted[next++] = lengths[i];
      }
    }
    Arrays.sort(sorted);
    return sorted;
  }

  /** How many chunks have this length. */
  long count(long length) {
    return counts[find(length)];
  }

  /** The sum over all lengths, of what is made of a length and of how many have it. */
  long sum(LongBinaryOperator summand) {
    long sum = 0;
    for (int i = 0; i < lengths.length; i++) {
      if (counts[i] > 0) {
        sum += summand.applyAsLong(lengths[i], counts[i]);
      }
    }
    return sum;
  }

  private int find(long length) {
    int mask = lengths.length - 1;
    int at = Long.hashCode(length * 0x9E3779B97F4A7C15L) & mask;
    while (counts[at] > 0 && lengths[at] != length) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private void grow() {
    long[] lengthsBefore = lengths;
    long[] countsBefore = counts;
    lengths = new long[2 * lengthsBefore.length];
    counts = new long[lengths.length];
    for (int i = 0; i < lengthsBefore.length; i++) {
      if (countsBefore[i] > 0) {
        int at = find(lengthsBefore[i]);
        lengths[at] = lengthsBefore[i];
        counts[at] = countsBefore[i];
      }
    }
  }
}
