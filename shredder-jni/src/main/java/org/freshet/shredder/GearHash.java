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
 * The rolling state g = h - first of a Gear hash h. From h' = 2h + T follows g' = 2g + (T + first),
 * the same step with another table; so a test of h can become a cheaper one of g. Immutable.
 */
final class GearHash {
  private final long[] steps;
  private final int window;

  /**
   * @param table what each byte adds to h; changed, and kept
   */
  GearHash(long[] table, long first, int window) {
    for (int i = 0; i < table.length; i++) {
      table[i] += first;
    }
    this.steps = table;
    this.window = window;
  }

  int window() {
    return window;
  }

  /** What each byte adds to g. */
  long[] steps() {
    return steps;
  }

  long step(long g, byte next) {
    return (g << 1) + steps[next & 0xFF];
  }

  /** The state that the next step makes that of the window which ends behind {@code position}. */
  long before(byte[] bytes, int position) {
    long g = 0;
    for (int i = position - (window - 1); i < position; i++) {
      g = step(g, bytes[i]);
    }
    return g;
  }
}
