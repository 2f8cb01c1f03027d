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
package org.freshet.hdfs.format;

/**
 * Which delimiters Hadoop's {@code LineReader} finds wherever they are. Written against Hadoop
 * 3.5.0.
 *
 * <p>After a mismatch it goes back to one byte behind where the match began, but not beyond the
 * start of its buffer; so it misses a delimiter that began within a partial match of the buffer
 * before. And the reader of a split that begins within a delimiter knows nothing of the bytes
 * before it: if the delimiter overlaps itself, it may see another one than the reader of the split
 * before did, and a record is read twice or never.
 */
final class Delimiters {
  private Delimiters() {}

  /** Whether an occurrence may begin within another one. */
  static boolean overlapsItself(byte[] delimiter) {
    for (int border = 1; border < delimiter.length; border++) {
      if (hasBorder(delimiter, delimiter.length, border)) {
        return true;
      }
    }
    return false;
  }

  /** Whether an occurrence may begin within a part of one that then turns out to be none. */
  static boolean beginsWithinItsPart(byte[] delimiter) {
    for (int part = 2; part < delimiter.length; part++) {
      for (int border = 1; border < part; border++) {
        // The byte at which the part failed would have to go on the shorter match.
        if (hasBorder(delimiter, part, border) && delimiter[border] != delimiter[part]) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether the first {@code length} bytes begin and end with the same {@code border} bytes. */
  private static boolean hasBorder(byte[] delimiter, int length, int border) {
    for (int i = 0; i < border; i++) {
      if (delimiter[i] != delimiter[length - border + i]) {
        return false;
      }
    }
    return true;
  }
}
