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
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

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

  /**
   * The end of a file as the NameNode has it.
   *
   * @param name of its last block, unique among all versions of the file
   * @param beingWritten whether it may still grow
   */
  record LastBlock(String name, boolean beingWritten) {}

  /**
   * The last block of a file; nothing if {@code fs} is no HDFS client.
   *
   * @param length that the file was seen to have
   */
  static Optional<LastBlock> lastBlock(FileSystem fs, Path file, long length) throws IOException {
    if (!(fs instanceof DistributedFileSystem hdfs)) {
      return Optional.empty();
    }
    // Blocks are numbered once. Appending to one, and cutting it short, give it a higher generation
    // stamp; all other changes end in another block. So for one inode and length the last block
    // stands for all of them.
    LocatedBlocks blocks = hdfs.getLocatedBlocks(file, Math.max(0, length - 1), 1);
    LocatedBlock last = blocks.getLastLocatedBlock();
    boolean beingWritten = blocks.isUnderConstruction() || blocks.getFileLength() != length;
    if (last == null) {
      return Optional.of(new LastBlock("empty", beingWritten));
    }
    ExtendedBlock block = last.getBlock();
    String name =
        block.getBlockPoolId() + ":" + block.getBlockId() + ":" + block.getGenerationStamp();
    return Optional.of(new LastBlock(name, beingWritten));
  }

  /** A path under which the NameNode finds an inode whatever it is called. */
  static Path byInode(FileSystem fs, long inode) {
    return fs.makeQualified(new Path("/.reserved/.inodes/" + inode));
  }

  /**
   * Opens the file that was looked at, even if another one has got its path since; but only on HDFS
   * is that sure.
   *
   * @throws FileNotFoundException if it is gone, or its path leads to another one
   */
  static FSDataInputStream open(FileSystem fs, FileStatus status) throws IOException {
    if (!(fs instanceof DistributedFileSystem) || !hasInode(status)) {
      return fs.open(status.getPath());
    }
    try {
      return fs.open(byInode(fs, inode(status)));
    } catch (IOException e) {
      // Routers of several NameNodes know no inodes.
      FSDataInputStream in = fs.open(status.getPath());
      FileStatus now = fs.getFileStatus(status.getPath());
      if (hasInode(now) && inode(now) == inode(status)) {
        return in;
      }
      in.close();
      throw new FileNotFoundException(status.getPath() + " is another file than it was");
    }
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
