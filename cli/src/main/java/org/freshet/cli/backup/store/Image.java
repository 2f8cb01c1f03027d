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
package org.freshet.cli.backup.store;

import java.time.Instant;

/**
 * One backup of one thing: an image as it was when it was put. An immutable value.
 *
 * @param name of what was backed up
 * @param sequence counts the backups of that name, from 1
 * @param bytes its length
 * @param chunks how many chunks it is made of
 * @param created when it was put
 * @param id the SHA-256 of its references, and so a name of its content
 */
public record Image(
    String name, int sequence, long bytes, long chunks, Instant created, ChunkDigest id) {
  /** What a name may be, for people and for {@link #requireName}. */
  private static final String NAMES = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";

  /**
   * Returns the name.
   *
   * @throws IllegalArgumentException if it could not be that of a directory
   */
  public static String requireName(String name) {
    if (!name.matches(NAMES)) {
      throw new IllegalArgumentException(
          "an image cannot be named '"
              + name
              + "', expected up to 100 letters, digits, dots, hyphens and underscores, the first a"
              + " letter or digit");
    }
    return name;
  }
}
