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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.index.FileIndex;
import org.freshet.hdfs.index.FileIndexStore;
import org.freshet.shredder.Chunk;

/** What the index of a file's present version says. */
record KeptIndex(String fingerprint, List<Chunk> chunks, boolean startsWithBom) {
  /**
   * Looks for that of a text.
   *
   * @param conf the writer's
   */
  static Optional<KeptIndex> of(Configuration conf, FileSystem fs, Path file) throws IOException {
    String fingerprint = WriteSettings.of(conf).chunker().fingerprint();
    return of(conf, fs, file, Optional.of(fingerprint));
  }

  /** Looks for one made with any chunker. */
  static Optional<KeptIndex> ofAny(Configuration conf, FileSystem fs, Path file)
      throws IOException {
    return of(conf, fs, file, Optional.empty());
  }

  private static Optional<KeptIndex> of(
      Configuration conf, FileSystem fs, Path file, Optional<String> fingerprint)
      throws IOException {
    Optional<FileIndex> found =
        FileIndexStore.of(conf).lookUp(fs, fs.getFileStatus(file), fingerprint).index();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try (FileIndex index = found.get()) {
      return Optional.of(new KeptIndex(index.fingerprint(), index.all(), index.startsWithBom()));
    }
  }
}
