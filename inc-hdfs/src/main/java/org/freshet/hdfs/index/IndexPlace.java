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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.freshet.hdfs.ConfigKey;
import org.freshet.hdfs.HdfsKeys;

/**
 * The directory of all indexes on a file system. An immutable value.
 *
 * @param fs where it is; without checksum files on the local file system, which would be renamed
 *     apart from the indexes, and these have checksums of their own
 * @param root the directory, fully qualified
 * @param shared whether all users share it; else it is this user's
 */
record IndexPlace(FileSystem fs, Path root, boolean shared) {
  private static final FsPermission PRIVATE_DIRECTORY = new FsPermission((short) 0700);
  private static final FsPermission SHARED_DIRECTORY = new FsPermission((short) 01777);
  private static final FsPermission OWNER = new FsPermission((short) 0600);
  private static final FsPermission GROUP = new FsPermission((short) 0640);
  private static final FsPermission ALL = new FsPermission((short) 0644);
  private static final String IN_HOME = ".freshet/chunks";

  /**
   * The configured directory; empty for one in the user's home.
   *
   * @throws ConfigKey.InvalidValueException if it is no absolute path without a scheme
   */
  static String configured(Configuration conf) {
    String configured = HdfsKeys.INDEX_DIR.get(conf);
    if (!configured.isEmpty() && !configured.startsWith("/")) {
      throw HdfsKeys.INDEX_DIR.invalid(configured);
    }
    return configured;
  }

  static IndexPlace of(FileSystem given, String configured) {
    FileSystem fs = given instanceof LocalFileSystem local ? local.getRawFileSystem() : given;
    boolean shared = !configured.isEmpty();
    Path root = shared ? new Path(configured) : new Path(given.getHomeDirectory(), IN_HOME);
    return new IndexPlace(fs, fs.makeQualified(root), shared);
  }

  Path file(IndexedPath file) {
    return new Path(root, file.name());
  }

  /** Makes the directory of an index where it is missing. */
  FileStatus makeParent(Path index) throws IOException {
    Path parent = index.getParent();
    try {
      return fs.getFileStatus(parent);
    } catch (FileNotFoundException e) {
      if (shared && !fs.exists(root)) {
        makeShared(root);
      }
      if (shared) {
        makeShared(parent);
      } else {
        fs.mkdirs(parent, PRIVATE_DIRECTORY);
      }
      return fs.getFileStatus(parent);
    }
  }

  private void makeShared(Path directory) throws IOException {
    // The umask takes bits from what mkdirs is given. A file system that knows no sticky bit lets
    // users delete the indexes of others, which costs these reading time.
    fs.mkdirs(directory, SHARED_DIRECTORY);
    fs.setPermission(directory, SHARED_DIRECTORY);
  }

  /**
   * Who may read the index of a file: nobody who may not read the file, for digests tell who has
   * the same content.
   */
  FsPermission permission(IndexedPath file) throws IOException {
    FsPermission permission = file.status().getPermission();
    if (!shared || !reachableByAll(file)) {
      return OWNER;
    }
    if (permission.getOtherAction().implies(FsAction.READ)) {
      return ALL;
    }
    boolean group = permission.getGroupAction().implies(FsAction.READ) && !file.status().hasAcl();
    return group ? GROUP : OWNER;
  }

  private static boolean reachableByAll(IndexedPath file) throws IOException {
    for (Path dir = file.path().getParent(); dir != null; dir = dir.getParent()) {
      FsPermission permission = file.fs().getFileStatus(dir).getPermission();
      if (!permission.getOtherAction().implies(FsAction.EXECUTE)) {
        return false;
      }
    }
    return true;
  }

  /** Gives an index that its group may read the file's group, or takes the right from the group. */
  void shareWithGroup(Path index, FsPermission permission, IndexedPath file) throws IOException {
    if (permission != GROUP
        || fs.getFileStatus(index).getGroup().equals(file.status().getGroup())) {
      return;
    }
    try {
      fs.setOwner(index, null, file.status().getGroup());
    } catch (IOException e) {
      fs.setPermission(index, OWNER);
    }
  }
}
