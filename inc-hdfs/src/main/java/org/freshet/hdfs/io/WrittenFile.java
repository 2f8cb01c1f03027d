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

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.freshet.hdfs.index.FileVersion;

/**
 * A file that this client has written.
 *
 * @param fs the file system that indexes are kept on and that files are read from
 * @param client knows the file
 * @param settings of the client
 * @param path as it was opened, without scheme and authority
 */
record WrittenFile(FileSystem fs, DFSClient client, WriteSettings settings, String path) {
  /** The status as the store wants it, or null if there is no such file. */
  FileStatus status() throws IOException {
    HdfsFileStatus status = client.getFileInfo(path);
    return status == null ? null : status.makeQualified(fs.getUri(), new Path(path));
  }

  /**
   * A version of the file.
   *
   * @param status with inode number, length and modification time
   */
  record Version(FileStatus status, FileVersion id) {}

  /**
   * The version that a stream has written and closed; empty if the file has been changed, replaced
   * or moved since.
   *
   * @param out closed without an error
   * @param length what has been written, with what was there before
   */
  Optional<Version> versionOf(DFSOutputStream out, long length) throws IOException {
    // First the version, then the proof that it is the stream's: whoever reopens the file, to
    // append
    // or to truncate, gives its last block a new generation stamp or puts another one behind it.
    FileStatus status = status();
    if (!(status instanceof HdfsFileStatus hdfs)
        || hdfs.getFileId() != out.getFileId()
        || status.getLen() != length) {
      return Optional.empty();
    }
    FileVersion version = FileVersion.observe(fs, status.getPath());
    Optional<ExtendedBlock> written = StockOutputStream.lastBlock(out);
    LocatedBlocks blocks;
    try {
      blocks = client.getLocatedBlocks(inodePath(out.getFileId()), Math.max(0, length - 1));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
    LocatedBlock last = blocks.getLastLocatedBlock();
    boolean same =
        !blocks.isUnderConstruction()
            && blocks.getFileLength() == length
            && written.isPresent()
            && last != null
            && isSame(last.getBlock(), written.get());
    return same ? Optional.of(new Version(status, version)) : Optional.empty();
  }

  private static boolean isSame(ExtendedBlock one, ExtendedBlock other) {
    return one.getBlockId() == other.getBlockId()
        && one.getGenerationStamp() == other.getGenerationStamp();
  }

  private static String inodePath(long inode) {
    return "/.reserved/.inodes/" + inode;
  }
}
