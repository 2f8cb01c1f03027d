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

import java.util.Locale;

/** What names a chunk's content. All give 32 bytes. */
public enum DigestAlgorithm {
  /** FIPS 180-4; what everybody has. Unless something else is said, it is this. */
  SHA_256,

  /**
   * The hash of a tree, whose parts can be computed side by side even for one chunk: faster than
   * SHA-256 with AVX-512, four times as slow in Java alone (O'Connor, Aumasson, Neves,
   * Wilcox-O'Hearn, BLAKE3: one function, fast everywhere, 2020).
   */
  BLAKE3;

  /** How many bytes a digest has. */
  public static final int BYTES = 32;

  /** As in fingerprints and options: {@code sha-256} or {@code blake3}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
