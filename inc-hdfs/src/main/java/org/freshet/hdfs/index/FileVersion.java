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
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/**
 * Names what a file holds without reading it: while a file's version stays the same, so does its
 * content. Immutable; equal if the {@link #id()} is.
 *
 * <p>It is made of what the file system offers:
 *
 * <ul>
 *   <li>HDFS: inode number, length, modification time. HDFS can only append and truncate, and each
 *       changes one of these, unless the owner sets the time back.
 *   <li>local files: inode number, length, modification time, and the time of the last change of
 *       the inode, which no program can set; both in nanoseconds.
 *   <li>object stores that have entity tags: path, length, tag.
 *   <li>all others: path, length, modification time.
 * </ul>
 */
public final class FileVersion {
  /**
   * Age in milliseconds from which on a change is sure to get another time stamp than the last one.
   * The coarsest clock in use is FAT's, with two seconds.
   */
  static final long SETTLED_AFTER_MILLIS = 3000;

  /** How far a version can be relied on. */
  enum Strength {
    /** Other content has another version, whatever clocks and people do. */
    EXACT,
    /** Exact once it is {@link #settled}; on HDFS, unless someone sets the time back. */
    SETTLES,
    /** A modification time, which anyone may be able to set, and no more. */
    TIME
  }

  private final String id;
  private final String content;
  private final Strength strength;
  private final long length;
  private final long changedMillis;
  private final boolean beingWritten;

  private FileVersion(
      String id,
      String content,
      Strength strength,
      long length,
      long changedMillis,
      boolean beingWritten) {
    this.id = Objects.requireNonNull(id, "id");
    this.content = Objects.requireNonNull(content, "content");
    this.strength = strength;
    this.length = length;
    this.changedMillis = changedMillis;
    this.beingWritten = beingWritten;
  }

  /**
   * The version of a file. Asks the file system only where {@code status} does not say enough: for
   * local files, and where Hadoop's input formats have stripped it of the inode number or entity
   * tag.
   *
   * @param status of a file, from {@code fs}
   * @throws IOException if the file system cannot be asked
   */
  public static FileVersion of(FileSystem fs, FileStatus status) throws IOException {
    String scheme = fs.getUri().getScheme();
    if ("file".equals(scheme)) {
      return ofLocal(status);
    }
    if ("hdfs".equals(scheme)) {
      return ofHdfs(fs, status);
    }
    String etag = etag(status);
    if (etag.isEmpty()
        && !(status instanceof EtagSource)
        && fs.hasPathCapability(status.getPath(), CommonPathCapabilities.ETAGS_AVAILABLE)) {
      etag = etag(fs.getFileStatus(status.getPath()));
    }
    return etag.isEmpty()
        ? ofTime(status)
        : at(status, "etag:" + etag + ":" + named(status), Strength.EXACT);
  }

  /**
   * The version that a file has now. Unlike {@link #of}, this knows of files that are still being
   * written, and on HDFS it looks at the file's last block too: a block's number and generation
   * stamp change with every append and truncation, even where length and modification time are made
   * to look as before.
   *
   * @throws IOException if the file system cannot be asked
   */
  public static FileVersion observe(FileSystem fs, org.apache.hadoop.fs.Path file)
      throws IOException {
    FileStatus status = fs.getFileStatus(file);
    FileVersion version = of(fs, status);
    return "hdfs".equals(fs.getUri().getScheme()) && version.strength == Strength.SETTLES
        ? HdfsFiles.lastBlock(fs, file, status.getLen()).map(version::with).orElse(version)
        : version;
  }

  private FileVersion with(HdfsFiles.LastBlock block) {
    return new FileVersion(
        id,
        id + ":" + block.name(),
        block.beingWritten() ? Strength.SETTLES : Strength.EXACT,
        length,
        changedMillis,
        block.beingWritten());
  }

  /** A version that was settled when its id was written down. */
  static FileVersion recorded(String id) {
    return new FileVersion(id, id, Strength.SETTLES, -1, Long.MIN_VALUE, false);
  }

