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

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the index files, one per input directory, under {@code <root>/chunks}. A cache: what cannot
 * be read counts as absent, what cannot be written is not kept, and neither is an error. Safe for
 * use by several threads and processes; of two that write the same index the last wins.
 */
final class ChunkIndexStore {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkIndexStore.class);

  private final Configuration conf;
  private final Path root;
  private final String cutFingerprint;
  private final AtomicBoolean warnedOfWriting = new AtomicBoolean();

  /**
   * @param cutFingerprint names what cuts files in the modes LINES and RECORDS
   */
  ChunkIndexStore(Configuration conf, Path root, String cutFingerprint) {
    this.conf = conf;
    this.root = new Path(root, "chunks");
    this.cutFingerprint = cutFingerprint;
  }

  /** What is known of the files in {@code directory}, by name; empty if nothing is. */
  Map<String, IndexedFile> load(Path directory, ChunkMode mode) {
    String key = key(directory, mode);
    Path file = location(key);
    try (InputStream in = fileSystem().open(file)) {
      return DirectoryIndexFormat.read(in.readAllBytes(), key);
    } catch (FileNotFoundException e) {
      return Map.of();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "Ignoring the chunk index {} of {}: its files will be read again", file, directory, e);
      return Map.of();
    }
  }

  /** Replaces what is known of the files in {@code directory}. */
  void save(Path directory, ChunkMode mode, Map<String, IndexedFile> files) {
    String key = key(directory, mode);
    Path file = location(key);
    try {
      FileReplacement.replace(
          fileSystem(),
          file,
          null,
          out -> DirectoryIndexFormat.write(out, key, files),
          (fs, written) -> {});
    } catch (IOException | RuntimeException e) {
      if (warnedOfWriting.compareAndSet(false, true)) {
        LOG.warn(
            "Cannot keep chunk indexes under {}: the next run will read the same files again",
            root,
            e);
      }
    }
  }

  private FileSystem fileSystem() throws IOException {
    FileSystem fs = root.getFileSystem(conf);
    // The local file system's checksum file would be renamed apart from the index, which carries a
    // digest of its own.
    return fs instanceof LocalFileSystem local ? local.getRawFileSystem() : fs;
  }

  private String key(Path directory, ChunkMode mode) {
    return mode + " " + mode.fingerprint(cutFingerprint) + " " + directory.toUri();
  }

  private Path location(String key) {
    byte[] sha256 = Sha256.start().digest(key.getBytes(StandardCharsets.UTF_8));
    String name = HexFormat.of().formatHex(sha256);
    return new Path(root, name.substring(0, 2) + "/" + name);
  }
}
