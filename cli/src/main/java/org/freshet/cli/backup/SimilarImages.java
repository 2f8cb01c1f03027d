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
package org.freshet.cli.backup;

import java.util.SplittableRandom;

/**
 * Images that resemble a master image, made as in the evaluation of Shredder's backup: the master
 * is divided into segments, and an image is the master with each segment replaced by other content
 * with some probability. All content is random, so that nothing but the master repeats.
 *
 * <p>A function of its parameters. Not thread-safe.
 */
final class SimilarImages {
  private final SplittableRandom random;
  private final byte[] master;
  private final int segmentBytes;

  /**
   * @param bytes length of every image
   * @param segmentBytes length of a segment; the last may be shorter
   */
  SimilarImages(int bytes, int segmentBytes, long seed) {
    if (bytes < 1 || segmentBytes < 1) {
      throw new IllegalArgumentException(
          "an image of "
              + bytes
              + " bytes in segments of "
              + segmentBytes
              + ", expected at least 1 each");
    }
    this.random = new SplittableRandom(seed);
    this.segmentBytes = segmentBytes;
    this.master = new byte[bytes];
    random.nextBytes(master);
  }

  /** The master. */
  MemoryImage master() {
    return new MemoryImage(master);
  }

  /**
   * A new image.
   *
   * @param image its content
   * @param replacedBytes length of all segments that were replaced
   */
  record Replaced(MemoryImage image, long replacedBytes) {}

  /** The master with each segment replaced with this probability. */
  Replaced replace(double probability) {
    byte[] image = master.clone();
    long replaced = 0;
    for (int start = 0; start < image.length; start += segmentBytes) {
      if (random.nextDouble() < probability) {
        byte[] segment = new byte[Math.min(segmentBytes, image.length - start)];
        random.nextBytes(segment);
        System.arraycopy(segment, 0, image, start, segment.length);
        replaced += segment.length;
      }
    }
    return new Replaced(new MemoryImage(image), replaced);
  }
}
