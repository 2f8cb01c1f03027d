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

  /** As an int: one instruction tests for that. */
  private static final int MASK = (int) CandidateRule.SievedGear.SIEVE_MASK;

  SievedGearFinder(CandidateRule.SievedGear rule) {
    super(
        rule, CandidateRule.SievedGear.table(), MARKER ^ Long.MIN_VALUE, MASK, limit(rule.width()));
  }

  private static long limit(long width) {
    // No hash with the marker is below the marker.
    return Long.compareUnsigned(width, MARKER) > 0
        ? width - MARKER + Long.MIN_VALUE
        : Long.MIN_VALUE;
  }

  @Override
  int[] searchRuns(byte[] bytes, int from, long g0, long g1, long g2, long g3) {
    long[] table = copyOf(steps());
    long limit = limit();
    int[] hits = new int[HITS + 1];
    int n = 0;
    int end = from + RUN;
    for (int i = from; i < end; i++) {
      g0 = (g0 << 1) + table[bytes[i] & 0xFF];
      g1 = (g1 << 1) + table[bytes[i + RUN] & 0xFF];
      g2 = (g2 << 1) + table[bytes[i + 2 * RUN] & 0xFF];
      g3 = (g3 << 1) + table[bytes[i + 3 * RUN] & 0xFF];
      if (((int) g0 & MASK) == 0 && g0 < limit) {
        hits[n++ & HITS - 1] = i;
      }
      if (((int) g1 & MASK) == 0 && g1 < limit) {
        hits[n++ & HITS - 1] = i + RUN;
      }
      if (((int) g2 & MASK) == 0 && g2 < limit) {
        hits[n++ & HITS - 1] = i + 2 * RUN;
      }
      if (((int) g3 & MASK) == 0 && g3 < limit) {
        hits[n++ & HITS - 1] = i + 3 * RUN;
      }
    }
    hits[HITS] = n;
    return hits;
  }
}
