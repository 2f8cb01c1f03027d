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

/** Candidates by {@link CandidateRule.Gear}, in Java: the least of all states, one comparison. */
final class PlainGearFinder extends GearFinder {
  PlainGearFinder(CandidateRule.Gear rule) {
    super(
        rule,
        3,
        steps(CandidateRule.Gear.table(), rule.first() ^ Long.MIN_VALUE),
        0,
        rule.width() + Long.MIN_VALUE);
  }

  @Override
  int searchRuns(byte[] bytes, int from, long[] states, long[] hits) {
    long[] table = new long[256];
    System.arraycopy(steps(), 0, table, 0, table.length);
    long limit = limit();
    int n = 0;
    long g0 = states[0];
    long g1 = states[1];
    long g2 = states[2];
    for (int i = from; i < from + RUN; i += 2) {
      g0 = (g0 << 1) + table[bytes[i] & 0xFF];
      if (g0 < limit) {
        hits[n++ & HITS - 1] = i;
      }
      g1 = (g1 << 1) + table[bytes[i + RUN] & 0xFF];
      if (g1 < limit) {
        hits[n++ & HITS - 1] = i + RUN;
      }
      g2 = (g2 << 1) + table[bytes[i + 2 * RUN] & 0xFF];
      if (g2 < limit) {
        hits[n++ & HITS - 1] = i + 2 * RUN;
      }
      g0 = (g0 << 1) + table[bytes[i + 1] & 0xFF];
      if (g0 < limit) {
        hits[n++ & HITS - 1] = i + 1;
      }
      g1 = (g1 << 1) + table[bytes[i + 1 + RUN] & 0xFF];
      if (g1 < limit) {
        hits[n++ & HITS - 1] = i + 1 + RUN;
      }
      g2 = (g2 << 1) + table[bytes[i + 1 + 2 * RUN] & 0xFF];
      if (g2 < limit) {
        hits[n++ & HITS - 1] = i + 1 + 2 * RUN;
      }
    }
    return n;
  }
}
