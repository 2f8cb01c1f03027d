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

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.viewfs.ViewFileSystem;
import org.freshet.shredder.Chunk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the indexes of single files know, for one call of {@link ChunkIndexer#index}. Safe for use
 * by several threads.
 */
final class KnownFiles {
  private static final Logger LOG = LoggerFactory.getLogger(KnownFiles.class);

  private final FileIndexStore store;
  private final String cutFingerprint;
  private final InstantSource clock;
  private final Map<String, Boolean> inUse = new ConcurrentHashMap<>();

  KnownFiles(FileIndexStore store, String cutFingerprint, InstantSource clock) {
    this.store = store;
    this.cutFingerprint = cutFingerprint;
    this.clock = clock;
  }

  /**
   * The chunks of a file's present version; null if there is no index of it that may be used.
   *
   * @param file the file, fully qualified
   */
  FileReading.Result find(FileSystem fs, FileStatus status, Path file, ChunkMode mode) {
    // Most file systems of most users have no such index; one question then serves for all files.
    if (!inUse.computeIfAbsent(fs.getUri().toString(), uri -> store.isInUse(fs))) {
      return null;
    }
    Optional<FileIndex> found = store.find(fs, status, mode.fingerprint(cutFingerprint));
    if (found.isEmpty()) {
      return null;
    }
    try (FileIndex index = found.get()) {
      List<Chunk> chunks = index.all();
      FileVersion version = FileVersion.of(fs, fs.getFileStatus(file));
      if (version.length() != index.length() || !isOf(index, version, fs, status)) {
        return null;
      }
      FileChunks result =
          new FileChunks(file, version, mode, index.length(), index.startsWithBom(), chunks);
      return new FileReading.Result(result, version.settled(clock.millis()));
    } catch (IOException | RuntimeException e) {
      LOG.info("Ignoring the chunk index {} of {}: {}", found.get().place(), file, e.toString());
      return null;
    }
  }

  /**
   * Whether an index is of a version of a file that was seen after the index was found. A view of
   * other file systems has versions of its own: then the file must be as it was before too.
   */
  private static boolean isOf(
      FileIndex index, FileVersion version, FileSystem fs, FileStatus before) throws IOException {
    return version.equals(index.version())
        || (fs instanceof ViewFileSystem && version.equals(FileVersion.of(fs, before)));
  }
}
