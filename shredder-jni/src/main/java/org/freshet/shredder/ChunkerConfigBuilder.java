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

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Collects the settings of a {@link ChunkerConfig}:
 *
 * <pre>{@code
 * ChunkerConfig published = ChunkerConfig.builder().rabin().maskBits(13).marker(0x78).build();
 * ChunkerConfig lines =
 *     ChunkerConfig.builder().averageSize(64 << 10).alignment(RecordAlignment.lines()).build();
 * }</pre>
 *
 * <p>How often candidates come is said in one of two ways. By {@link #averageSize}: the minimum is
 * then half of it and the maximum four times, unless set. Or by {@link #maskBits}, as in the
 * published system: there is then no minimum and no maximum, unless set. For one thread.
 */
public final class ChunkerConfigBuilder {
  private Family family = Family.GEAR;
  private long polynomial = CandidateRule.Rabin.POLYNOMIAL;
  private int window = CandidateRule.Rabin.PUBLISHED_WINDOW;
  private OptionalInt maskBits = OptionalInt.empty();
  private OptionalLong marker = OptionalLong.empty();
  private OptionalInt averageSize = OptionalInt.empty();
  private OptionalInt minSize = OptionalInt.empty();
  private OptionalLong maxSize = OptionalLong.empty();
  private RecordAlignment alignment = RecordAlignment.none();
  private DigestAlgorithm digest = DigestAlgorithm.SHA_256;

  ChunkerConfigBuilder() {}

  private enum Family {
    GEAR,
    PLAIN_GEAR,
    RABIN
  }

  /**
   * Candidates by the Gear hash, {@link CandidateRule.SievedGear} where an average is set that
   * allows it; so it is unless something else is said.
   */
  public ChunkerConfigBuilder gear() {
    family = Family.GEAR;
    return this;
  }

  /** Candidates by the Gear hash as published, {@link CandidateRule.Gear}, at every average. */
  public ChunkerConfigBuilder plainGear() {
    family = Family.PLAIN_GEAR;
    return this;
  }

  /** Candidates by Rabin fingerprints with the published window. */
  public ChunkerConfigBuilder rabin() {
    return rabin(CandidateRule.Rabin.POLYNOMIAL, CandidateRule.Rabin.PUBLISHED_WINDOW);
  }

  /** Candidates by Rabin fingerprints; the parameters are {@link CandidateRule.Rabin}'s. */
  public ChunkerConfigBuilder rabin(long modulus, int windowBytes) {
    family = Family.RABIN;
    polynomial = modulus;
    window = windowBytes;
    return this;
  }

  /** How many bits of a hash must equal the marker. */
  public ChunkerConfigBuilder maskBits(int bits) {
    maskBits = OptionalInt.of(bits);
    return this;
  }

  /** What those bits must be; 0 unless set. Zeros have a Rabin fingerprint of zero. */
  public ChunkerConfigBuilder marker(long value) {
    marker = OptionalLong.of(value);
    return this;
  }

  /**
   * What chunks of random content measure in the mean. Rabin's mask can only halve and double: with
   * it, the minimum is set where the average comes out exact, and an average and a minimum that are
   * both set must be a power of two apart.
   */
  public ChunkerConfigBuilder averageSize(int bytes) {
    averageSize = OptionalInt.of(bytes);
    return this;
  }

  /** The size that no chunk but the last is below; at least 1. */
  public ChunkerConfigBuilder minSize(int bytes) {
    minSize = OptionalInt.of(bytes);
    return this;
  }

  /** The size at which a chunk is cut if nothing has cut it before. */
  public ChunkerConfigBuilder maxSize(long bytes) {
    maxSize = OptionalLong.of(bytes);
    return this;
  }

  /** Where records begin; anywhere, unless set. */
  public ChunkerConfigBuilder alignment(RecordAlignment records) {
    alignment = records;
    return this;
  }

  /** What names a chunk's content; SHA-256, unless set. */
  public ChunkerConfigBuilder digest(DigestAlgorithm algorithm) {
    digest = algorithm;
    return this;
  }

  /**
   * The configuration.
   *
   * @throws IllegalArgumentException if a setting is out of range, or two contradict each other
   */
  public ChunkerConfig build() {
    if (averageSize.isPresent() == maskBits.isPresent()) {
      throw new IllegalArgumentException(
          averageSize.isPresent()
              ? "averageSize and maskBits say the same thing: set one, not both"
              : "Either averageSize or maskBits must be set");
    }
    return maskBits.isPresent() ? byMask() : byAverage();
  }

  private ChunkerConfig byMask() {
    return new ChunkerConfig(
        masked(maskBits.getAsInt()),
        minSize.orElse(1),
        maxSize.orElse(ChunkerConfig.NO_MAXIMUM),
        alignment,
        digest);
  }

  private CandidateRule masked(int bits) {
    long value = marker.orElse(0);
    return family == Family.RABIN
        ? new CandidateRule.Rabin(polynomial, window, bits, value)
        : CandidateRule.Gear.masked(bits, value);
  }

  private ChunkerConfig byAverage() {
    int average = averageSize.getAsInt();
    if (average < ChunkerConfig.SMALLEST_AVERAGE) {
      throw new IllegalArgumentException(
          "averageSize must be at least "
              + ChunkerConfig.SMALLEST_AVERAGE
              + " bytes, not "
              + average);
    }
    boolean rabin = family == Family.RABIN;
    if (!rabin && marker.isPresent()) {
      throw new IllegalArgumentException(
          "A marker needs maskBits; with averageSize, Gear's candidates are a range of hashes");
    }
    int min = minSize.orElse(rabin ? average - Integer.highestOneBit(average / 2) : average / 2);
    if (min < 1 || average - min < 2) {
      throw new IllegalArgumentException(
          "minSize must be 1 to averageSize - 2 = " + (average - 2) + ", not " + min);
    }
    long max = maxSize.orElse((long) ChunkerConfig.MAX_TO_AVERAGE * average);
    if (max <= average) {
      throw new IllegalArgumentException(
          "maxSize must be above averageSize = " + average + ", not " + max);
    }
    return new ChunkerConfig(everyBytes(average - min), min, max, alignment, digest);
  }

  private CandidateRule everyBytes(int gap) {
    if (family == Family.GEAR) {
      return CandidateRule.everyBytes(gap);
    }
    if (family == Family.PLAIN_GEAR) {
      return CandidateRule.Gear.everyBytes(gap);
    }
    if (Integer.bitCount(gap) != 1) {
      throw new IllegalArgumentException(
          "With Rabin, averageSize - minSize must be a power of two, not "
              + gap
              + "; leave one of them away or set maskBits");
    }
    return masked(Integer.numberOfTrailingZeros(gap));
  }
}
