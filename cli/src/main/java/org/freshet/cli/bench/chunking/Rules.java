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
package org.freshet.cli.bench.chunking;

import org.freshet.shredder.ChunkerConfig;

/**
 * The configurations that are compared: chunks of 4, 8 and 32 KiB at least, in the mean, at most.
 */
enum Rules {
  GEAR("Gear"),
  PLAIN_GEAR("Gear without sieve"),
  RABIN("Rabin-48");

  static final int MIN = 4 << 10;
  static final int AVERAGE = 8 << 10;
  static final int MAX = 32 << 10;

  private final String title;

  Rules(String title) {
    this.title = title;
  }

  /** Cuts at any byte, every 4 KiB after the minimum. */
  ChunkerConfig config() {
    // A marker other than 0, so that zeros are no run of candidates.
    return switch (this) {
      case GEAR -> ChunkerConfig.of(MIN, AVERAGE, MAX);
      case PLAIN_GEAR -> ChunkerConfig.builder().plainGear().averageSize(AVERAGE).build();
      case RABIN ->
          ChunkerConfig.builder().rabin().averageSize(AVERAGE).maxSize(MAX).marker(0x78).build();
    };
  }

  /** For people. */
  String title() {
    return title;
  }
}
