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
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.freshet.hdfs.format.FrameScan;
import org.freshet.hdfs.io.PieceSearch.Found;
import org.freshet.shredder.Backends;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.ChunkDigests;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.DigestAlgorithm;
import org.freshet.shredder.SourcePart;

/**
 * Finds the chunks of bytes that are on their way from a writer to a target. Holds back some bytes,
 * until it is known where to cut them; {@link #drain} lets them go. For one thread at a time.
 */
final class ChunkingPipe implements AutoCloseable {
  /*
   * The writer copies its bytes into a span. A full span becomes a piece, which is searched for cuts
   * on the executor while the writer fills the next one; then the writer passes it on to the target,
   * with the cuts. So the target is called by the writer alone, as a stock stream is, and never while
   * the writer is not in a call. Nobody waits for digests before the end, unless spans run out: there are
   * a few, and each is in use until it is digested.
   *
   * Large chunks are digested several at a time, so spans are held until there are several. These do not
   * count among the few, but among those that all pipes together may hold. If there are no more, chunks
   * are digested one after the other.
   *
   * Searches follow each other, because the selector must see cuts in order. They don't wait for each
   * other on the executor's threads; the waiting is in the futures.
   */

  /** Takes the bytes, and the cuts between them. */
  interface Target {
    /** The next bytes. */
    void write(byte[] bytes, int from, int length) throws IOException;

    /**
     * A chunk ends behind the bytes written so far.
     *
     * @param cut offset in the file
     * @param to the {@link Chunker#HALO} bytes before this index of {@code bytes} are those before
     *     the cut, as far as the file has as many
     */
    void chunkEnds(long cut, byte[] bytes, int to) throws IOException;
  }

  /** Most spans that a pipe has at a time, without those held. */
  static final int MOST_SPANS = 6;

  /**
   * Chunks that wait for each other. More would take less time, but much more memory for each file.
   */
  private static final int DIGESTED_TOGETHER = 3;

  /**
   * Most spans that it holds: three chunks of the usual size, and what comes while they are
   * digested.
   */
  static final int MOST_HELD = 40;

  /** Bytes in a span, but for the first ones of a file. */
  static final int SPAN_BYTES = 1 << 20;

  private static final int FIRST_SPAN_BYTES = 64 << 10;

  /** So few bytes, as between two flushes, are searched sooner than handed to another thread. */
  private static final int SEARCHED_BY_WRITER = 16 << 10;

  /** Pieces that may wait for being passed on while the writer fills the next span. */
  private static final int PIECES_AHEAD = 1;

  private final PieceSearch search;
  private final Executor executor;
  private final Target target;
  private final Deque<Piece> pieces = new ArrayDeque<>();
  private final Semaphore spans = new Semaphore(MOST_SPANS);
  private final ConcurrentLinkedQueue<byte[]> unused = new ConcurrentLinkedQueue<>();
  private final List<Chunk> chunks = new ArrayList<>();

  /** Of one searching task after the other. */
  private final ChunkDigests digests;

  private CompletableFuture<Void> searched = CompletableFuture.completedFuture(null);

  private Span span;
  private int spanBytes = FIRST_SPAN_BYTES;

  /** Where the chunk begins that has no end yet, and the first chunk's digest, if it is its own. */
  private long chunkStart;

  private Chunk header;

  /** Whose bytes are being handed to {@code digests}. */
  private Span handed;

  /** Whether they are few: who flushes after every record has no use for speed, but for memory. */
  private boolean trickles;

  /** Why chunks are no longer looked for; null while they are. */
  private Throwable failure;

  private boolean closed;

