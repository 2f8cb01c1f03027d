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
 * Arithmetic of polynomials over GF(2), as bits of a {@code long}: bit i is the coefficient of
 * x<sup>i</sup>. Exact for degrees up to 56, as far as reduction of one more byte needs 64 bits.
 */
final class BinaryPolynomials {
  private static final long X = 2;

  private BinaryPolynomials() {}

  /** The degree; -1 for the zero polynomial. */
  static int degree(long polynomial) {
    return 63 - Long.numberOfLeadingZeros(polynomial);
  }

  /** {@code dividend mod divisor}, both taken as 64 coefficients. */
  static long mod(long dividend, long divisor) {
    int degree = degree(divisor);
    long rest = dividend;
    while (degree(rest) >= degree) {
      rest ^= divisor << (degree(rest) - degree);
    }
    return rest;
  }

  /** {@code value * x^power mod divisor}. */
  static long timesXToThe(int power, long value, long divisor) {
    long result = mod(value, divisor);
    for (int i = 0; i < power; i++) {
      result = mod(result << 1, divisor);
    }
    return result;
  }

  /**
   * Rabin's test: a polynomial p of degree n is irreducible if and only if p divides x^(2^n) - x
   * and, for each prime q that divides n, has no factor in common with x^(2^(n/q)) - x.
   *
   * <p>Source: M. O. Rabin, "Probabilistic algorithms in finite fields", SIAM Journal on Computing
   * 9(2), 1980, lemma 1.
   */
  static boolean isIrreducible(long polynomial) {
    int degree = degree(polynomial);
    if (degree < 1) {
      return false;
    }
    long power = mod(X, polynomial);
    for (int exponent = 1; exponent <= degree; exponent++) {
      power = multiply(power, power, polynomial);
      boolean ofPrimeIndex = degree % exponent == 0 && isPrime(degree / exponent);
      if (ofPrimeIndex && gcd(power ^ X, polynomial) != 1) {
        return false;
      }
    }
    return power == mod(X, polynomial);
  }

  private static long multiply(long a, long b, long divisor) {
    long product = 0;
    for (int bit = degree(b); bit >= 0; bit--) {
      product = mod(product << 1, divisor);
      if (((b >>> bit) & 1) == 1) {
        product ^= a;
      }
    }
    return product;
  }

  private static long gcd(long a, long b) {
    long divisor = b;
    long rest = a;
    while (rest != 0) {
      long next = mod(divisor, rest);
      divisor = rest;
      rest = next;
    }
    return divisor;
  }

  private static boolean isPrime(int number) {
    for (int factor = 2; factor * factor <= number; factor++) {
      if (number % factor == 0) {
        return false;
      }
    }
    return number > 1;
  }
}
