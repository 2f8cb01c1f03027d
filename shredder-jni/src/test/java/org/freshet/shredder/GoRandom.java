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

import java.util.Arrays;

/**
 * The random numbers of Go's {@code math/rand}, with which public chunking vectors were made.
 *
 * <p>An additive lagged Fibonacci generator, by D. P. Mitchell and J. A. Reeds: y(n) = y(n - 607) +
 * y(n - 273) modulo 2<sup>64</sup>. A seed's start values are mixed with 607 constants, which are
 * what the same generator holds after 7.8 * 10<sup>12</sup> steps from seed 1. They are computed
 * here rather than copied: since x^607 = x^334 + 1 modulo the recurrence's characteristic
 * polynomial, the remainder of x^steps, found by squaring, tells how to combine the values at the
 * start into those after the steps.
 */
final class GoRandom {
  private static final int LENGTH = 607;
  private static final int TAP = 273;
  private static final long STEPS_TO_CONSTANTS = 7_800_000_000_000L;
  private static final long LEHMER_FACTOR = 48_271;
  private static final long LEHMER_MODULUS = (1L << 31) - 1;
  private static final int LEHMER_DISCARDED = 20;
  private static final long[] CONSTANTS = after(STEPS_TO_CONSTANTS, startValues(1, 20, 10));

  private final long[] state;
  private int tap;
  private int feed = LENGTH - TAP;

  /**
   * @param seed 1 to 2^31 - 2
   */
  GoRandom(int seed) {
    state = startValues(seed, 40, 20);
    for (int i = 0; i < LENGTH; i++) {
      state[i] ^= CONSTANTS[i];
    }
  }

  /** As Go's {@code Uint32()}. */
  int nextUint32() {
    tap = tap == 0 ? LENGTH - 1 : tap - 1;
    feed = feed == 0 ? LENGTH - 1 : feed - 1;
    state[feed] += state[tap];
    return (int) ((state[feed] & Long.MAX_VALUE) >>> 31);
  }

  /** Numbers of 32 bits one behind the other, least significant byte first. */
  static byte[] bytes(int seed, int length) {
    GoRandom random = new GoRandom(seed);
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i += Integer.BYTES) {
      int value = random.nextUint32();
      for (int b = 0; b < Integer.BYTES && i + b < length; b++) {
        bytes[i + b] = (byte) (value >>> (Byte.SIZE * b));
      }
    }
    return bytes;
  }

  private static long[] startValues(int seed, int firstShift, int secondShift) {
    long[] values = new long[LENGTH];
    long x = seed;
    for (int i = 0; i < LEHMER_DISCARDED; i++) {
      x = lehmer(x);
    }
    for (int i = 0; i < LENGTH; i++) {
      x = lehmer(x);
      values[i] = x << firstShift;
      x = lehmer(x);
      values[i] ^= x << secondShift;
      x = lehmer(x);
      values[i] ^= x;
    }
    return values;
  }

  private static long lehmer(long x) {
    return x * LEHMER_FACTOR % LEHMER_MODULUS;
  }

  /** What an array of state becomes in {@code steps} steps from the first on. */
  private static long[] after(long steps, long[] state) {
    // Value y(-i) of the sequence lies at index (334 + i) mod 607, and each later one below the
    // last.
    long[] sequence = new long[2 * LENGTH];
    for (int t = 0; t < LENGTH; t++) {
      sequence[t] = state[Math.floorMod(LENGTH - TAP + LENGTH - 1 - t, LENGTH)];
    }
    for (int t = LENGTH; t < sequence.length; t++) {
      sequence[t] = sequence[t - LENGTH] + sequence[t - TAP];
    }
    long[] combination = xToThe(steps);
    long[] result = new long[LENGTH];
    for (int t = 0; t < LENGTH; t++) {
      long value = 0;
      for (int i = 0; i < LENGTH; i++) {
        value += combination[i] * sequence[t + i];
      }
      result[(int) Math.floorMod(LENGTH - TAP + LENGTH - 1 - t - steps, (long) LENGTH)] = value;
    }
    return result;
  }

  private static long[] xToThe(long exponent) {
    long[] power = new long[LENGTH];
    power[0] = 1;
    for (int bit = Long.SIZE - 1 - Long.numberOfLeadingZeros(exponent); bit >= 0; bit--) {
      power = square(power);
      if (((exponent >>> bit) & 1) == 1) {
        power = timesX(power);
      }
    }
    return power;
  }

  private static long[] square(long[] factor) {
    long[] product = new long[2 * LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      for (int j = 0; j < LENGTH; j++) {
        product[i + j] += factor[i] * factor[j];
      }
    }
    for (int i = product.length - 1; i >= LENGTH; i--) {
      product[i - LENGTH] += product[i];
      product[i - TAP] += product[i];
    }
    return Arrays.copyOf(product, LENGTH);
  }

  private static long[] timesX(long[] factor) {
    long[] product = new long[LENGTH];
    System.arraycopy(factor, 0, product, 1, LENGTH - 1);
    product[0] = factor[LENGTH - 1];
    product[LENGTH - TAP] += factor[LENGTH - 1];
    return product;
  }
}
