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
package org.freshet.hdfs.index;

/** How files are divided into chunks. */
public enum ChunkMode {
  /** Content-defined chunks of whole text lines. */
  LINES,
  /** Content-defined chunks of whole records of another format. */
  RECORDS,
  /** Each file is one chunk: for formats that cannot be cut anywhere. An empty file has none. */
  WHOLE;

  /**
   * Names what divides files: chunks under equal names are comparable.
   *
   * @param cuts the fingerprint of what cuts files in the other modes
   */
  String fingerprint(String cuts) {
    return this == WHOLE ? "sha256" : cuts;
  }
}
