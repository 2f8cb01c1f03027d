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

import java.util.Objects;

/**
 * All that decides where a source is cut: which positions are candidates, how small and how large
 * chunks may be, and where records begin; and what names a chunk's content. An immutable value.
 */
public final class ChunkerConfig {
  /** As {@link #maxSize()}: no maximum. */
  public static final long NO_MAXIMUM = Long.MAX_VALUE;

  /** The least average that {@link #withAverage} takes, in bytes. */
  public static final int SMALLEST_AVERAGE = 4;

  static final int MAX_TO_AVERAGE = 4;

  private final CandidateRule rule;
  private final int minSize;
  private final long maxSize;
  private final RecordAlignment alignment;
  private final DigestAlgorithm digest;

  ChunkerConfig(
      CandidateRule rule,
      int minSize,
      long maxSize,
      RecordAlignment alignment,
      DigestAlgorithm digest) {
    if (minSize < 1) {
      throw new IllegalArgumentException("minSize must be at least 1 byte, not " + minSize);
    }
    if (maxSize < minSize) {
      throw new IllegalArgumentException(
          "maxSize must be at least minSize = " + minSize + ", not " + maxSize);
    }
    int lookBehind = alignment.lookBehind();
    if (lookBehind < 0 || lookBehind > RecordAlignment.MAX_LOOK_BEHIND) {
      throw new IllegalArgumentException(
          "lookBehind of "
              + alignment.name()
              + " must be 0 to "
              + RecordAlignment.MAX_LOOK_BEHIND
              + ", not "
              + lookBehind);
    }
    this.rule = rule;
    this.minSize = minSize;
    this.maxSize = maxSize;
    this.alignment = alignment;
    this.digest = Objects.requireNonNull(digest, "digest");
  }

  /**
   * Chunks of {@code averageSize} bytes in the mean, between half and four times as large, cut at
   * any byte by the Gear hash.
   *
   * <p>Half: beyond the minimum, chunk lengths are distributed exponentially, so a minimum of half
   * the average keeps the chunk that an edit hits 1.25 averages long; with no minimum it would be
   * two. Four times: one chunk in a thousand is cut by the maximum, which costs 0.1 % of the
   * average.
   *
   * @param averageSize {@value #SMALLEST_AVERAGE} to 512 MiB - 1
   */
  public static ChunkerConfig withAverage(int averageSize) {
    int largest = Integer.MAX_VALUE / MAX_TO_AVERAGE;
    if (averageSize < SMALLEST_AVERAGE || averageSize > largest) {
      throw new IllegalArgumentException(
          "averageSize must be "
              + SMALLEST_AVERAGE
              + " to "
              + largest
              + " bytes, not "
              + averageSize);
    }
    return of(averageSize / 2, averageSize, MAX_TO_AVERAGE * averageSize);
  }

  /**
   * Chunks of the sizes given, cut at any byte by the Gear hash.
   *
   * @param minSize no chunk but a source's last is smaller; at least 1
   * @param averageSize what chunks of random content measure in the mean, as long as {@code
   *     maxSize} is several times larger; need not be a power of two; at least {@code minSize + 2}
   * @param maxSize a chunk is cut here if nothing has cut it before; above {@code averageSize}
   */
  public static ChunkerConfig of(int minSize, int averageSize, int maxSize) {
    // A candidate in every byte would be no choice at all.
    if (averageSize < minSize + 2L) {
      throw new IllegalArgumentException(
          "averageSize must be at least minSize + 2 = " + (minSize + 2L) + ", not " + averageSize);
    }
    if (maxSize <= averageSize) {
      throw new IllegalArgumentException(
          "maxSize must be above averageSize = " + averageSize + ", not " + maxSize);
    }
    // The first candidate after the minimum ends the chunk, and candidates have no memory, so the
    // average lies one gap above the minimum.
    return new ChunkerConfig(
        CandidateRule.everyBytes(averageSize - Math.max(minSize, 0)),
        minSize,
        maxSize,
        RecordAlignment.none(),
        DigestAlgorithm.SHA_256);
  }

  /** For every other choice. */
  public static ChunkerConfigBuilder builder() {
    return new ChunkerConfigBuilder();
  }

  /** The same but for the alignment. */
  public ChunkerConfig with(RecordAlignment other) {
    return new ChunkerConfig(rule, minSize, maxSize, other, digest);
  }

  /** The same but for the digest. */
  public ChunkerConfig with(DigestAlgorithm other) {
    return new ChunkerConfig(rule, minSize, maxSize, alignment, other);
  }

  /** Which positions are candidates. */
  public CandidateRule rule() {
    return rule;
  }

  /** No chunk but a source's last is smaller, in bytes; at least 1. */
  public int minSize() {
    return minSize;
  }

  /**
   * A chunk is cut here if nothing has cut it before, in bytes; {@link #NO_MAXIMUM} if never.
   * Record alignment may then move the cut to the end of the record that crosses it.
   */
  public long maxSize() {
    return maxSize;
  }

  /** Where records begin. */
  public RecordAlignment alignment() {
    return alignment;
  }

  /** What names a chunk's content. */
  public DigestAlgorithm digest() {
    return digest;
  }

  /**
   * Names rule, sizes, alignment and digest: under equal fingerprints the same content has the same
   * chunks, in every version and on every backend. Chunk lists may be kept under it.
   */
  public String fingerprint() {
    int gap = 0;
    String algorithm = "";
    if (rule instanceof CandidateRule.Gear gear) {
      gap = gear.gap();
      algorithm = CandidateRule.Gear.algorithm();
    } else if (rule instanceof CandidateRule.SievedGear sieved) {
      gap = sieved.gap();
      algorithm = CandidateRule.SievedGear.algorithm();
    }
    // Lists of whole lines are kept from the time when there was nothing else; hence their form.
    String sizes =
        gap > 0
            ? algorithm + "/min=" + minSize + ",avg=" + ((long) minSize + gap) + ",max=" + maxSize
            : rule.name() + "/min=" + minSize + ",max=" + maxSize;
    String cuts =
        alignment.equals(RecordAlignment.lines()) ? sizes : sizes + "/" + alignment.name();
    return digest == DigestAlgorithm.SHA_256 ? cuts : cuts + "/" + digest.label();
  }

  /** Equal if chunks are: decided by the fingerprint. */
  @Override
  public boolean equals(Object other) {
    return other instanceof ChunkerConfig that && fingerprint().equals(that.fingerprint());
  }

  @Override
  public int hashCode() {
    return fingerprint().hashCode();
  }

  @Override
  public String toString() {
    return "ChunkerConfig[" + fingerprint() + "]";
  }
}
