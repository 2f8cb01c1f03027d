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

/** What the index keeps of a file: its {@link FileChunks} less what the index's own key says. */
record IndexedFile(String version, long length, boolean startsWithBom, List<Chunk> chunks) {
  static IndexedFile of(FileChunks file) {
    return new IndexedFile(file.version().id(), file.length(), file.startsWithBom(), file.chunks());
  }

  FileChunks at(Path file, ChunkMode mode) {
    return new FileChunks(file, FileVersion.recorded(version), mode, length, startsWithBom, chunks);
  }
}