  private static FileVersion ofLocal(FileStatus status) throws IOException {
    Path file = Path.of(status.getPath().toUri().getPath());
    Map<String, Object> inode;
    try {
      inode = Files.readAttributes(file, "unix:ino,size,lastModifiedTime,ctime");
    } catch (UnsupportedOperationException | NoSuchFileException e) {
      // Not a Unix file system, or one that keeps its files elsewhere than their paths say.
      return ofTime(status);
    }
    FileTime modified = (FileTime) inode.get("lastModifiedTime");
    FileTime changed = (FileTime) inode.get("ctime");
    String id =
        "inode:"
            + inode.get("ino")
            + ":"
            + inode.get("size")
            + ":"
            + modified.to(TimeUnit.NANOSECONDS)
            + ":"
            + changed.to(TimeUnit.NANOSECONDS);
    long changedMillis = Math.max(modified.toMillis(), changed.toMillis());
    long length = (Long) inode.get("size");
    return new FileVersion(id, id, Strength.SETTLES, length, changedMillis, false);
  }

  private static FileVersion ofHdfs(FileSystem fs, FileStatus status) throws IOException {
    // FileInputFormat.shrinkStatus replaces the statuses of a listing by ones without inode
    // numbers.
    FileStatus full = HdfsFiles.hasInode(status) ? status : fs.getFileStatus(status.getPath());
    if (!HdfsFiles.hasInode(full)) {
      return ofTime(full);
    }
    long inode = HdfsFiles.inode(full);
    String id = "hdfs:" + inode + ":" + full.getLen() + ":" + full.getModificationTime();
    return at(full, id, Strength.SETTLES);
  }

  private static FileVersion ofTime(FileStatus status) {
    return at(status, "time:" + status.getModificationTime() + ":" + named(status), Strength.TIME);
  }

  private static FileVersion at(FileStatus status, String id, Strength strength) {
    return new FileVersion(id, id, strength, status.getLen(), status.getModificationTime(), false);
  }

  private static String etag(FileStatus status) {
    String etag = status instanceof EtagSource source ? source.getEtag() : null;
    return etag == null ? "" : etag;
  }

  private static String named(FileStatus status) {
    return status.getLen() + ":" + status.getPath();
  }

  /** The version as one line of text; unique within the file's directory and its file system. */
  public String id() {
    return id;
  }

  /** The id, and on HDFS, if the version was {@link #observe observed}, the last block. */
  String content() {
    return content;
  }

  /** Length of the file in bytes; -1 if the version is only a recorded id. */
  long length() {
    return length;
  }

  Strength strength() {
    return strength;
  }

  /** Whether the file was open for writing when it was {@link #observe observed}. */
  public boolean isBeingWritten() {
    return beingWritten;
  }

  /** Whether a file had the same content when both were seen, as far as either can tell. */
  boolean sameContent(FileVersion that) {
    return equals(that)
        && (strength != Strength.EXACT
            || that.strength != Strength.EXACT
            || content.equals(that.content));
  }

  /**
   * Whether this version can be trusted for ever. One that was made in the last three seconds, or
   * is still being written, could get other content under the same name, as git's "racily clean"
   * files can.
   *
   * @param nowMillis the time at which the version was observed, in milliseconds since 1970
   */
  public boolean settled(long nowMillis) {
    return !beingWritten && changedMillis <= nowMillis - SETTLED_AFTER_MILLIS;
  }

  /** Milliseconds until this version is {@link #settled}, at most three seconds; 0 if it is. */
  long settlesIn(long nowMillis) {
    return settled(nowMillis)
        ? 0
        : Math.min(SETTLED_AFTER_MILLIS, changedMillis + SETTLED_AFTER_MILLIS - nowMillis);
  }

  /**
   * The version that a file has now, as {@link #observe}; waits, for up to three seconds, until it
   * is {@link #settled} where it is told by its time alone. A file that is being written is not
   * waited for.
   *
   * @param clock by which it is old enough
   * @throws InterruptedIOException if the calling thread is interrupted; it stays so
   * @throws IOException if the file system cannot be asked
   */
  public static FileVersion awaitSettled(
      FileSystem fs, org.apache.hadoop.fs.Path file, InstantSource clock) throws IOException {
    FileVersion version = observe(fs, file);
    if (version.strength != Strength.SETTLES || version.beingWritten) {
      return version;
    }
    long millis = version.settlesIn(clock.millis());
    if (millis == 0) {
      return version;
    }
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("Interrupted in waiting");
      interrupted.initCause(e);
      throw interrupted;
    }
    return observe(fs, file);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileVersion that && id.equals(that.id);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return id;
  }
}