  /**
   * @param search of the file from {@code start} on
   * @param executor searches and digests
   * @param start offset in the file of the first byte, where a chunk begins
   */
  ChunkingPipe(PieceSearch search, Executor executor, long start, Target target) {
    this.search = search;
    this.executor = executor;
    this.target = target;
    this.chunkStart = start;
    this.digests =
        new ChunkDigests(
            Backends.preferred().digester(DigestAlgorithm.SHA_256),
            DIGESTED_TOGETHER,
            executor,
            Integer.MAX_VALUE,
            held -> held <= MOST_HELD && !trickles && handed.hold(),
            start,
            this::add);
    this.span = newSpan(start);
  }

  /** The next bytes. */
  void write(byte[] bytes, int from, int length) throws IOException {
    int at = from;
    int end = from + length;
    while (at < end) {
      if (span.to == span.bytes.length) {
        nextSpan();
      }
      int count = Math.min(end - at, span.bytes.length - span.to);
      System.arraycopy(bytes, at, span.bytes, span.to, count);
      span.to += count;
      at += count;
    }
  }

  /** Passes on all bytes written so far. */
  void drain() throws IOException {
    submit();
    while (!pieces.isEmpty()) {
      passOn(pieces.remove());
    }
  }

  /**
   * The chunks, from the first byte written on. To be called after {@link #drain}; nothing may be
   * written afterwards.
   *
   * @throws org.freshet.hdfs.format.NotCuttableException if the file is not what its first bytes
   *     promise
   * @throws IOException if searching or digesting has failed
   */
  List<Chunk> finish() throws IOException {
    long end = span.offsetOf(span.to);
    try {
      searched.join();
    } catch (CompletionException e) {
      throw new IOException("The chunks were not found", e.getCause());
    }
    search.end();
    if (chunkStart < end) {
      digests.cut(end);
    }
    digests.finish();
    return List.copyOf(chunks);
  }

  /** Lets go of all memory. Nothing may be called afterwards. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      pieces.forEach(piece -> piece.span.release());
      pieces.clear();
      span.release();
      searched.whenCompleteAsync((done, failed) -> digests.abandon(), executor);
    }
  }

  /** Why the chunks will not be found; null if nothing speaks against it. */
  Throwable failure() {
    return failure;
  }

  private void nextSpan() throws IOException {
    submit();
    while (pieces.size() > PIECES_AHEAD) {
      passOn(pieces.remove());
    }
    Span full = span;
    spanBytes = Math.min(2 * spanBytes, SPAN_BYTES);
    span = newSpan(full.offsetOf(full.to));
    System.arraycopy(full.bytes, full.to - Chunker.HALO, span.bytes, 0, Chunker.HALO);
    full.release();
  }

  private Span newSpan(long offset) {
    spans.acquireUninterruptibly();
    byte[] bytes = unused.poll();
    if (bytes == null && spanBytes == SPAN_BYTES) {
      bytes = HeldSpans.poll();
    }
    return new Span(bytes != null ? bytes : new byte[Chunker.HALO + spanBytes], offset);
  }

  /** Makes a piece of what has come since the last one. */
  private void submit() {
    if (span.submitted == span.to) {
      return;
    }
    Span of = span;
    int from = of.submitted;
    int to = of.to;
    of.submitted = to;
    // One for searching and digesting, one for passing on.
    of.uses.addAndGet(2);
    CompletableFuture<Found> found = new CompletableFuture<>();
    boolean now = to - from <= SEARCHED_BY_WRITER && searched.isDone();
    if (now && !searched.isCompletedExceptionally()) {
      search(of, from, to, found);
    }
    searched =
        searched
            .thenRunAsync(
                () -> {
                  // Whoever has just searched the bytes has them in its processor's caches.
                  if (!now) {
                    search(of, from, to, found);
                  }
                  digest(of, from, to, found.join());
                },
                executor)
            .whenComplete(
                (done, failed) -> {
                  if (failed != null) {
                    found.completeExceptionally(failed);
                  }
                  of.release();
                });
    pieces.add(new Piece(of, from, to, found));
  }

