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
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Rules and content of every kind, for properties. */
final class Rules {
  private Rules() {}

  /** Rules whose candidates are a few hundred bytes apart at most, and some sieved ones. */
  static Arbitrary<CandidateRule> dense() {
    return Arbitraries.oneOf(gear(), rabin(), sieved());
  }

  /** From all positions that the sieve leaves to few of them. */
  static Arbitrary<CandidateRule> sieved() {
    return Combinators.combine(
            Arbitraries.longs().withoutEdgeCases(), Arbitraries.integers().between(0, 6))
        .as((width, shift) -> new CandidateRule.SievedGear((width | Long.MIN_VALUE) >>> shift));
  }

  static Arbitrary<CandidateRule> gear() {
    Arbitrary<CandidateRule> gaps =
        Arbitraries.integers().between(2, 300).map(CandidateRule.Gear::everyBytes);
    Arbitrary<CandidateRule> masks =
        Combinators.combine(
                Arbitraries.integers().between(1, 8), Arbitraries.longs().withoutEdgeCases())
            .as((bits, value) -> CandidateRule.Gear.masked(bits, value & ((1L << bits) - 1)));
    Arbitrary<CandidateRule> ranges =
        Combinators.combine(
                Arbitraries.longs().withoutEdgeCases(), Arbitraries.integers().between(0, 8))
            .as(
                (first, shift) ->
                    new CandidateRule.Gear(first, ((first | 1) >>> shift) | (1L << 55)));
    return Arbitraries.oneOf(gaps, masks, ranges);
  }

  static Arbitrary<CandidateRule> rabin() {
    return Combinators.combine(
            polynomials(),
            Arbitraries.integers().between(1, CandidateRule.MAX_WINDOW),
            Arbitraries.integers().between(1, 8),
            Arbitraries.longs().withoutEdgeCases())
        .as(
            (polynomial, window, bits, value) ->
                new CandidateRule.Rabin(polynomial, window, bits, value & ((1L << bits) - 1)));
  }

  /** Irreducible polynomials of every degree that is allowed. */
  static Arbitrary<Long> polynomials() {
    return Combinators.combine(
            Arbitraries.integers()
                .between(CandidateRule.Rabin.MIN_DEGREE, CandidateRule.Rabin.MAX_DEGREE),
            Arbitraries.longs().withoutEdgeCases())
        .as(Rules::irreducible);
  }

  private static long irreducible(int degree, long seed) {
    long top = 1L << degree;
    long polynomial = top | (seed & (top - 1)) | 1;
    while (!BinaryPolynomials.isIrreducible(polynomial)) {
      polynomial = top | ((polynomial + 2) & (top - 1));
    }
    return polynomial;
  }

  /** Random bytes, text, bytes of few values, repetitions, zeros; up to {@code longest}. */
  static Arbitrary<byte[]> content(int longest) {
    return Combinators.combine(
            Arbitraries.of(Kind.values()),
            Arbitraries.longs().withoutEdgeCases(),
            Arbitraries.integers().between(0, longest))
        .as((kind, seed, length) -> kind.make(seed, length));
  }

  private enum Kind {
    RANDOM {
      @Override
      byte[] make(long seed, int length) {
        return Sources.random(length, seed);
      }
    },
    TEXT {
      @Override
      byte[] make(long seed, int length) {
        byte[] text = Sources.bytes(Sources.lines(length / 50 + 1, seed));
        return Arrays.copyOf(text, Math.min(length, text.length));
      }
    },
    FEW_VALUES {
      @Override
      byte[] make(long seed, int length) {
        byte[] bytes = Sources.random(length, seed);
        for (int i = 0; i < length; i++) {
          bytes[i] &= 0x81;
        }
        return bytes;
      }
    },
    REPETITION {
      @Override
      byte[] make(long seed, int length) {
        byte[] bytes = Sources.random(length, seed);
        for (int i = 100; i < length; i++) {
          bytes[i] = bytes[i - 100];
        }
        return bytes;
      }
    },
    ZEROS {
      @Override
      byte[] make(long seed, int length) {
        return new byte[length];
      }
    };

    abstract byte[] make(long seed, int length);
  }
}
