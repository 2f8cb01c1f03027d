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

import java.util.List;
import org.apache.hadoop.fs.Path;
import org.freshet.shredder.Chunk;

/**
 * The chunks of one version of one file. An immutable value.
 *
 * @param file fully qualified
 * @param version the version that was read
 * @param mode how the file was divided
 * @param length in bytes, in that version
 * @param startsWithBom whether the first bytes are UTF-8's byte order mark, EF BB BF, which
 *     Hadoop's text readers drop at the start of a file and keep elsewhere
 * @param chunks cover the file in order; none if it is empty
 */
public record FileChunks(
    Path file,
    FileVersion version,
    ChunkMode mode,
    long length,
    boolean startsWithBom,
    List<Chunk> chunks) {
  /** Checks that the chunks end where the file does. */
  public FileChunks {
    chunks = List.copyOf(chunks);
    long end = chunks.isEmpty() ? 0 : chunks.get(chunks.size() - 1).end();
    if (end != length) {
      throw new IllegalArgumentException(
          "The chunks of " + file + " end at " + end + ", not at its length of " + length);
    }
  }
}
