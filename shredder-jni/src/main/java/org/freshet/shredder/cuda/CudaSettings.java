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
package org.freshet.shredder.cuda;

/**
 * How the pipeline works; no influence on results.
 *
 * @param bufferBytes size of a segment of the source, and of each buffer in host and device memory
 * @param depth how many buffers of each device are in the pipeline at the same time: 1 is one step
 *     after the other, 4 keeps all four stages busy; with more, more threads read
 * @param leastBytes what is shorter is not worth the way to a device
 * @param loads how kernels read
 */
record CudaSettings(int bufferBytes, int depth, int leastBytes, SearchKernel.Loads loads) {
  /** System property: {@code bufferBytes}. */
  static final String BUFFER_BYTES = "shredder.cuda.buffer.bytes";

  /** System property: {@code depth}. */
  static final String DEPTH = "shredder.cuda.depth";

  static final int LEAST_BUFFER_BYTES = 256 << 10;
  static final int MOST_BUFFER_BYTES = 256 << 20;
  static final int MOST_DEPTH = 16;

  /** One buffer for each stage, as published. */
  static final int PUBLISHED_DEPTH = 4;

  private static final int DEFAULT_BUFFER_BYTES = 8 << 20;

  /** An H100 gets half as much again from eight threads that read as from four. */
  private static final int DEFAULT_DEPTH = 8;

  /** A launch and two copies take as long as a core does for about this much. */
  private static final int DEFAULT_LEAST_BYTES = 128 << 10;

  static final CudaSettings DEFAULT =
      new CudaSettings(
          DEFAULT_BUFFER_BYTES, DEFAULT_DEPTH, DEFAULT_LEAST_BYTES, SearchKernel.Loads.TILED);

  /** Checks the ranges in which the pipeline works at all. */
  CudaSettings {
    requireWithin("bufferBytes", bufferBytes, 1, MOST_BUFFER_BYTES);
    requireWithin("depth", depth, 1, MOST_DEPTH);
  }

  /**
   * The defaults, but for what system properties say.
   *
   * @throws IllegalArgumentException if a property is no number or out of its range
   */
  static CudaSettings fromProperties() {
    return new CudaSettings(
        property(BUFFER_BYTES, DEFAULT.bufferBytes(), LEAST_BUFFER_BYTES, MOST_BUFFER_BYTES),
        property(DEPTH, DEFAULT.depth(), 1, MOST_DEPTH),
        DEFAULT.leastBytes(),
        DEFAULT.loads());
  }

  private static int property(String name, int otherwise, int least, int most) {
    String value = System.getProperty(name);
    if (value == null) {
      return otherwise;
    }
    try {
      return requireWithin(name, Integer.parseInt(value), least, most);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " must be a number, not " + value, e);
    }
  }

  private static int requireWithin(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " must be " + least + " to " + most + ", not " + value);
    }
    return value;
  }
}
