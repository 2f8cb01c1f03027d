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

import java.util.Optional;

/**
 * How the files of a job are cut, or why they are not.
 *
 * @param format empty if they are left whole
 * @param uncompressedOnly whether files whose names have a codec's suffix are left whole, because
 *     the input format would decompress them: there, the places of records say nothing of bytes
 * @param whyWhole for people; empty if files are cut
 */
public record FormatChoice(
    Optional<RecordFormat> format, boolean uncompressedOnly, String whyWhole) {
  /** Files are left whole. */
  public static FormatChoice whole(String why) {
    return new FormatChoice(Optional.empty(), false, why);
  }

  /** All files are cut. */
  public static FormatChoice cut(RecordFormat format) {
    return new FormatChoice(Optional.of(format), false, "");
  }

  /** All files are cut but those with the suffix of a codec. */
  public static FormatChoice cutUncompressed(RecordFormat format) {
    return new FormatChoice(Optional.of(format), true, "");
  }
}
