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
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.viewfs.ViewFileSystem;

/**
 * A file as the file system knows it that stores it, with the name of its index. An immutable
 * value.
 *
 * @param fs not a view of other file systems
 * @param status of the file there; with its inode number on HDFS
 * @param key what the index is of: on HDFS an inode, so that renaming the file changes nothing;
 *     elsewhere a path
 * @param name of the index, relative to the place of all
 */
record IndexedPath(FileSystem fs, FileStatus status, String key, String name) {
  private static final int INODE_DIRECTORIES = 4096;
  private static final String INODE = "inode ";
  private static final Pattern DIRECTORY_NAME = Pattern.compile("[0-9a-f]{3}");
  private static final Pattern FILE_NAME =
      Pattern.compile(
          "((?<hex>[0-9a-f]{64})|(?<inode>[0-9]{1,18}))"
              + "(\\.[0-9a-f-]{36}"
              + Pattern.quote(FileReplacement.TEMPORARY)
              + ")?");

  static IndexedPath of(Configuration conf, FileSystem given, FileStatus seen) throws IOException {
    FileSystem fs = given;
    FileStatus status = seen;
    if (given instanceof ViewFileSystem) {
      Path resolved = given.resolvePath(seen.getPath());
      fs = resolved.getFileSystem(conf);
      status = fs.getFileStatus(resolved);
    }
    if ("hdfs".equals(fs.getUri().getScheme())) {
      FileStatus full = HdfsFiles.hasInode(status) ? status : fs.getFileStatus(status.getPath());
      if (HdfsFiles.hasInode(full)) {
        long inode = HdfsFiles.inode(full);
        return new IndexedPath(fs, full, INODE + inode, name(inode));
      }
      status = full;
    }
    String path = fs.makeQualified(status.getPath()).toString();
    byte[] sha256 = Sha256.start().digest(path.getBytes(StandardCharsets.UTF_8));
    String hex = HexFormat.of().formatHex(sha256);
    return new IndexedPath(fs, status, path, hex.substring(0, 3) + "/" + hex);
  }

  /** The inode that a key names; nothing if it names a path. */
  static Optional<Long> inodeOf(String key) {
    return key.startsWith(INODE)
        ? Optional.of(Long.valueOf(key.substring(INODE.length())))
        : Optional.empty();
  }

  private static String name(long inode) {
    return String.format("%03x/%d", Math.floorMod(inode, INODE_DIRECTORIES), inode);
  }

  /**
   * Whether a directory and a file in it are named as an index is; the file may have something
   * behind its name.
   */
  static boolean isName(String directory, String file) {
    Matcher matcher = FILE_NAME.matcher(file);
    if (!matcher.matches()) {
      return false;
    }
    String hex = matcher.group("hex");
    return hex != null
        ? hex.startsWith(directory)
        : name(Long.parseLong(matcher.group("inode"))).startsWith(directory + "/");
  }

  /** Whether a directory is named as those of indexes are. */
  static boolean isDirectoryName(String directory) {
    return DIRECTORY_NAME.matcher(directory).matches();
  }

  Path path() {
    return status.getPath();
  }

  /** Whether this is the file as it was when a snapshot was taken. */
  boolean isInSnapshot() {
    return path().toUri().getPath().contains("/.snapshot/");
  }
}
