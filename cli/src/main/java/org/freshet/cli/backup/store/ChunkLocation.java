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

/**
 * Where a chunk's content lies.
 *
 * @param pack number of the pack file
 * @param offset of the content in it
 * @param length of the content in bytes
 */
record ChunkLocation(int pack, long offset, int length) {
  /** Offset behind the content. */
  long end() {
    return offset + length;
  }
}
