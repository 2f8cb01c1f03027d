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
package org.freshet.hdfs.io;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.freshet.shredder.Chunk;

/**
 * Where the chunks of files go when the files are closed, and come from when a file is appended to.
 * Implementations are safe for use by several threads and have a public constructor without
 * parameters, or one that takes a {@code Configuration}.
 */
public interface FileChunkStore {
  /** Keeps nothing and knows nothing. */
  FileChunkStore NONE = new NoChunkStore();

  /**
   * Keeps the chunks of the version of a file that {@code status} tells of. The file may have been
   * changed since; then its version is another one.
   *
   * @param status of the file just closed, with inode number, length and modification time
   * @param fingerprint of the chunker
   * @param chunks cover the file in order
   * @param startsWithBom whether the first bytes are UTF-8's byte order mark, EF BB BF
   * @return whether they are kept
   * @throws IOException if they can't be; the file is well all the same
   */
  boolean put(
      FileSystem fs,
      FileStatus status,
      String fingerprint,
      List<Chunk> chunks,
      boolean startsWithBom)
      throws IOException;

  /**
   * The chunks of the version of a file that {@code status} tells of, made by that chunker, if they
   * are kept and may be trusted.
   *
   * @throws IOException if that can't be found out
   */
  Optional<List<Chunk>> find(FileSystem fs, FileStatus status, String fingerprint)
      throws IOException;
}
