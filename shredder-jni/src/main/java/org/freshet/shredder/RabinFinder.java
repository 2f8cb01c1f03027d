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
   * with the byte that leaves. And it is moved to the top of its long, whatever the polynomial's degree:
   * the top byte is a constant away, and what overflows falls off.
   */
  private static final int LEAVING = 256;
  private static final int ENTERING = 512;

  private final int window;

  /** Bits that are zeros in candidates' states. */
  private final long bits;

  /** The rule's marker, where it is in a state. */
  private final long marker;

  /** What the top byte adds, the byte that leaves, and the one that enters, in this order. */
  private final long[] steps = new long[768];

  RabinFinder(CandidateRule.Rabin rule) {
    super(rule, 3);
    RabinTables tables = new RabinTables(rule);
    int above = Long.SIZE - Byte.SIZE - tables.shift();
    window = rule.window();
    bits = ((1L << rule.maskBits()) - 1) << above;
    marker = rule.marker() << above;
    long[] reduction = tables.reduction();
    long[] leaving = tables.leaving();
    int top = (int) (rule.marker() >>> tables.shift());
    long markers = rule.marker() << Byte.SIZE ^ rule.marker();
    for (int i = 0; i < 256; i++) {
      steps[i] = reduction[i ^ top] << above;
      steps[LEAVING + i] = (leaving[i] ^ markers) << above;
      steps[ENTERING + i] = (long) i << above;
    }
  }

  @Override
  int searchRuns(byte[] bytes, int from, long[] states, long[] hits) {
    long[] steps = new long[768];
    System.arraycopy(this.steps, 0, steps, 0, steps.length);
    int w = window;
    long bits = this.bits;
    int n = 0;
    long h0 = states[0];
    long h1 = states[1];
    long h2 = states[2];
    for (int i = from; i < from + RUN; i++) {
      h0 =
          (h0 << 8)
              ^ steps[(int) (h0 >>> 56)]
              ^ steps[LEAVING + (bytes[i - w] & 0xFF)]
              ^ steps[ENTERING + (bytes[i] & 0xFF)];
      if ((h0 & bits) == 0) {
        hits[n++ & HITS - 1] = i;
      }
      h1 =
          (h1 << 8)
              ^ steps[(int) (h1 >>> 56)]
              ^ steps[LEAVING + (bytes[i - w + RUN] & 0xFF)]
              ^ steps[ENTERING + (bytes[i + RUN] & 0xFF)];
      if ((h1 & bits) == 0) {
        hits[n++ & HITS - 1] = i + RUN;
      }
      h2 =
          (h2 << 8)
              ^ steps[(int) (h2 >>> 56)]
              ^ steps[LEAVING + (bytes[i - w + 2 * RUN] & 0xFF)]
              ^ steps[ENTERING + (bytes[i + 2 * RUN] & 0xFF)];
      if ((h2 & bits) == 0) {
        hits[n++ & HITS - 1] = i + 2 * RUN;
      }
    }
    return n;
  }

  @Override
  void searchOneStream(byte[] bytes, int from, int to, int shift, Positions found) {
    if (from == to) {
      return;
    }
    int start = from;
    if (from < window) {
      // There is no byte that leaves: the first window is set up whole.
      start++;
      if ((stateAt(bytes, start) & bits) == 0) {
        found.add(start + shift);
      }
    }
    long h = stateAt(bytes, start);
    for (int i = start; i < to; i++) {
      h =
          (h << 8)
              ^ steps[(int) (h >>> 56)]
              ^ steps[LEAVING + (bytes[i - window] & 0xFF)]
              ^ steps[ENTERING + (bytes[i] & 0xFF)];
      if ((h & bits) == 0) {
        found.add(i + 1 + shift);
      }
    }
  }

  /** The state of the window that ends at {@code position}. */
  @Override
  long stateAt(byte[] bytes, int position) {
    int top = (int) (marker >>> 56);
    long h = 0;
    for (int i = position - window; i < position; i++) {
      h = (h << 8) ^ steps[(int) (h >>> 56) ^ top] ^ steps[ENTERING + (bytes[i] & 0xFF)];
    }
    return h ^ marker;
  }
}
