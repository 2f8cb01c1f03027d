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

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Objects;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a pack: many runs back to back in one file, behind an 8-byte magic. A file per run would
 * cost the NameNode and every reader far more than the runs themselves.
 *
 * <p>For each run: {@link #begin()}, any number of {@link #write}s, {@link #end}. The pack is
 * complete when {@link #close()} returns; a run whose {@code end} was not reached is not referred
 * to by anything and wastes space only. After an {@link IOException}, call {@link #abort()}.
 *
 * <p>A pack is written once: a file that exists is never overwritten, for a published partition
 * file may point into it. Name packs by task attempt. Not thread-safe.
 */
public final class PackWriter implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(PackWriter.class);
  private static final byte[] MAGIC = "FRSHPAK1".getBytes(StandardCharsets.US_ASCII);

  private final FileSystem fs;
  private final Path file;
  private final FSDataOutputStream out;
  private final OutputStream stream = new RunStream();
  private final MessageDigest sha256 = Digest.newSha256();

  private long length;
  private long runOffset;
  private boolean inRun;
  private boolean closed;

  private PackWriter(FileSystem fs, Path file, FSDataOutputStream out) {
    this.fs = fs;
    this.file = file;
    this.out = out;
  }

  /**
   * Creates a pack with the file system's default replication, and the directories above it.
   *
   * @throws IOException if the file exists or cannot be created
   */
  public static PackWriter create(FileSystem fs, Path file) throws IOException {
    return create(fs, file, fs.getDefaultReplication(file));
  }

  /**
   * Creates a pack and the directories above it.
   *
   * @param replication copies of each block, where the file system has such a thing
   * @throws IOException if the file exists or cannot be created
   */
  public static PackWriter create(FileSystem fs, Path file, short replication) throws IOException {
    FSDataOutputStream out = NewFile.create(fs, file, replication);
    PackWriter writer = new PackWriter(fs, file, out);
    try {
      writer.append(MAGIC, 0, MAGIC.length);
    } catch (IOException e) {
      writer.abort();
      throw e;
    }
    return writer;
  }

  /**
   * Begins a run.
   *
   * @throws IllegalStateException if one is open or the pack is closed
   */
  public void begin() {
    if (closed || inRun) {
      throw new IllegalStateException(
          file + (closed ? " is closed" : ": the run at offset " + runOffset + " was not ended"));
    }
    sha256.reset();
    runOffset = length;
    inRun = true;
  }

  /**
   * Appends to the open run.
   *
   * @throws IllegalStateException if no run is open
   * @throws IOException if the bytes could not be written; names the file
   */
  public void write(byte[] b, int off, int len) throws IOException {
    requireRun();
    append(b, off, len);
    sha256.update(b, off, len);
  }

  /**
   * A stream that appends to whichever run is open. Closing it does nothing; it needs no buffer
   * around it for large writes.
   */
  public OutputStream stream() {
    return stream;
  }

  /**
   * Ends the open run.
   *
   * @param packName this pack's path relative to the lineage's directory
   * @param rawLength length of the run before compression, in bytes
   * @return where the run lies, good for readers once the pack is closed
   * @throws IllegalStateException if no run is open
   */
  public RunRef end(String packName, long rawLength) throws IOException {
    requireRun();
    inRun = false;
    return new RunRef(Digest.finish(sha256), packName, runOffset, length - runOffset, rawLength);
  }

  /** Bytes written so far, the magic included. */
  public long length() {
    return length;
  }

  /** Completes the pack. A second call does nothing. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    inRun = false;
    try {
      out.close();
    } catch (IOException | FSError e) {
      throw new StoreWriteException(file, e);
    }
  }

  /** Closes and deletes the pack; what goes wrong is logged, never thrown. */
  public void abort() {
    try {
      close();
    } catch (IOException | RuntimeException e) {
      LOG.debug("While closing a pack that is to be deleted", e);
    }
    NewFile.deleteQuietly(fs, file);
  }

  private void append(byte[] b, int off, int len) throws IOException {
    try {
      out.write(b, off, len);
    } catch (IOException | FSError e) {
      throw new StoreWriteException(file, e);
    }
    length += len;
  }

  private void requireRun() {
    if (!inRun) {
      throw new IllegalStateException(file + ": no run is open at offset " + length);
    }
  }

  private final class RunStream extends OutputStream {
    private final byte[] single = new byte[1];

    @Override
    public void write(int b) throws IOException {
      single[0] = (byte) b;
      PackWriter.this.write(single, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      Objects.checkFromIndexSize(off, len, b.length);
      PackWriter.this.write(b, off, len);
    }
  }
}
