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

/**
 * Candidates by {@link CandidateRule.SievedGear}, in Java. The states have zeros where the hash has
 * the marker, and zeros are quicker to test for; to take the marker off such a hash carries nothing
 * into the bits above, so that candidates are again the least of these states.
 */
final class SievedGearFinder extends GearFinder {
  private static final long MARKER = CandidateRule.SievedGear.SIEVE_MARKER;

  /** The same for all such rules, so Java's compiler knows its length and where it is. */
  private static final long[] STEPS =
      steps(CandidateRule.SievedGear.table(), MARKER ^ Long.MIN_VALUE);

  private static final long MASK = CandidateRule.SievedGear.SIEVE_MASK;

  SievedGearFinder(CandidateRule.SievedGear rule) {
    super(rule, 4, STEPS, MASK, limit(rule.width()));
  }

  private static long limit(long width) {
    // No hash with the marker is below the marker.
    return Long.compareUnsigned(width, MARKER) > 0
        ? width - MARKER + Long.MIN_VALUE
        : Long.MIN_VALUE;
  }

  @Override
  int searchRuns(byte[] bytes, int from, long[] states, long[] hits) {
    int count = sieve(bytes, from, states, hits);
    if (count > HITS) {
      return count;
    }
    long limit = limit();
    int n = 0;
    for (int k = 0; k < count; k += 2) {
      if (hits[k + 1] < limit) {
        hits[n++] = hits[k];
      }
    }
    return n;
  }

  /**
   * The limit would be one value too many in this loop; it is for those few that pass the sieve.
   *
   * @param hits gets indexes, each with the state after it
   * @return how many numbers; if these are more than there is room for, they are worth nothing
   */
  private int sieve(byte[] bytes, int from, long[] states, long[] hits) {
    long[] table = STEPS;
    int n = 0;
    long g0 = states[0];
    long g1 = states[1];
    long g2 = states[2];
    long g3 = states[3];
    for (int i = from; i < from + RUN; i += 2) {
      g0 = (g0 << 1) + table[bytes[i] & 0xFF];
      if ((g0 & MASK) == 0) {
        int k = n & HITS - 2;
        hits[k] = i;
        hits[k + 1] = g0;
        n += 2;
      }
      g1 = (g1 << 1) + table[bytes[i + RUN] & 0xFF];
      if ((g1 & MASK) == 0) {
        int k = n & HITS - 2;
        hits[k] = i + RUN;
        hits[k + 1] = g1;
        n += 2;
      }
      g2 = (g2 << 1) + table[bytes[i + 2 * RUN] & 0xFF];
      if ((g2 & MASK) == 0) {
        int k = n & HITS - 2;
        hits[k] = i + 2 * RUN;
        hits[k + 1] = g2;
        n += 2;
      }
      g3 = (g3 << 1) + table[bytes[i + 3 * RUN] & 0xFF];
      if ((g3 & MASK) == 0) {
        int k = n & HITS - 2;
        hits[k] = i + 3 * RUN;
        hits[k + 1] = g3;
        n += 2;
      }
      g0 = (g0 << 1) + table[bytes[i + 1] & 0xFF];
      if ((g0 & MASK) == 0) {
        int k = n & HITS - 2;
        hits[k] = i + 1;
        hits[k + 1] = g0;
        n += 2;
      }
      g1 = (g1 << 1) + table[bytes[i + 1 + RUN] & 0xFF];
      if ((g1 & MASK) == 0) {
        int k = n & HITS - 2;
        hits[k] = i + 1 + RUN;
        hits[k + 1] = g1;
        n += 2;
      }
      g2 = (g2 << 1) + table[bytes[i + 1 + 2 * RUN] & 0xFF];
      if ((g2 & MASK) == 0) {
        int k = n & HITS - 2;
        hits[k] = i + 1 + 2 * RUN;
        hits[k + 1] = g2;
        n += 2;
      }
      g3 = (g3 << 1) + table[bytes[i + 1 + 3 * RUN] & 0xFF];
      if ((g3 & MASK) == 0) {
        int k = n & HITS - 2;
        hits[k] = i + 1 + 3 * RUN;
        hits[k + 1] = g3;
        n += 2;
      }
    }
    return n;
  }
}
