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
 * How large chunks are, in bytes. Immutable.
 *
 * <p>The minimum is at least the 64 bytes that a candidate looks at. It is also what keeps cuts
 * away from the very start of a file: a text reader given a split that ends at its first byte would
 * read the first line twice, so no cut may be at offset 1.
 *
 * @param minSize no chunk but a source's last is smaller; at least {@value #SMALLEST_MINIMUM}
 * @param averageSize what chunks of random content measure in the mean, as long as {@code maxSize}
 *     is several times larger; need not be a power of two
 * @param maxSize a chunk is cut here if nothing has cut it before; record alignment may then move
 *     the cut to the end of the record that crosses it
 */
public record ChunkerConfig(int minSize, int averageSize, int maxSize) {
  /** The least value that a minimum may have. */
  public static final int SMALLEST_MINIMUM = 64;

  private static final int MAX_TO_AVERAGE = 4;

  /** Checks that minimum, average and maximum are in this order, and different. */
  public ChunkerConfig {
    if (minSize < SMALLEST_MINIMUM) {
      throw new IllegalArgumentException(
          "minSize must be at least " + SMALLEST_MINIMUM + " bytes, not " + minSize);
    }
    // A candidate in every byte would be no choice at all.
    if (averageSize < minSize + 2L) {
      throw new IllegalArgumentException(
          "averageSize must be at least minSize + 2 = " + (minSize + 2L) + ", not " + averageSize);
    }
    if (maxSize <= averageSize) {
      throw new IllegalArgumentException(
          "maxSize must be above averageSize = " + averageSize + ", not " + maxSize);
    }
  }

  /**
   * Chunks of {@code averageSize} bytes in the mean, between half and four times as large.
   *
   * <p>Half: beyond the minimum, chunk lengths are distributed exponentially, so a minimum of half
   * the average keeps the chunk that an edit hits 1.25 averages long; with no minimum it would be
   * two. Four times: one chunk in a thousand is cut by the maximum, which costs 0.1 % of the
   * average.
   *
   * @throws IllegalArgumentException if {@code averageSize} is below 128 or above 512 MiB - 1
   */
  public static ChunkerConfig withAverage(int averageSize) {
    int smallest = 2 * SMALLEST_MINIMUM;
    int largest = Integer.MAX_VALUE / MAX_TO_AVERAGE;
    if (averageSize < smallest || averageSize > largest) {
      throw new IllegalArgumentException(
          "averageSize must be " + smallest + " to " + largest + " bytes, not " + averageSize);
    }
    return new ChunkerConfig(averageSize / 2, averageSize, MAX_TO_AVERAGE * averageSize);
  }

  /**
   * Mean distance of candidates in random content. The first candidate after the minimum ends the
   * chunk, and candidates have no memory, so the average lies one gap above the minimum.
   */
  public int candidateGap() {
    return averageSize - minSize;
  }

  /**
   * Names the algorithm and its parameters: chunk lists made under equal fingerprints have the same
   * boundaries for the same content and record alignment, in every version and on every backend.
   */
  public String fingerprint() {
    return GearFinder.NAME + "/min=" + minSize + ",avg=" + averageSize + ",max=" + maxSize;
  }
}