  private void search(Span of, int from, int to, CompletableFuture<Found> found) {
    try {
      found.complete(search.next(of.bytes, from, to, of.offsetOf(from)));
    } catch (IOException | RuntimeException | Error e) {
      found.completeExceptionally(e);
    }
  }

  private void digest(Span of, int from, int to, Found found) {
    Deque<Long> masked = new ArrayDeque<>(found.masked());
    handed = of;
    trickles = to - from <= SEARCHED_BY_WRITER;
    header = found.header() != null ? found.header() : header;
    of.uses.incrementAndGet();
    digests.begin(new SpanPart(of, from, to));
    for (long cut : found.cuts()) {
      digestTo(cut, masked);
      digests.cut(cut);
      chunkStart = cut;
    }
    digestTo(of.offsetOf(to), masked);
    digests.end();
  }

  /** Digests bytes with the markers among them, which are then removed from {@code masked}. */
  private void digestTo(long end, Deque<Long> masked) {
    while (!masked.isEmpty() && masked.peek() - FrameScan.MARKER_BYTES < end) {
      long markerEnd = masked.remove();
      digests.bytesTo(markerEnd - FrameScan.MARKER_BYTES);
      digests.zerosTo(Math.min(end, markerEnd));
    }
    digests.bytesTo(end);
  }

  private void add(Chunk chunk) {
    chunks.add(header != null && header.end() == chunk.end() ? header : chunk);
  }

  private void passOn(Piece piece) throws IOException {
    Span of = piece.span;
    try {
      int at = piece.from;
      for (long cut : cutsOf(piece)) {
        int index = of.indexOf(cut);
        target.write(of.bytes, at, index - at);
        at = index;
        target.chunkEnds(cut, of.bytes, index);
      }
      if (at < piece.to) {
        target.write(of.bytes, at, piece.to - at);
      }
    } finally {
      of.release();
    }
  }

  private long[] cutsOf(Piece piece) {
    try {
      return piece.found.join().cuts();
    } catch (CompletionException e) {
      failure = e.getCause();
      return new long[0];
    }
  }

  /** Bytes of a span that are searched and passed on together. */
  private record Piece(Span span, int from, int to, CompletableFuture<Found> found) {}

  /** A buffer, and where it lies in the file. */
  private final class Span {
    /** {@link Chunker#HALO} bytes from the span before, then the span's own. */
    final byte[] bytes;

    /** Offset in the file of the span's own first byte. */
    final long offset;

    /** Those who may still look at it; the writer, who fills it, is the first. */
    final AtomicInteger uses = new AtomicInteger(1);

    /** Whether it counts among those held. */
    private boolean isHeld;

    int submitted = Chunker.HALO;
    int to = Chunker.HALO;

    Span(byte[] bytes, long offset) {
      this.bytes = bytes;
      this.offset = offset;
    }

    long offsetOf(int index) {
      return offset + index - Chunker.HALO;
    }

    int indexOf(long fileOffset) {
      return (int) (fileOffset - offset) + Chunker.HALO;
    }

    /** Asks for leave to hold it; to be called by one who looks at it. */
    boolean hold() {
      if (!isHeld && HeldSpans.tryHold()) {
        isHeld = true;
        spans.release();
      }
      return isHeld;
    }

    void release() {
      if (uses.decrementAndGet() > 0) {
        return;
      }
      boolean isFullSize = bytes.length == Chunker.HALO + SPAN_BYTES;
      if (isHeld) {
        HeldSpans.letGo(isFullSize ? bytes : null);
      } else {
        if (isFullSize) {
          unused.add(bytes);
        }
        spans.release();
      }
    }
  }

  /** What is digested of a span. */
  private record SpanPart(Span span, int from, int to) implements SourcePart {
    @Override
    public ByteBuffer bytes() {
      return ByteBuffer.wrap(span.bytes);
    }

    @Override
    public long offset() {
      return span.offsetOf(from);
    }

    @Override
    public void release() {
      span.release();
    }
  }
}
