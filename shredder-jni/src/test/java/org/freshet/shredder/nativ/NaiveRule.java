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
package org.freshet.shredder.nativ;

import java.util.stream.IntStream;
import org.freshet.shredder.CandidateRule;

/** The oracle: every position decided from its window anew, by the definition and without tables. */
final class NaiveRule {
  private NaiveRule() {}

  static int[] find(CandidateRule rule, byte[] bytes, int from, int to) {
    return IntStream.rangeClosed(from + 1, to)
        .filter(position -> isCandidate(rule, bytes, position))
        .toArray();
  }

  private static boolean isCandidate(CandidateRule rule, byte[] bytes, int position) {
    if (rule instanceof CandidateRule.Gear gear) {
      return Long.compareUnsigned(gearHash(bytes, position) - gear.first(), gear.width()) < 0;
    }
    CandidateRule.Rabin rabin = (CandidateRule.Rabin) rule;
    long mask = (1L << rabin.maskBits()) - 1;
    return (fingerprint(rabin, bytes, position) & mask) == rabin.marker();
  }

  private static long gearHash(byte[] bytes, int position) {
    long[] table = CandidateRule.Gear.table();
    long hash = 0;
    for (int distance = 0; distance < 64; distance++) {
      hash += table[bytes[position - 1 - distance] & 0xFF] << distance;
    }
    return hash;
  }

  /** Long division, bit by bit. */
  static long fingerprint(CandidateRule.Rabin rule, byte[] bytes, int position) {
    long top = Long.highestOneBit(rule.polynomial());
    long remainder = 0;
    for (int i = position - rule.window(); i < position; i++) {
      for (int bit = 7; bit >= 0; bit--) {
        remainder = remainder << 1 | (bytes[i] >> bit & 1);
        if ((remainder & top) != 0) {
          remainder ^= rule.polynomial();
        }
      }
    }
    return remainder;
  }
}
