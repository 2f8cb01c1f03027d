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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Digests chunks of a source that comes in parts. Several chunks at a time, on an executor, which
 * may be the calling thread; they are passed on in order by the thread that calls. For one thread
 * at a time.
 *
 * <pre>{@code
 * digests.begin(part);
 * digests.cut(offset);  // as often as there are cuts in it
 * digests.end();        // and so on, for every part
 * digests.finish();
 * }</pre>
 */
public final class ChunkDigests implements CutSink {
  /*
   * Chunks are independent of each other and go to the digester in batches, for it works on several at a
   * time. A batch is closed when its chunks are enough for that; until then, parts are held. If one may
   * not be held, the batch is closed with what is in it; and if the chunk that goes on has bytes in that
   * part, it is digested alone, each piece after the one before it.
   */

  /** Decides what is to stay in memory. */
  @FunctionalInterface
  public interface Holding {
    /**
     * Whether the part that ends may stay in memory while the next comes. It is released some time
     * after that.
     *
     * @param held how many would stay, with this one
     */
    boolean mayStay(int held);
  }

  /** As many as a digester of large chunks works on at a time. */
  private static final int BATCH_CHUNKS = 3;

  private static final ByteBuffer ZEROS = ByteBuffer.allocate(4096).asReadOnlyBuffer();

  private final ChunkDigester digester;
  private final Executor executor;
  private final int batchBytes;
  private final Holding holding;
  private final Consumer<Chunk> chunks;

  /** Chunks cut and not yet passed on, in order. */
  private final Deque<PendingChunk> cut = new ArrayDeque<>();

  /** Tasks that may still be looking at parts. */
  private final Deque<CompletableFuture<Void>> running = new ArrayDeque<>();

  /** Parts with pieces that have not been handed out, in order. */
  private final Deque<HeldPart> held = new ArrayDeque<>();

  /** Chunks cut and not yet handed out. */
  private List<PendingChunk> batch = new ArrayList<>();

  private long bytesInBatch;
  private PendingChunk open;

  /** The part begun; null between parts. */
  private HeldPart part;

  /** Where in it the bytes begin that belong to no piece yet. */
  private int at;

  /**
   * @param executor runs the digester
   * @param batchBytes a batch of so many bytes, and chunks enough, does not wait for the part's end
   * @param start where in the source the first part begins
   * @param chunks is given each chunk, in order
   */
  public ChunkDigests(
      ChunkDigester digester,
      Executor executor,
      int batchBytes,
      Holding holding,
      long start,
      Consumer<Chunk> chunks) {
    this.digester = digester;
    this.executor = executor;
    this.batchBytes = batchBytes;
    this.holding = holding;
    this.chunks = chunks;
    this.open = new PendingChunk(start);
  }

  /** The source goes on with {@code next}, which is released when it has been digested. */
  @Override
  public void begin(SourcePart next) {
    part = new HeldPart(next);
    at = next.from();
  }

  /** The bytes up to {@code offset}, in the part begun, count as they are. */
  public void bytesTo(long offset) {
    addPiece(indexOf(offset));
  }

  /** Those behind that, and up to {@code offset}, in the part begun, count as zeros. */
  public void zerosTo(long offset) {
    int to = indexOf(offset);
    while (at < to) {
      int count = Math.min(to - at, ZEROS.capacity());
      open.pieces.add(new ChunkDigester.Piece(ZEROS, 0, count));
      at += count;
    }
  }

  @Override
  public void cut(long offset) {
    if (part != null) {
      bytesTo(offset);
    }
    open.length = offset - open.offset;
    cut.add(open);
    if (open.digested != null) {
      handOutAlone(true);
    } else {
      batch.add(open);
      bytesInBatch += open.length;
    }
    open = new PendingChunk(offset);
    if (bytesInBatch >= batchBytes && batch.size() >= BATCH_CHUNKS) {
      handOutBatch();
    }
  }

  @Override
  public void end() {
    addPiece(part.of.to());
    if (open.digested != null) {
      handOutAlone(false);
    } else {
      if (batch.size() >= BATCH_CHUNKS || !isHoldingAllowed()) {
        handOutBatch();
      }
      if (!open.pieces.isEmpty() && !isHoldingAllowed()) {
        handOutAlone(false);
      }
    }
    part.release();
    part = null;
    while (!running.isEmpty() && running.peek().isDone()) {
      running.remove();
    }
    passOnDigested();
  }

  @Override
  public void finish() throws IOException {
    handOutBatch();
    passOnDigested();
    for (PendingChunk chunk = cut.poll(); chunk != null; chunk = cut.poll()) {
      Waiting.forResult(chunk.digested);
      chunks.accept(chunk.chunk());
    }
  }

