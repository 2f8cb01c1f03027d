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
package org.freshet.memo;

import java.util.Objects;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;

/**
 * Where one run lies and what it must contain.
 *
 * @param content SHA-256 of the stored bytes
 * @param pack the pack file, relative to the lineage's directory, such as {@code runs/r1/m-3.pack}
 * @param offset where the run begins in the pack, in bytes
 * @param storedLength its length in the pack, in bytes
 * @param rawLength its length before compression, in bytes, as told by whoever wrote it
 */
public record RunRef(Digest content, String pack, long offset, long storedLength, long rawLength) {

  /**
   * @throws IllegalArgumentException if a number is negative or the pack's name is empty or
   *     absolute
   */
  public RunRef {
    Objects.requireNonNull(content, "content");
    if (pack.isEmpty() || pack.startsWith("/")) {
      throw new IllegalArgumentException(
          "pack is '" + pack + "', expected a path relative to the lineage's directory");
    }
    if (offset < 0 || storedLength < 0 || rawLength < 0) {
      throw new IllegalArgumentException(
          "offset %d, stored length %d, raw length %d: none may be negative"
              .formatted(offset, storedLength, rawLength));
    }
  }

  /** The pack's full path. */
  Path packPath(Path lineageDir) {
    return new Path(lineageDir, pack);
  }
}
