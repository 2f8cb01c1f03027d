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
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;

/**
 * What only HDFS knows about files. Written against {@code DistributedFileSystem} and {@code
 * HdfsFileStatus} of Hadoop 3.5.0; a class of its own so that it is loaded for hdfs: URIs only, the
 * HDFS client being absent from some class paths.
 */
final class HdfsFiles {
  private HdfsFiles() {}

  static boolean hasInode(FileStatus status) {
    return status instanceof HdfsFileStatus;
  }

  /** The number that HDFS gives a file once and to no other file. */
  static long inode(FileStatus status) {
    return ((HdfsFileStatus) status).getFileId();
  }

  static boolean isBeingWritten(FileSystem fs, Path file) throws IOException {
    return fs instanceof DistributedFileSystem hdfs && !hdfs.isFileClosed(file);
  }

  /** Renames in one step even where the target exists; false if {@code fs} is no HDFS client. */
  static boolean replace(FileSystem fs, Path from, Path to) throws IOException {
    if (fs instanceof DistributedFileSystem hdfs) {
      hdfs.rename(from, to, Rename.OVERWRITE);
      return true;
    }
    return false;
  }
}