  @Override
  public void close() {
    for (CompletableFuture<Void> task : running) {
      task.exceptionally(failure -> null).join();
    }
  }

  /** Releases the parts that wait for further ones, because none will come. */
  public void abandon() {
    batch.add(open);
    batch.forEach(chunk -> chunk.takeParts().forEach(HeldPart::release));
    batch.clear();
    held.clear();
  }

  private boolean isHoldingAllowed() {
    return held.isEmpty() || (digester.isFasterTogether() && holding.mayStay(held.size()));
  }

  private int indexOf(long offset) {
    return part.of.from() + (int) (offset - part.of.offset());
  }

  private void passOnDigested() {
    while (!cut.isEmpty() && cut.peek().isDigested()) {
      cut.peek().digested.join();
      chunks.accept(cut.remove().chunk());
    }
  }

  private void addPiece(int to) {
    if (at < to) {
      open.pieces.add(new ChunkDigester.Piece(part.of.bytes(), at, to));
      open.parts.add(part);
      part.users.incrementAndGet();
      if (held.peekLast() != part) {
        held.add(part);
      }
      at = to;
    }
  }

  private void handOutBatch() {
    if (batch.isEmpty()) {
      return;
    }
    List<PendingChunk> together = batch;
    batch = new ArrayList<>();
    bytesInBatch = 0;
    List<List<ChunkDigester.Piece>> pieces =
        together.stream().map(PendingChunk::takePieces).toList();
    List<HeldPart> parts = new ArrayList<>();
    together.forEach(chunk -> parts.addAll(chunk.takeParts()));
    CompletableFuture<Void> done =
        CompletableFuture.runAsync(
                () -> {
                  byte[][] digests = digester.digest(pieces);
                  for (int i = 0; i < digests.length; i++) {
                    together.get(i).sha256 = digests[i];
                  }
                },
                executor)
            .whenComplete((digested, failure) -> parts.forEach(HeldPart::release));
    together.forEach(chunk -> chunk.digested = done);
    handedOut(done);
  }

  /** Hands out the pieces of the chunk that goes on. */
  private void handOutAlone(boolean last) {
    PendingChunk chunk = open;
    List<ChunkDigester.Piece> pieces = chunk.takePieces();
    List<HeldPart> parts = chunk.takeParts();
    CompletableFuture<Void> before =
        chunk.digested != null ? chunk.digested : CompletableFuture.completedFuture(null);
    chunk.digested =
        before
            .thenRunAsync(() -> chunk.digestAlone(pieces, last), executor)
            .whenComplete((digested, failure) -> parts.forEach(HeldPart::release));
    handedOut(chunk.digested);
  }

  private void handedOut(CompletableFuture<Void> task) {
    running.add(task);
    // What is left belongs to the chunk that goes on.
    HeldPart first = open.parts.isEmpty() ? null : open.parts.get(0);
    while (!held.isEmpty() && held.peek() != first) {
      held.remove();
    }
  }

  /** A part that is released when nobody looks at it any more. */
  private static final class HeldPart {
    private final SourcePart of;

    /** Pieces of it not yet digested, and the thread that cuts it. */
    private final AtomicInteger users = new AtomicInteger(1);

    HeldPart(SourcePart of) {
      this.of = of;
    }

    void release() {
      if (users.decrementAndGet() == 0) {
        of.release();
      }
    }
  }

  /** A chunk not yet passed on. */
  private static final class PendingChunk {
    private final long offset;
    private long length;

    /** Its bytes not yet handed out, and where each of these pieces lies. */
    private List<ChunkDigester.Piece> pieces = new ArrayList<>(1);

    private List<HeldPart> parts = new ArrayList<>(1);

    /** Ends with what was handed out last; null before. */
    private CompletableFuture<Void> digested;

    private MessageDigest alone;
    private byte[] sha256;

    PendingChunk(long offset) {
      this.offset = offset;
    }

    List<ChunkDigester.Piece> takePieces() {
      List<ChunkDigester.Piece> taken = pieces;
      pieces = new ArrayList<>(1);
      return taken;
    }

    List<HeldPart> takeParts() {
      List<HeldPart> taken = parts;
      parts = new ArrayList<>(1);
      return taken;
    }

    /** Runs on the executor; the futures order the pieces of a chunk. */
    void digestAlone(List<ChunkDigester.Piece> next, boolean last) {
      if (alone == null) {
        alone = Sha256.start();
      }
      next.forEach(piece -> Sha256.update(alone, piece));
      if (last) {
        sha256 = alone.digest();
        alone = null;
      }
    }

    boolean isDigested() {
      return digested != null && digested.isDone();
    }

    Chunk chunk() {
      return new Chunk(offset, length, sha256);
    }
  }
}
