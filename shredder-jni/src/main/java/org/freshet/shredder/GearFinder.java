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
 * What the rules of the Gear hash have in common in Java.
 *
 * <p>What rolls is not the hash h but a state g = h - first. From h' = 2h + T follows g' = 2g + (T
 * + first), the same step with another table; so {@code first} can be chosen such that a rule's
 * test of h becomes a cheaper one of g: candidates have zeros in the bits of a mask, and are less
 * than a limit as signed numbers.
 */
abstract class GearFinder extends JavaFinder {
  private final int window;
  private final long[] steps;
  private final long mask;
  private final long limit;

  /**
   * @param steps what each byte adds to g; kept
   */
  GearFinder(CandidateRule rule, int streams, long[] steps, long mask, long limit) {
    super(rule, streams);
    this.window = rule.window();
    this.steps = steps;
    this.mask = mask;
    this.limit = limit;
  }

  /**
   * @param table what each byte adds to h
   * @return what it adds to g
   */
  static long[] steps(long[] table, long first) {
    long[] steps = new long[table.length];
    for (int i = 0; i < table.length; i++) {
      steps[i] = table[i] + first;
    }
    return steps;
  }

  /** What each byte adds to g. */
  final long[] steps() {
    return steps;
  }

  /** The states of candidates are less, signed. */
  final long limit() {
    return limit;
  }

  @Override
  final void searchOneStream(byte[] bytes, int from, int to, int shift, Positions found) {
    long g = stateAt(bytes, from);
    for (int i = from; i < to; i++) {
      g = (g << 1) + steps[bytes[i] & 0xFF];
      if ((g & mask) == 0 && g < limit) {
        found.add(i + 1 + shift);
      }
    }
  }

  /** The state that the next step makes that of the window which ends behind {@code position}. */
  @Override
  final long stateAt(byte[] bytes, int position) {
    long g = 0;
    for (int i = position - (window - 1); i < position; i++) {
      g = (g << 1) + steps[bytes[i] & 0xFF];
    }
    return g;
  }
}
