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
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.freshet.hdfs.format.FramedFormat;
import org.freshet.hdfs.format.RecordFormats;
import org.freshet.hdfs.index.FileIndex;
import org.freshet.shredder.Chunk;

/**
 * What must be known of a file to append to it and index the whole: its chunks but the last, which
 * ended only because the file did.
 *
 * @param before the file's status before it was opened
 * @param format of its index; empty if that is of text, or there is none
 * @param kept the chunks that stay
 * @param last the one that goes on; null if the file has no index, and is read from its start
 * @param lastBlockStart where the last block begins that may go on
 */
record AppendStart(
    FileStatus before,
    Optional<FramedFormat> format,
    List<Chunk> kept,
    Chunk last,
    long lastBlockStart) {
  /** A last chunk longer than this in bytes is not read again. */
  private static final long MOST_TAIL_BYTES = 64L << 20;

  /** So many bytes are remembered in place of reading what is before them. */
  private static final long MOST_APPENDED_UNREAD = 1 << 20;

  /**
   * Looks at a file that is about to be opened.
   *
   * @return empty if it has no index that can be continued, and is too long to be read instead
   */
  static Optional<AppendStart> of(WrittenFile file) throws IOException {
    FileStatus status = file.status();
    if (status == null || status.isDirectory()) {
      return Optional.empty();
    }
    WriteSettings settings = file.settings();
    Optional<FramedFormat> format = Optional.empty();
    List<Chunk> chunks = List.of();
    if (status.getLen() >= settings.leastBytes()) {
      // Only the index tells whether it is text, as long as the file has not been read.
      Optional<FileIndex> known =
          settings.store().lookUp(file.fs(), status, Optional.empty()).index();
      if (known.isEmpty()) {
        return Optional.empty();
      }
      try (FileIndex index = known.get()) {
        format =
            RecordFormats.recognizable().stream()
                .filter(f -> settings.fingerprint(Optional.of(f)).equals(index.fingerprint()))
                .findFirst();
        if (index.length() != status.getLen()
            || !settings.fingerprint(format).equals(index.fingerprint())) {
          return Optional.empty();
        }
        chunks = index.all();
      }
    }
    int count = chunks.size();
    List<Chunk> kept = chunks.subList(0, Math.max(0, count - 1));
    if (status.getLen() - end(kept) > MOST_TAIL_BYTES) {
      return Optional.empty();
    }
    return Optional.of(
        new AppendStart(
            status,
            format,
            List.copyOf(kept),
            count == 0 ? null : chunks.get(count - 1),
            lastBlockStart(file)));
  }

  /**
   * The bytes behind the chunks that stay. Read only when stock has opened the file, because stock
   * may know sooner that it can't be appended to.
   *
   * @throws IOException if they can't be read, or are not those of the index
   */
  Tail read(WrittenFile file) throws IOException {
    byte[] tail = new byte[(int) (before.getLen() - start())];
    byte[] head = new byte[headBytes()];
    try (FSDataInputStream in = file.fs().open(new Path(file.path()))) {
      in.readFully(start(), tail);
      in.readFully(0, head);
    }
    if (last != null
        && (!RecordFormats.recognize(head).equals(format)
            || !Arrays.equals(sha256(masked(tail, head)), last.digest()))) {
      throw new IOException("The last chunk of " + file.path() + " is not that of its index");
    }
    return new Tail(start(), tail, head);
  }

  private int headBytes() {
    return isBehindHeader()
        ? (int) kept.get(0).length()
        : (int) Math.min(RecordFormats.HEAD_BYTES, before.getLen());
  }

  /** Whether the file has a header, which is the first chunk that stays. */
  private boolean isBehindHeader() {
    return format.isPresent() && !kept.isEmpty();
  }

  /** The form in which the bytes were digested. */
  private byte[] masked(byte[] tail, byte[] head) throws IOException {
    if (!isBehindHeader()) {
      return tail;
    }
    byte[] masked = tail.clone();
    format.get().scan(head, start(), mark -> {}).accept(masked, 0, masked.length);
    return masked;
  }

  /**
   * Whether the file is too short for an index. Then it need not be read before it {@link
   * #isToBeRead}, and mostly never.
   */
  boolean canWait(WriteSettings settings) {
    return last == null && !isToBeRead(before.getLen(), settings);
  }

  /**
   * Whether to read a file that could wait, because it gets an index or what was appended becomes
   * much to remember.
   *
   * @param length of the file by now
   */
  boolean isToBeRead(long length, WriteSettings settings) {
    return length >= settings.leastBytes() || length - before.getLen() > MOST_APPENDED_UNREAD;
  }

  /**
   * What the chunker must see again.
   *
   * @param start where it begins
   * @param bytes from there to the end of the file; not to be changed
   * @param head the whole header of a container file, if that is not in {@code bytes}; else the
   *     file's first bytes that tell its format, or all if it is shorter
   */
  record Tail(long start, byte[] bytes, byte[] head) {
    static final Tail EMPTY = new Tail(0, new byte[0], new byte[0]);
  }

  /** Where the next chunk begins. */
  long start() {
    return end(kept);
  }

  /** Whether a stream, which now keeps others from changing the file, found it as it was. */
  boolean isOf(DFSOutputStream out, WrittenFile file) throws IOException {
    // Opening changes neither inode nor modification time; the length is told by the stream.
    FileStatus now = file.status();
    return now instanceof HdfsFileStatus hdfs
        && hdfs.getFileId() == ((HdfsFileStatus) before).getFileId()
        && hdfs.getFileId() == out.getFileId()
        && now.getModificationTime() == before.getModificationTime()
        && out.getInitialLen() == before.getLen();
  }

  private static long end(List<Chunk> chunks) {
    return chunks.isEmpty() ? 0 : chunks.get(chunks.size() - 1).end();
  }

  private static long lastBlockStart(WrittenFile file) throws IOException {
    LocatedBlock last =
        file.client().getLocatedBlocks(file.path(), Long.MAX_VALUE - 1, 1).getLastLocatedBlock();
    return last == null ? 0 : last.getStartOffset();
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}
