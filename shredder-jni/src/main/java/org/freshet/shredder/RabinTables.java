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
 * The tables by which a Rabin fingerprint rolls on by one byte:
 *
 * <pre>{@code
 * h' = (h << 8 | entering) ^ reduction[h >>> shift] ^ leaving[byte that was window() bytes before]
 * }</pre>
 *
 * Immutable.
 */
public final class RabinTables {
  private final int shift;
  private final long[] reduction = new long[256];
  private final long[] leaving = new long[256];

  /** The tables of a rule. */
  public RabinTables(CandidateRule.Rabin rule) {
    long polynomial = rule.polynomial();
    int degree = BinaryPolynomials.degree(polynomial);
    shift = degree - Byte.SIZE;
    for (int value = 0; value < 256; value++) {
      // Cancels the bits above the degree and adds what they are congruent to.
      long above = (long) value << degree;
      reduction[value] = above ^ BinaryPolynomials.mod(above, polynomial);
      leaving[value] = BinaryPolynomials.timesXToThe(Byte.SIZE * rule.window(), value, polynomial);
    }
  }

  /** Distance of a fingerprint's top byte from its lowest bit. */
  public int shift() {
    return shift;
  }

  /** By a fingerprint's top byte, in a new array of 256. */
  public long[] reduction() {
    return reduction.clone();
  }

  /** By the byte that leaves the window, after the next has entered; in a new array of 256. */
  public long[] leaving() {
    return leaving.clone();
  }
}
