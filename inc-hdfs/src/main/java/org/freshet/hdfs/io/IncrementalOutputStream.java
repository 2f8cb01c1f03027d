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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.freshet.hdfs.format.FrameScan;
import org.freshet.hdfs.format.FramedFormat;
import org.freshet.hdfs.format.NotCuttableException;
import org.freshet.hdfs.format.RecordFormats;
import org.freshet.hdfs.index.FileIndexStore;
import org.freshet.shredder.Backend;
import org.freshet.shredder.Backends;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.ChunkerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream to a file on HDFS that chunks what is written, ends blocks at some cuts, and hands the
 * chunks to a {@link FileIndexStore} when it is closed. For its users it is a stock stream: what
 * they may rely on there (flushing, synchronizing, errors, several threads), they may rely on here.
 *
 * <p>SequenceFiles and Avro files are known by their first bytes and cut as such, everything else
 * as the settings say.
 *
 * <p>Holds up to {@value ChunkingPipe#MOST_SPANS} MiB of what was written, and less while little
 * has been; of a container file one more. To digest several chunks at a time it holds up to {@value
 * ChunkingPipe#MOST_HELD} MiB more; all streams of a JVM together 64, within a sixteenth of the
 * heap.
 */
public final class IncrementalOutputStream extends HdfsDataOutputStream {
  /*
   * DataOutputStream's methods write to its field `out`, so that is where the tap sits, in front of
   * stock's position counter. The counter writes to the stock stream, which is called as if the
   * user's calls came a little later and in other pieces.
   *
   * `lock` orders writers, flushers and closers up to the point where everything is in the stock
   * stream. Waiting for DataNodes while flushing is done outside of it, as in stock, so that others
   * can write meanwhile.
   */
  private static final Logger LOG = LoggerFactory.getLogger(IncrementalOutputStream.class);

  /** A block that begins within a checksum chunk must not end before stock has left that. */
  private static final long APPEND_BEFORE_CUT = 1 << 20;

  private final Object lock = new Object();
  private final WrittenFile file;
  private final DFSOutputStream dfs;
  private final OutputStream counted;

  /** Stock's stream, and null where this Hadoop's counter needs none: for ciphers. */
  private final CryptoOutputStream cipher;

  private final List<Chunk> kept;
  private final byte[] head = new byte[RecordFormats.HEAD_BYTES];
  private int headBytes;

  /** What the first bytes tell; empty for text. */
  private Optional<FramedFormat> format = Optional.empty();

  /** Null where HDFS alone ends blocks. */
  private final BlockCuts blockCuts;

  private final Runnable atClose;

  /** Null when chunks are not, or no longer, looked for. */
  private ChunkingPipe pipe;

  /** What the file held, not yet read; null if there is nothing to read. */
  private AppendStart unread;

  /** What has been appended to that. */
  private ByteArrayOutputStream behindUnread = new ByteArrayOutputStream(0);

  /** Bytes before this came with an append and are in the file already. */
  private long toTargetFrom;

  /** Written under the lock. */
  private volatile long position;

  private NoIndex noIndex;

  /** Nothing is held back any more, nor will be. */
  private volatile boolean atStock;

  /** Of an earlier call; writing on would leave a hole. */
  private Throwable failure;

  private boolean closed;

  /**
   * What is known of what a file held before.
   *
   * @param kept chunks that stay as they are
   * @param tail the bytes behind them
   * @param unread of a short file, whose bytes are to be read when it is long enough; else null
   */
  record Continued(List<Chunk> kept, AppendStart.Tail tail, AppendStart unread) {
    /** Of a new file. */
    static final Continued NOTHING = new Continued(List.of(), AppendStart.Tail.EMPTY, null);

    static Continued with(AppendStart start, AppendStart.Tail tail) {
      return new Continued(start.kept(), tail, null);
    }

    static Continued later(AppendStart start) {
      return new Continued(List.of(), AppendStart.Tail.EMPTY, start);
    }
  }

  private IncrementalOutputStream(
      DFSOutputStream dfs,
      FileSystem.Statistics statistics,
      long start,
      WrittenFile file,
      Continued continued,
      BlockCuts blockCuts,
      Runnable atClose)
      throws IOException {
    super(dfs, statistics, start);
    this.cipher = null;
    this.dfs = dfs;
    this.file = file;
    this.blockCuts = blockCuts;
    this.atClose = atClose;
    this.kept = continued.kept();
    this.counted = out;
    begin(start, continued);
  }

  private IncrementalOutputStream(
      CryptoOutputStream cipher,
      FileSystem.Statistics statistics,
      long start,
      WrittenFile file,
      Continued continued,
      BlockCuts blockCuts,
      Runnable atClose)
      throws IOException {
    super(cipher, statistics, start);
    this.cipher = cipher;
    this.dfs = (DFSOutputStream) cipher.getWrappedStream();
    this.file = file;
    this.blockCuts = blockCuts;
    this.atClose = atClose;
    this.kept = continued.kept();
    this.counted = out;
    begin(start, continued);
  }

  /**
   * A stream in the place of {@code stock}, which must not be used any more.
   *
   * @param start the file's length
   * @param continued what was found of a file that is appended to
   * @param blockCuts null where HDFS alone is to end blocks
   * @param atClose run once, when the stream is closed
   */
  static IncrementalOutputStream over(
      HdfsDataOutputStream stock,
      FileSystem.Statistics statistics,
      long start,
      WrittenFile file,
      Continued continued,
      BlockCuts blockCuts,
      Runnable atClose)
      throws IOException {
    OutputStream wrapped = stock.getWrappedStream();
    return wrapped instanceof CryptoOutputStream cipher
        ? new IncrementalOutputStream(
            cipher, statistics, start, file, continued, blockCuts, atClose)
        : new IncrementalOutputStream(
            (DFSOutputStream) wrapped, statistics, start, file, continued, blockCuts, atClose);
  }

  private void begin(long start, Continued continued) throws IOException {
    position = start;
    out = new Tap();
    unread = continued.unread();
    if (unread == null) {
      chunkBehind(continued.tail());
    }
  }

  private void chunkBehind(AppendStart.Tail tail) throws IOException {
    takeHead(tail.head(), 0, tail.head().length);
    chunkFrom(tail);
  }

  /** Reads what the file held before it was opened, and begins to look for chunks. */
  private void readUnread() {
    AppendStart start = unread;
    byte[] appended = behindUnread.toByteArray();
    forgetUnread();
    try {
      byte[] before = start.read(file).bytes();
      byte[] all = Arrays.copyOf(before, before.length + appended.length);
      System.arraycopy(appended, 0, all, before.length, appended.length);
      byte[] first = Arrays.copyOf(all, Math.min(all.length, head.length));
      chunkBehind(new AppendStart.Tail(0, all, first));
    } catch (IOException | RuntimeException e) {
      giveUp(NoIndex.APPENDED, e);
    }
  }

  private void forgetUnread() {
    unread = null;
    behindUnread = null;
  }

  /** Looks for chunks from {@code tail} on, whose bytes are in the file already. */
  private void chunkFrom(AppendStart.Tail tail) throws IOException {
    toTargetFrom = position;
    format = headBytes < head.length ? Optional.empty() : RecordFormats.recognize(head);
    if (format.isPresent() && blockCuts != null) {
      blockCuts.leaveOut(FrameScan.MARKER_BYTES);
    }
    pipe =
        new ChunkingPipe(
            search(tail), ChunkingThreads.EXECUTOR, tail.start(), new StockTarget(tail.start()));
    pipe.write(tail.bytes(), 0, tail.bytes().length);
    pipe.drain();
  }

  private PieceSearch search(AppendStart.Tail tail) throws IOException {
    ChunkerConfig chunker = file.settings().chunker();
    Backend backend = Backends.preferred();
    if (format.isEmpty()) {
      return new AlignedSearch(chunker, backend, tail.start());
    }
    return tail.start() == 0
        ? FramedSearch.of(format.get(), chunker, backend)
        : FramedSearch.from(format.get(), chunker, backend, tail.head(), tail.start());
  }

  @Override
  public long getPos() {
    return position;
  }

  /** Everything written so far is on its way to the DataNodes, when it is not held back here. */
  @Override
  public void hflush() throws IOException {
    passOn();
    super.hflush();
  }

  @Override
  public void hsync() throws IOException {
    passOn();
    super.hsync();
  }

  @Override
  public void hsync(EnumSet<SyncFlag> syncFlags) throws IOException {
    passOn();
    if (cipher != null) {
      cipher.flush();
    }
    dfs.hsync(syncFlags);
    if (syncFlags.contains(SyncFlag.END_BLOCK) && blockCuts != null) {
      synchronized (lock) {
        blockCuts.blockEnded(position);
      }
    }
  }

  @Override
  public synchronized int getCurrentBlockReplication() throws IOException {
    return dfs.getCurrentBlockReplication();
  }

  /**
   * The stock stream. Whoever has it may write to it, so this file is no longer chunked, and from
   * now on nothing is held back. As in stock, does not wait for a thread that waits for DataNodes.
   */
  @Override
  public OutputStream getWrappedStream() {
    if (!atStock) {
      bypass();
    }
    return cipher != null ? cipher : dfs;
  }

  private void bypass() {
    synchronized (lock) {
      if (!closed) {
        try {
          drain();
        } catch (IOException e) {
          LOG.debug("Freshet: the next call to {} fails", file.path(), e);
        }
        giveUp(NoIndex.BYPASSED, null);
      }
    }
  }

  @Override
  public void close() throws IOException {
    boolean closedBefore;
    IOException first = null;
    synchronized (lock) {
      closedBefore = closed;
      closed = true;
      if (!closedBefore) {
        try {
          drain();
        } catch (IOException e) {
          first = e;
        } catch (RuntimeException | Error e) {
          // Stock's stream is to be closed all the same, or nobody else could write to the file.
          first = new IOException("The last bytes of " + file.path() + " were not written", e);
        }
        atStock = true;
      }
    }
    if (closedBefore) {
      // Waits, as in stock, if another thread is closing.
      counted.close();
      return;
    }
    try {
      closeStock(first);
    } finally {
      dropPipe();
      atClose.run();
    }
  }

  /**
   * Closes the stock stream and keeps the chunks. No other thread touches those any more.
   *
   * @param drainFailure what kept bytes from being passed on; or null
   */
  private void closeStock(IOException drainFailure) throws IOException {
    IOException first = drainFailure;
    try {
      counted.close();
    } catch (IOException e) {
      if (first == null) {
        first = e;
      } else if (first != e) {
        first.addSuppressed(e);
      }
    }
    if (first != null) {
      giveUp(NoIndex.WRITE_FAILED, first);
      report();
      throw first;
    }
    keepChunks();
    report();
  }

  private void keepChunks() {
    if (pipe == null && unread == null) {
      return;
    }
    if (unread != null || position < Math.max(1, file.settings().leastBytes())) {
      giveUp(NoIndex.SHORT, null);
      return;
    }
    List<Chunk> chunks = new ArrayList<>(kept);
    try {
      chunks.addAll(pipe.finish());
    } catch (IOException e) {
      giveUp(reasonOf(e), e);
      return;
    }
    try {
      Optional<WrittenFile.Version> version = file.versionOf(dfs, position);
      if (version.isEmpty()) {
        giveUp(NoIndex.CHANGED, null);
        return;
      }
      keep(version.get(), chunks);
    } catch (IOException | RuntimeException e) {
      giveUp(NoIndex.VERSION_UNKNOWN, e);
    }
  }

  private void keep(WrittenFile.Version version, List<Chunk> chunks) {
    String fingerprint = file.settings().fingerprint(format);
    FileIndexStore store = file.settings().store();
    if (store.put(
        file.fs(), version.status(), version.id(), fingerprint, chunks, startsWithBom())) {
      WriteMetrics.OF_THIS_JVM.indexed(position, chunks.size());
    } else {
      giveUp(NoIndex.NOT_KEPT, null);
    }
  }

  private void report() {
    if (noIndex != null) {
      WriteMetrics.OF_THIS_JVM.notIndexed(noIndex);
    }
  }

  private void passOn() throws IOException {
    synchronized (lock) {
      if (!closed) {
        drain();
      }
    }
  }

  private void drain() throws IOException {
    checkFailure();
    if (pipe != null) {
      try {
        pipe.drain();
      } catch (IOException | RuntimeException | Error e) {
        failed(e);
        throw e;
      }
      checkPipe();
    }
  }

  private void checkPipe() {
    if (pipe != null && pipe.failure() != null) {
      giveUp(reasonOf(pipe.failure()), pipe.failure());
    }
  }

  private static NoIndex reasonOf(Throwable failure) {
    return failure instanceof NotCuttableException ? NoIndex.NOT_CUTTABLE : NoIndex.CHUNKING_FAILED;
  }

  private void checkFailure() throws IOException {
    if (failure != null) {
      throw new IOException("An earlier write to " + file.path() + " failed", failure);
    }
  }

  /** Bytes may be missing in the file, so nothing may be written behind them. */
  private void failed(Throwable e) {
    failure = e;
    giveUp(NoIndex.WRITE_FAILED, e);
  }

  /** Nothing may be held back in the pipe, unless writing has failed. */
  private void giveUp(NoIndex why, Throwable cause) {
    dropPipe();
    forgetUnread();
    atStock = true;
    if (noIndex == null) {
      noIndex = why;
      LOG.debug("Freshet: {} gets no index: {}", file.path(), why.reason(), cause);
    }
  }

  private void dropPipe() {
    if (pipe != null) {
      pipe.close();
      pipe = null;
    }
  }

  /**
   * Looks at the file's first bytes as long as they are not all there. Up to then it is taken for
   * text; if it is none, so few bytes are looked at again.
   */
  private void recognize(byte[] bytes, int from, int length) throws IOException {
    byte[] before = Arrays.copyOf(head, headBytes);
    takeHead(bytes, from, length);
    if (headBytes == head.length && RecordFormats.recognize(head).isPresent()) {
      pipe.drain();
      dropPipe();
      chunkFrom(new AppendStart.Tail(0, before, head));
    }
  }

  private void takeHead(byte[] bytes, int from, int length) {
    int count = Math.min(length, head.length - headBytes);
    System.arraycopy(bytes, from, head, headBytes, count);
    headBytes += count;
  }

  private boolean startsWithBom() {
    return headBytes >= 3
        && head[0] == (byte) 0xEF
        && head[1] == (byte) 0xBB
        && head[2] == (byte) 0xBF;
  }

  /** Where DataOutputStream writes to. */
  private final class Tap extends OutputStream {
    private final byte[] single = new byte[1];

    @Override
    public void write(int value) throws IOException {
      synchronized (lock) {
        single[0] = (byte) value;
        write(single, 0, 1);
      }
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      Objects.checkFromIndexSize(from, length, bytes.length);
      synchronized (lock) {
        if (!closed) {
          checkFailure();
          if (unread != null && unread.isToBeRead(position + length, file.settings())) {
            readUnread();
          }
        }
        if (closed || pipe == null) {
          counted.write(bytes, from, length);
          if (unread != null) {
            behindUnread.write(bytes, from, length);
          }
        } else {
          try {
            if (headBytes < head.length) {
              recognize(bytes, from, length);
            }
            pipe.write(bytes, from, length);
          } catch (IOException | RuntimeException | Error e) {
            failed(e);
            throw e;
          }
          if (pipe.failure() != null) {
            position += length;
            drain();
            return;
          }
        }
        position += length;
      }
    }

    /** Stock's sends whole checksum chunks on their way, without waiting. */
    @Override
    public void flush() throws IOException {
      synchronized (lock) {
        if (!closed) {
          drain();
        }
        counted.flush();
      }
    }

    @Override
    public void close() throws IOException {
      IncrementalOutputStream.this.close();
    }
  }

  /** What the pipe lets go. */
  private final class StockTarget implements ChunkingPipe.Target {
    private long at;

    StockTarget(long at) {
      this.at = at;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      // What came with an append ends between two pieces, since it is drained.
      if (at >= toTargetFrom) {
        counted.write(bytes, from, length);
      }
      at += length;
    }

    @Override
    public void chunkEnds(long cut, byte[] bytes, int to) throws IOException {
      if (blockCuts == null || cut <= toTargetFrom || !blockCuts.endBlock(cut, bytes, to)) {
        return;
      }
      if (cipher != null) {
        cipher.flush();
      }
      try {
        StockOutputStream.endBlock(dfs);
        WriteMetrics.OF_THIS_JVM.blockCut();
      } catch (SocketTimeoutException e) {
        throw e;
      } catch (InterruptedIOException e) {
        // Only the waiting was interrupted; a stock write does not wait here, nor does it throw.
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Where the first block of an append may end. */
  static long firstCutOfAppend(long length) {
    return length + APPEND_BEFORE_CUT;
  }
}
