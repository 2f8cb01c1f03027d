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
package org.freshet.shredder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Digests chunks on an executor while later segments are still being searched, and passes them on
 * in order. Called by one thread, which is also the one that passes chunks on.
 *
 * <p>Chunks that lie within a segment are independent of each other and go to the executor in
 * batches. A chunk that runs across segments is digested in parts, each after the one before it.
 */
final class ParallelDigests implements CutSink {
  /**
   * A task of this many bytes takes half a millisecond or more, well above the cost of a hand-over,
   * and has chunks enough for a digester that works on many at once.
   */
  private static final int BATCH_BYTES = 2 << 20;

  /** Of large chunks as many as a digester takes at once. */
  private static final int BATCH_CHUNKS = 3;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final ChunkDigester digester;
  private final Executor executor;
  private final Consumer<Chunk> chunks;

  /** Chunks cut and not yet passed on, in order. */
  private final Deque<PendingChunk> cut = new ArrayDeque<>();

  /** One for each segment that tasks may still be looking at, in order. */
  private final Deque<CompletableFuture<Void>> inUse = new ArrayDeque<>();

  private PendingChunk open = new PendingChunk(0);

  /** The segment begun; null between segments. */
  private SegmentSearch.Segment segment;

  private int handedOut;
  private List<CompletableFuture<Void>> tasks;

  /** Chunks that follow each other in the segment begun, and where they begin and end. */
  private List<PendingChunk> batch = new ArrayList<>();

  private List<Integer> batchEnds = new ArrayList<>();
  private int batchFrom;

  ParallelDigests(ChunkDigester digester, Executor executor, Consumer<Chunk> chunks) {
    this.digester = digester;
    this.executor = executor;
    this.chunks = chunks;
  }

  @Override
  public void begin(SegmentSearch.Segment next) {
    segment = next;
    handedOut = next.from();
    tasks = new ArrayList<>();
  }

  @Override
  public void cut(long offset) {
    if (segment == null) {
      open.then(new Piece(open, NOTHING, 0, 0, true), executor);
    } else {
      handOutUpTo(segment.from() + (int) (offset - segment.offset()), true);
    }
    open.length = offset - open.offset;
    cut.add(open);
    open = new PendingChunk(offset);
  }

  @Override
  public void end() {
    SegmentSearch.Segment ended = segment;
    if (handedOut < ended.to()) {
      handOutUpTo(ended.to(), false);
    }
    flushBatch();
    segment = null;
    inUse.add(
        CompletableFuture.allOf(tasks.toArray(new CompletableFuture<?>[0]))
            .whenComplete((done, failure) -> ended.release()));
    while (!inUse.isEmpty() && inUse.peek().isDone()) {
      inUse.remove();
    }
    while (!cut.isEmpty() && cut.peek().digested.isDone()) {
      cut.peek().digested.join();
      chunks.accept(cut.remove().chunk());
    }
  }

  @Override
  public void finish() throws IOException {
    for (PendingChunk chunk = cut.poll(); chunk != null; chunk = cut.poll()) {
      Waiting.forResult(chunk.digested);
      chunks.accept(chunk.chunk());
    }
  }

  @Override
  public void close() {
    for (CompletableFuture<Void> use : inUse) {
      use.exceptionally(failure -> null).join();
    }
  }

  private void handOutUpTo(int position, boolean last) {
    int from = handedOut;
    handedOut = position;
    if (last && open.digested == null) {
      if (batch.isEmpty()) {
        batchFrom = from;
      }
      batch.add(open);
      batchEnds.add(position);
      if (position - batchFrom >= BATCH_BYTES && batch.size() >= BATCH_CHUNKS) {
        flushBatch();
      }
    } else {
      open.then(new Piece(open, segment.bytes(), from, position, last), executor);
      tasks.add(open.digested);
    }
  }

  private void flushBatch() {
    if (!batch.isEmpty()) {
      List<PendingChunk> together = batch;
      int[] ends = batchEnds.stream().mapToInt(Integer::intValue).toArray();
      ByteBuffer content = segment.bytes();
      int from = batchFrom;
      CompletableFuture<Void> done =
          CompletableFuture.runAsync(() -> digest(together, content, from, ends), executor);
      together.forEach(chunk -> chunk.digested = done);
      tasks.add(done);
      batch = new ArrayList<>();
      batchEnds = new ArrayList<>();
    }
  }

  /** Runs on the executor. */
  private void digest(List<PendingChunk> together, ByteBuffer content, int from, int[] ends) {
    byte[][] digests = digester.digest(content, from, ends);
    for (int i = 0; i < ends.length; i++) {
      together.get(i).sha256 = digests[i];
    }
  }

  /** The part of a chunk that lies in one segment. */
  private record Piece(PendingChunk chunk, ByteBuffer content, int from, int to, boolean last) {
    /** Runs on the executor; the futures order the pieces of a chunk. */
    void digest() {
      if (chunk.running == null) {
        chunk.running = Sha256.start();
      }
      Sha256.update(chunk.running, content, from, to);
      if (last) {
        chunk.sha256 = chunk.running.digest();
        chunk.running = null;
      }
    }
  }

  /** A chunk some of whose bytes may still be waiting for the executor. */
  private static final class PendingChunk {
    private final long offset;
    private long length;

    /** Ends with the last piece handed out; null while there is none. */
    private CompletableFuture<Void> digested;

    private MessageDigest running;
    private byte[] sha256;

    PendingChunk(long offset) {
      this.offset = offset;
    }

    void then(Piece piece, Executor executor) {
      digested =
          digested == null
              ? CompletableFuture.runAsync(piece::digest, executor)
              : digested.thenRunAsync(piece::digest, executor);
    }

    Chunk chunk() {
      return new Chunk(offset, length, sha256);
    }
  }
}
