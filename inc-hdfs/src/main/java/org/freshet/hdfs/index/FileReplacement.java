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
import java.io.OutputStream;
import java.util.UUID;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/** Writes files that are there whole or not at all. */
public final class FileReplacement {
  /** What the name of a file ends in while it is being written. */
  static final String TEMPORARY = ".tmp";

  private FileReplacement() {}

  /** Gives a file its content. */
  @FunctionalInterface
  interface Content {
    void write(OutputStream out) throws IOException;
  }

  /** Looks at a file that is written before it gets its name. */
  @FunctionalInterface
  interface LastLook {
    void at(FileSystem fs, Path written) throws IOException;
  }

  /**
   * Replaces a file, or creates it. Whoever looks for it meanwhile finds the old one or the new
   * one; on file systems other than HDFS and the local one perhaps none.
   *
   * @param permission of the new file, less the umask; null for the default
   * @throws IOException if the new one cannot be written; the old one is left, unless its file
   *     system does not rename over a file, and fails to rename after it was deleted
   */
  static void replace(
      FileSystem fs, Path file, FsPermission permission, Content content, LastLook lastLook)
      throws IOException {
    Path temporary =
        new Path(file.getParent(), file.getName() + "." + UUID.randomUUID() + TEMPORARY);
    try {
      try (OutputStream out = create(fs, temporary, permission)) {
        content.write(out);
      }
      lastLook.at(fs, temporary);
      rename(fs, temporary, file);
    } catch (IOException | RuntimeException e) {
      deleteQuietly(fs, temporary, e);
      throw e;
    }
  }

  private static OutputStream create(FileSystem fs, Path file, FsPermission permission)
      throws IOException {
    return permission == null
        ? fs.create(file, false)
        : fs.create(
            file,
            permission,
            false,
            fs.getConf().getInt("io.file.buffer.size", 4096),
            fs.getDefaultReplication(file),
            fs.getDefaultBlockSize(file),
            null);
  }

  /**
   * Renames a file, over the one that has the name if there is one.
   *
   * @throws IOException if it cannot be renamed; says so if the other one was deleted for it
   */
  public static void rename(FileSystem fs, Path from, Path to) throws IOException {
    if ("hdfs".equals(fs.getUri().getScheme()) && HdfsFiles.replace(fs, from, to)) {
      return;
    }
    // A local rename replaces its target. Elsewhere the target has to go first; whoever looks for
    // it in between finds none.
    boolean deleted = !"file".equals(fs.getUri().getScheme()) && fs.delete(to, false);
    boolean renamed = false;
    IOException failure = null;
    try {
      renamed = fs.rename(from, to);
    } catch (IOException e) {
      failure = e;
    }
    if (failure != null && !deleted) {
      throw failure;
    }
    if (!renamed) {
      String message = "Cannot rename " + from + " to " + to;
      if (deleted) {
        message += ", which was deleted to make room for it";
      }
      throw new IOException(failure == null ? message : message + ": " + failure, failure);
    }
  }

  private static void deleteQuietly(FileSystem fs, Path file, Exception reason) {
    try {
      fs.delete(file, false);
    } catch (IOException | RuntimeException e) {
      reason.addSuppressed(e);
    }
  }
}
