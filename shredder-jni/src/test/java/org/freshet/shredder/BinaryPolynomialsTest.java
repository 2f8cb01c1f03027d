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

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class BinaryPolynomialsTest {
  @Test
  void irreducibleIsWhatNothingDivides() {
    for (long polynomial = 2; polynomial < 1 << 13; polynomial++) {
      assertThat(BinaryPolynomials.isIrreducible(polynomial))
          .as("0x%x", polynomial)
          .isEqualTo(!hasDivisor(polynomial));
    }
  }

  private static boolean hasDivisor(long polynomial) {
    int degree = BinaryPolynomials.degree(polynomial);
    for (long divisor = 2; BinaryPolynomials.degree(divisor) <= degree / 2; divisor++) {
      if (BinaryPolynomials.mod(polynomial, divisor) == 0) {
        return true;
      }
    }
    return false;
  }

  @Property
  void aProductIsNeverIrreducible(
      @ForAll @LongRange(min = 2, max = (1L << 28) - 1) long one,
      @ForAll @LongRange(min = 2, max = (1L << 28) - 1) long other) {
    long product = 0;
    for (int bit = 0; bit < 28; bit++) {
      product ^= ((other >>> bit) & 1) == 1 ? one << bit : 0;
    }

    assertThat(BinaryPolynomials.isIrreducible(product)).isFalse();
    assertThat(BinaryPolynomials.mod(product, one)).isZero();
  }

  @Test
  void knowsPolynomialsFromTheLiterature() {
    assertThat(BinaryPolynomials.isIrreducible(CandidateRule.Rabin.POLYNOMIAL)).isTrue();
    // Of AES, degree 8, and x^31 + x^3 + 1.
    assertThat(BinaryPolynomials.isIrreducible(0x11B)).isTrue();
    assertThat(BinaryPolynomials.isIrreducible((1L << 31) | 0b1001)).isTrue();
    assertThat(BinaryPolynomials.isIrreducible(0)).isFalse();
    assertThat(BinaryPolynomials.isIrreducible(1)).isFalse();
  }

  @Property
  void timesXToThePowerIsSoManyShiftsReduced(@ForAll @LongRange(min = 0, max = 255) long value) {
    long polynomial = CandidateRule.Rabin.POLYNOMIAL;
    long expected = value;
    for (int i = 0; i < 384; i++) {
      expected <<= 1;
      if (BinaryPolynomials.degree(expected) == BinaryPolynomials.degree(polynomial)) {
        expected ^= polynomial;
      }
    }

    assertThat(BinaryPolynomials.timesXToThe(384, value, polynomial)).isEqualTo(expected);
  }
}
