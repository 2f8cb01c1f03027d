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
package org.freshet.memo;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, fills and removes files so that each failure names the path. The local file system
 * reports a full disk as {@link FSError}, which is no exception and carries no path.
 */
final class NewFile {
  private static final Logger LOG = LoggerFactory.getLogger(NewFile.class);

  private NewFile() {}

  /** What to put into a file. */
  interface Content {
    void write(OutputStream out) throws IOException;
  }

  /** Creates a file that must not exist, and the directories above it. */
  static FSDataOutputStream create(FileSystem fs, Path file, short replication) throws IOException {
    return open(fs, file, false, replication);
  }

  /**
   * Writes a whole file. If that fails, no part of a new file stays.
   *
   * @param overwrite whether an existing file is replaced, and stays damaged if that fails;
   *     otherwise an existing file is an error
   */
  static void write(FileSystem fs, Path file, boolean overwrite, Content content)
      throws IOException {
    FSDataOutputStream out = open(fs, file, overwrite, fs.getDefaultReplication(file));
    boolean complete = false;
    try {
      try (out) {
        content.write(out);
      }
      complete = true;
    } catch (IOException | FSError e) {
      throw new StoreWriteException(file, e);
    } finally {
      if (!complete && !overwrite) {
        deleteQuietly(fs, file);
      }
    }
  }

  /** Deletes a file, if it is there; what goes wrong is logged. */
  static void deleteQuietly(FileSystem fs, Path file) {
    try {
      fs.delete(file, false);
    } catch (IOException | RuntimeException | FSError e) {
      LOG.warn("Cannot delete {}; the collector will", file, e);
    }
  }

  private static FSDataOutputStream open(
      FileSystem fs, Path file, boolean overwrite, short replication) throws IOException {
    Configuration conf = fs.getConf();
    int buffer =
        conf.getInt(
            CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_KEY,
            CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_DEFAULT);
    try {
      return fs.create(file, overwrite, buffer, replication, fs.getDefaultBlockSize(file));
    } catch (IOException | FSError e) {
      throw new StoreWriteException(file, e);
    }
  }
}
