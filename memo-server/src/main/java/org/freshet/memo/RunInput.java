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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.security.MessageDigest;
import java.util.Objects;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Progressable;
import org.freshet.slider.Digest;

/**
 * Reads runs out of packs and checks each against its SHA-256.
 *
 * <p>The check happens on the read that reaches the run's last byte, before that read returns; so a
 * consumer that stops at the last byte without asking for the end of the stream is covered, and one
 * that stops earlier is not. Until then, bytes may be handed out that a later {@link
 * CorruptRunException} takes back.
 *
 * <p>Whatever keeps a run from being read (a missing pack, a lost block, a failed checksum) is a
 * {@link CorruptRunException}, for the answer is always the same: recompute. Only an interrupted
 * thread keeps its own exception.
 */
public final class RunInput {
  /** Runs up to this many stored bytes are kept in a memory tier. */
  public static final int SMALL_RUN_BYTES = 1 << 20;

  private RunInput() {}

  /**
   * Opens a run; the stream ends where the run does. The stream is not thread-safe and not
   * buffered.
   *
   * @param lineageDir the directory that {@link RunRef#pack()} is relative to
   * @throws CorruptRunException if the pack cannot be opened, now, or if the run is not what was
   *     written, while reading
   */
  public static InputStream open(FileSystem fs, Path lineageDir, RunRef ref) throws IOException {
    Path pack = ref.packPath(lineageDir);
    FSDataInputStream in = null;
    try {
      in = fs.open(pack);
      in.seek(ref.offset());
      return new VerifyingStream(in, pack, ref);
    } catch (IOException | FSError e) {
      if (in != null) {
        in.close();
      }
      throw failure(ref, pack, e);
    }
  }

  /**
   * Opens a run through a memory tier. A run of at most {@link #SMALL_RUN_BYTES} is read and
   * verified whole before this returns, if the tier does not have it yet.
   *
   * @param tier null for none
   * @throws CorruptRunException as for {@link #open(FileSystem, Path, RunRef)}
   */
  public static InputStream open(FileSystem fs, Path lineageDir, RunRef ref, MemoryTier tier)
      throws IOException {
    if (tier == null || ref.storedLength() > SMALL_RUN_BYTES) {
      return open(fs, lineageDir, ref);
    }
    byte[] run = tier.run(ref);
    if (run == null) {
      run = new byte[(int) ref.storedLength()];
      try (InputStream in = open(fs, lineageDir, ref)) {
        in.readNBytes(run, 0, run.length);
      }
      tier.putRun(ref, run);
    }
    return new ByteArrayInputStream(run);
  }

  /**
   * Reads a run to its end, for the check alone.
   *
   * @throws CorruptRunException if the run is not what was written
   */
  public static void verify(FileSystem fs, Path lineageDir, RunRef ref) throws IOException {
    verify(fs, lineageDir, ref, () -> {});
  }

  /**
   * As {@link #verify(FileSystem, Path, RunRef)}.
   *
   * @param progress told after each buffer that is read
   */
  public static void verify(FileSystem fs, Path lineageDir, RunRef ref, Progressable progress)
      throws IOException {
    byte[] buffer = new byte[128 << 10];
    try (InputStream in = open(fs, lineageDir, ref)) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        progress.progress();
      }
    }
  }

  private static IOException failure(RunRef ref, Path pack, Throwable cause) {
    if (cause instanceof CorruptRunException
        || cause instanceof InterruptedIOException
        || cause instanceof ClosedByInterruptException) {
      return (IOException) cause;
    }
    return CorruptRunException.unreadable(ref, pack, cause);
  }

  private static final class VerifyingStream extends InputStream {
    private final FSDataInputStream in;
    private final Path pack;
    private final RunRef ref;
    private final MessageDigest sha256 = Digest.newSha256();
    private final byte[] single = new byte[1];
    private long remaining;
    private CorruptRunException corrupt;

    VerifyingStream(FSDataInputStream in, Path pack, RunRef ref) throws CorruptRunException {
      this.in = in;
      this.pack = pack;
      this.ref = ref;
      this.remaining = ref.storedLength();
      if (remaining == 0) {
        check();
      }
    }

    @Override
    public int read() throws IOException {
      return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
    }

    @Override
    public int read(byte[] b, int off, int len) throws IOException {
      Objects.checkFromIndexSize(off, len, b.length);
      if (corrupt != null) {
        // A caller that swallowed the first failure must not take the rest for a good run.
        throw corrupt;
      }
      if (remaining == 0) {
        return -1;
      }
      if (len == 0) {
        return 0;
      }
      int n;
      try {
        n = in.read(b, off, (int) Math.min(len, remaining));
      } catch (IOException | FSError e) {
        IOException failure = failure(ref, pack, e);
        if (failure instanceof CorruptRunException c) {
          corrupt = c;
        }
        throw failure;
      }
      if (n < 0) {
        corrupt = CorruptRunException.truncated(ref, pack, ref.storedLength() - remaining);
        throw corrupt;
      }
      sha256.update(b, off, n);
      remaining -= n;
      if (remaining == 0) {
        check();
      }
      return n;
    }

    @Override
    public int available() throws IOException {
      return (int) Math.min(in.available(), remaining);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }

    private void check() throws CorruptRunException {
      Digest actual = Digest.finish(sha256);
      if (!actual.equals(ref.content())) {
        corrupt = CorruptRunException.mismatch(ref, pack, actual);
        throw corrupt;
      }
    }
  }
}
