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
 * Which positions of a source are candidates for a cut: a pure function of the {@link #window()}
 * bytes before a position. An immutable value; what a backend is asked for, see {@link
 * Backend#finder}.
 *
 * <p>A position with fewer than {@code window()} bytes of the source before it is no candidate.
 */
public sealed interface CandidateRule
    permits CandidateRule.Gear, CandidateRule.SievedGear, CandidateRule.Rabin {
  /** The widest window that a rule may have, in bytes. */
  int MAX_WINDOW = 64;

  /** Most bits that a mask may have. */
  int MAX_MASK_BITS = 48;

  /** Number of bytes before a position that decide over it: 1 to {@value #MAX_WINDOW}. */
  int window();

  /** Mean distance of candidates in random content, in bytes. */
  double meanGap();

  /**
   * Names the rule and its parameters; would change with any of its results. A part of {@link
   * ChunkerConfig#fingerprint()}.
   */
  String name();

  /**
   * The fastest rule whose candidates are {@code gap} bytes apart in the mean: {@link SievedGear}
   * where it can be had, else {@link Gear}.
   *
   * @param gap at least 2
   */
  static CandidateRule everyBytes(int gap) {
    return gap < SievedGear.LEAST_GAP ? Gear.everyBytes(gap) : SievedGear.everyBytes(gap);
  }

  /**
   * The Gear rolling hash, 64 bits wide: {@code h' = 2h + table[byte]}. A byte's share is shifted
   * out after 64 steps, so the window is 64 bytes. A position is a candidate if {@code h - first},
   * modulo 2<sup>64</sup> and unsigned, is below {@code width}.
   *
   * <p>Source: W. Xia et al., "Ddelta: a deduplication-inspired fast delta compression approach",
   * Performance Evaluation 79, 2014, section 3.2; the test of the top bits, which depend on all 64
   * bytes, is that of FastCDC (W. Xia et al., USENIX ATC 2016).
   *
   * @param first the first hash value that makes a candidate
   * @param width how many values do, as an unsigned number; not 0
   */
  record Gear(long first, long width) implements CandidateRule {
    private static final int WINDOW = 64;
    private static final String NAME = "gear64-1";
    private static final double TWO_TO_64 = 0x1p64;

    /** Checks that there is a candidate at all. */
    public Gear {
      if (width == 0) {
        throw new IllegalArgumentException("width must be at least 1, not 0");
      }
    }

    /**
     * Candidates {@code gap} bytes apart in the mean, for any gap, not only powers of two.
     *
     * @param gap at least 2
     */
    public static Gear everyBytes(int gap) {
      if (gap < 2) {
        throw new IllegalArgumentException("The gap must be at least 2 bytes, not " + gap);
      }
      return new Gear(0, Long.divideUnsigned(-1L, gap));
    }

    /**
     * Candidates where the top bits of the hash equal a marker.
     *
     * @param maskBits how many bits: 1 to {@value CandidateRule#MAX_MASK_BITS}
     * @param marker their value: 0 to 2<sup>maskBits</sup> - 1
     */
    public static Gear masked(int maskBits, long marker) {
      MaskCheck.check(maskBits, MAX_MASK_BITS, marker);
      return new Gear(marker << (WINDOW - maskBits), 1L << (WINDOW - maskBits));
    }

    /**
     * The 256 values by which the bytes are represented, in a new array: the first outputs of
     * SplitMix64 (G. Steele, D. Lea, C. Flood: "Fast splittable pseudorandom number generators",
     * OOPSLA 2014) from seed 0. Every backend must use these.
     */
    public static long[] table() {
      long[] values = new long[256];
      long state = 0;
      for (int i = 0; i < values.length; i++) {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        values[i] = z ^ (z >>> 31);
      }
      return values;
    }

    @Override
    public int window() {
      return WINDOW;
    }

    @Override
    public double meanGap() {
      return TWO_TO_64 / unsigned(width);
    }

    @Override
    public String name() {
      int gap = gap();
      return gap > 0
          ? NAME + "/gap=" + gap
          : NAME + "/first=" + Long.toHexString(first) + ",width=" + Long.toHexString(width);
    }

    /** The gap whose {@link #everyBytes} this is, or 0 if it is none's. */
    int gap() {
      return first == 0 ? gapOf(width) : 0;
    }

    private static int gapOf(long width) {
      if (width <= 0) {
        return 0;
      }
      // width = floor(M / gap) with M = 2^64 - 1 and gap < width gives gap = floor(M / width).
      long gap = Long.divideUnsigned(-1L, width);
      boolean exact =
          gap <= Integer.MAX_VALUE && Long.divideUnsigned(-1L, Math.max(gap, 1)) == width;
      return exact ? (int) gap : 0;
    }

    /** The name that chunk lists of {@link #everyBytes} are kept under. */
    static String algorithm() {
      return NAME;
    }

    private static double unsigned(long value) {
      return value >= 0 ? value : 2.0 * (value >>> 1);
    }
  }

  /**
   * Gear in a form that processors with vectors test at many positions at once. As in {@link Gear},
   * {@code h' = 2h + table[byte]}, but the low 16 bits of the table's values are those of {@code
   * factor * byte}; and a position is a candidate if bits {@value #SIEVE_SHIFT} to 15 of the hash
   * equal a marker and the whole hash, unsigned, is below {@code width}.
   *
   * <p>Why: the low 16 bits of the hash, which the last 16 bytes decide, are now {@code factor}
   * times a sum of these bytes times powers of two. So vectors of 16-bit numbers find the one
   * position in {@value #SIEVE_GAP} that passes the first test without looking anything up and
   * without one position's hash waiting for the last; only there is the second test made, of the
   * top bits, which depend on 64 bytes. Without vectors the rule costs what {@link Gear} costs.
   * Runs of one byte pass nowhere.
   *
   * @param width how many values of the hash pass the second test, as an unsigned number; not 0
   */
  record SievedGear(long width) implements CandidateRule {
    /** Mean distance of positions that the first test leaves, in bytes. */
    public static final int SIEVE_GAP = 1024;

    /** The least mean distance of candidates that {@link #everyBytes} takes, in bytes. */
    public static final int LEAST_GAP = 2 * SIEVE_GAP;

    /** By what a byte is multiplied; odd. */
    static final int FACTOR = 0x9E37;

    private static final int SIEVE_SHIFT = 6;
    private static final String NAME = "gear64s-1";

    /** The bits that the first test looks at. */
    public static final long SIEVE_MASK = (SIEVE_GAP - 1L) << SIEVE_SHIFT;

    /** What they must be. No byte's run has them: its low 16 bits are those of factor * -byte. */
    public static final long SIEVE_MARKER = 0x2A5L << SIEVE_SHIFT;

    /** Checks that there is a candidate at all. */
    public SievedGear {
      if (width == 0) {
        throw new IllegalArgumentException("width must be at least 1, not 0");
      }
    }

    /**
     * Candidates {@code gap} bytes apart in the mean.
     *
     * @param gap at least {@value #LEAST_GAP}
     */
    public static SievedGear everyBytes(int gap) {
      if (gap < LEAST_GAP) {
        throw new IllegalArgumentException(
            "The gap must be at least " + LEAST_GAP + " bytes, not " + gap);
      }
      return new SievedGear(SIEVE_GAP * Long.divideUnsigned(-1L, gap));
    }

    /** The 256 values by which the bytes are represented, in a new array; for every backend. */
    public static long[] table() {
      long[] values = Gear.table();
      for (int i = 0; i < values.length; i++) {
        values[i] = values[i] & ~0xFFFFL | i * FACTOR & 0xFFFFL;
      }
      return values;
    }

    @Override
    public int window() {
      return Gear.WINDOW;
    }

    @Override
    public double meanGap() {
      return SIEVE_GAP * (Gear.TWO_TO_64 / Gear.unsigned(width));
    }

    @Override
    public String name() {
      int gap = gap();
      return NAME + (gap > 0 ? "/gap=" + gap : "/width=" + Long.toHexString(width));
    }

    /** The gap whose {@link #everyBytes} this is, or 0 if it is none's. */
    int gap() {
      return width % SIEVE_GAP == 0 ? Gear.gapOf(Long.divideUnsigned(width, SIEVE_GAP)) : 0;
    }

    /** The name that chunk lists of {@link #everyBytes} are kept under. */
    static String algorithm() {
      return NAME;
    }
  }

  /**
   * Rabin's fingerprint of the last {@code window} bytes: these as a polynomial over GF(2), the
   * first byte's top bit the highest coefficient, modulo {@code polynomial}. A position is a
   * candidate if the low {@code maskBits} bits of the fingerprint equal {@code marker}.
   *
   * <p>Source: M. O. Rabin, "Fingerprinting by random polynomials", TR-15-81, Harvard, 1981; for
   * cutting files, A. Muthitacharoen, B. Chen, D. Mazieres, "A low-bandwidth network file system",
   * SOSP 2001.
   *
   * @param polynomial irreducible, of degree {@value #MIN_DEGREE} to {@value #MAX_DEGREE}; bit i is
   *     the coefficient of x<sup>i</sup>
   * @param window in bytes: 1 to {@value CandidateRule#MAX_WINDOW}
   * @param maskBits 1 to {@value CandidateRule#MAX_MASK_BITS}, and at most the degree
   * @param marker 0 to 2<sup>maskBits</sup> - 1
   */
  record Rabin(long polynomial, int window, int maskBits, long marker) implements CandidateRule {
    /** An irreducible polynomial of degree 53, that which public test vectors are made with. */
    public static final long POLYNOMIAL = 0x3DA3358B4DC173L;

    /** The window of the published system, in bytes. */
    public static final int PUBLISHED_WINDOW = 48;

    /** A byte's worth of bits must fit below the degree. */
    public static final int MIN_DEGREE = 9;

    /** A fingerprint and one more byte must fit into 64 bits. */
    public static final int MAX_DEGREE = 56;

    private static final String NAME = "rabin-1";

    /** Checks every parameter, with Rabin's test of irreducibility. */
    public Rabin {
      int degree = BinaryPolynomials.degree(polynomial);
      if (degree < MIN_DEGREE || degree > MAX_DEGREE) {
        throw new IllegalArgumentException(
            "The polynomial must have a degree of %d to %d, not %d: 0x%x"
                .formatted(MIN_DEGREE, MAX_DEGREE, degree, polynomial));
      }
      if (!BinaryPolynomials.isIrreducible(polynomial)) {
        throw new IllegalArgumentException(
            "The polynomial must be irreducible over GF(2); 0x%x is not".formatted(polynomial));
      }
      if (window < 1 || window > MAX_WINDOW) {
        throw new IllegalArgumentException(
            "The window must have 1 to " + MAX_WINDOW + " bytes, not " + window);
      }
      MaskCheck.check(maskBits, Math.min(MAX_MASK_BITS, degree), marker);
    }

    /** With the published window of 48 bytes and {@link #POLYNOMIAL}. */
    public static Rabin published(int maskBits, long marker) {
      return new Rabin(POLYNOMIAL, PUBLISHED_WINDOW, maskBits, marker);
    }

    @Override
    public double meanGap() {
      return 1L << maskBits;
    }

    @Override
    public String name() {
      return NAME
          + "/polynomial=%x,window=%d,bits=%d,marker=%x"
              .formatted(polynomial, window, maskBits, marker);
    }
  }
}
