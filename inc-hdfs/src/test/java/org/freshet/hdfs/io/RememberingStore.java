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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.shredder.Chunk;

/** Keeps chunks in this JVM, by version and fingerprint. */
public final class RememberingStore implements FileChunkStore {
  private static final Map<String, Kept> KEPT = new ConcurrentHashMap<>();

  /** What one file has. */
  record Kept(List<Chunk> chunks, boolean startsWithBom) {}

  @Override
  public boolean put(
      FileSystem fs,
      FileStatus status,
      String fingerprint,
      List<Chunk> chunks,
      boolean startsWithBom)
      throws IOException {
    KEPT.put(key(fs, status, fingerprint), new Kept(chunks, startsWithBom));
    return true;
  }

  @Override
  public Optional<List<Chunk>> find(FileSystem fs, FileStatus status, String fingerprint)
      throws IOException {
    return Optional.ofNullable(KEPT.get(key(fs, status, fingerprint))).map(Kept::chunks);
  }

  static Optional<Kept> of(FileSystem fs, FileStatus status, String fingerprint)
      throws IOException {
    return Optional.ofNullable(KEPT.get(key(fs, status, fingerprint)));
  }

  private static String key(FileSystem fs, FileStatus status, String fingerprint)
      throws IOException {
    return fs.getUri() + " " + FileVersion.of(fs, status).id() + " " + fingerprint;
  }
}
