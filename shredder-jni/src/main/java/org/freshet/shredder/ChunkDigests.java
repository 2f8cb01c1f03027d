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
   * Chunks are independent of each other, and a digester works on several at a time: on so many that they
   * are its width. With fewer it takes as long as with these. So chunks wait for others, and so does what is
   * left of the last ones that were digested together: it is digested together with the next. Until
   * then, the parts are held in which their bytes lie. If a part may not be held, nothing waits until
   * it has been released; and if the chunk that goes on has bytes in it, that chunk is digested alone, each
   * piece after the one before it.
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

    /**
     * Whether the calling thread may wait until fewer are held, for what the executor digests
     * already: not if it is one of the executor's.
     */
    default boolean mayWait() {
      return false;
    }
  }

  private static final ByteBuffer ZEROS = ByteBuffer.allocate(4096).asReadOnlyBuffer();

  private final ChunkDigester digester;
  private final int width;
  private final Executor executor;
  private final int batchBytes;
  private final Holding holding;
  private final Consumer<Chunk> chunks;

  /** Chunks cut and not yet passed on, in order. */
  private final Deque<PendingChunk> cut = new ArrayDeque<>();

  /** Tasks that may still be looking at parts. */
  private final Deque<CompletableFuture<Void>> running = new ArrayDeque<>();

  private final Together together = new Together();

  /** Parts that have not been released, and those of them that may not be held. */
  private final Deque<HeldPart> held = new ArrayDeque<>();

  private final List<HeldPart> unheld = new ArrayList<>();

  /** Of the chunks that have begun to wait since a task was handed out. */
  private long bytesInBatch;

  private PendingChunk open;

  /** The part begun; null between parts. */
  private HeldPart part;

  /** Where in it the bytes begin that belong to no piece yet. */
  private int at;

  /**
   * @param width how many chunks may wait for each other: at most as many as the digester wants
   * @param executor runs the digester
   * @param batchBytes a batch of so many bytes, and chunks enough, does not wait for the part's end
   * @param start where in the source the first part begins
   * @param chunks is given each chunk, in order
   */
  public ChunkDigests(
      ChunkDigester digester,
      int width,
      Executor executor,
      int batchBytes,
      Holding holding,
      long start,
      Consumer<Chunk> chunks) {
    this.digester = digester;
    this.width = Math.min(width, digester.width());
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
    held.add(part);
    at = next.from();
  }

  /** The bytes up to {@code offset}, in the part begun, count as they are. */
  public void bytesTo(long offset) {
    int to = indexOf(offset);
    if (at < to) {
      open.add(new ChunkDigester.Piece(part.of.bytes(), at, to), part);
      at = to;
    }
  }

  /** Those behind that, and up to {@code offset}, in the part begun, count as zeros. */
  public void zerosTo(long offset) {
    int to = indexOf(offset);
    while (at < to) {
      int count = Math.min(to - at, ZEROS.capacity());
      open.add(new ChunkDigester.Piece(ZEROS, 0, count), null);
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
    if (open.isAlone()) {
      handOutAlone(true);
    } else {
      open.digest = new UnfinishedDigest(open.takePieces());
      bytesInBatch += open.length;
      if (together.add(open) >= width && bytesInBatch >= batchBytes) {
        handOut();
      }
    }
    open = new PendingChunk(offset);
  }

  @Override
  public void end() {
    bytesTo(part.of.offset() + part.of.to() - part.of.from());
    if (together.count() >= width) {
      handOut();
    }
    decideOnHolding();
    part.release();
    part = null;
    while (!running.isEmpty() && running.peek().isDone()) {
      running.remove();
    }
    passOnDigested();
  }

  /** Asks for leave to hold the part that ends, if anything in it waits or may come to wait. */
  private void decideOnHolding() {
    boolean mayStay = !part.isInUse() || (width > 1 && mayStay());
    unheld.removeIf(HeldPart::isReleased);
    if (!mayStay) {
      unheld.add(part);
    }
    together.setEnding(!unheld.isEmpty());
    if (!unheld.isEmpty()) {
      handOut();
      if (open.hasPieces()) {
        handOutAlone(false);
      }
    }
  }

  /**
   * Whether the part that ends may be held. If that is too many only because the executor has not
   * come to those that were handed out before, it is worth waiting: what is not held is digested
   * alone.
   */
  private boolean mayStay() {
    held.removeIf(HeldPart::isReleased);
    while (!holding.mayStay(held.size())) {
      if (running.isEmpty() || !holding.mayWait()) {
        return false;
      }
      awaitEnd(running.remove());
      held.removeIf(HeldPart::isReleased);
    }
    return true;
  }

  @Override
  public void finish() throws IOException {
    together.setEnding(true);
    handOut();
    passOnDigested();
    for (PendingChunk chunk = cut.poll(); chunk != null; chunk = cut.poll()) {
      Waiting.forResult(chunk.digested);
      chunks.accept(chunk.chunk());
    }
  }

  @Override
  public void close() {
    running.forEach(ChunkDigests::awaitEnd);
  }

  /** If it fails, so do its chunks. */
  private static void awaitEnd(CompletableFuture<Void> task) {
    task.exceptionally(failure -> null).join();
  }

  /** Releases the parts that wait for further ones, because none will come. */
  public void abandon() {
    together.setEnding(true);
    together.takeAll().forEach(PendingChunk::releaseAll);
    open.releaseAll();
  }

  private int indexOf(long offset) {
    return part.of.from() + (int) (offset - part.of.offset());
  }

  private void passOnDigested() {
    while (!cut.isEmpty() && cut.peek().digested.isDone()) {
      cut.peek().digested.join();
      chunks.accept(cut.remove().chunk());
    }
  }

  /** Has the chunks digested that wait for each other. */
  private void handOut() {
    bytesInBatch = 0;
    if (together.addTask()) {
      running.add(CompletableFuture.runAsync(this::digestWaiting, executor));
    }
  }

  /** Runs on the executor. */
  private void digestWaiting() {
    List<PendingChunk> mine = together.takeShare();
    try {
      while (!mine.isEmpty()) {
        List<UnfinishedDigest> digests = new ArrayList<>(mine.size());
        mine.forEach(chunk -> digests.add(chunk.digest));
        if (together.isEnding()) {
          digester.digest(digests);
        } else {
          digester.digestSome(digests, width);
        }
        List<PendingChunk> left = new ArrayList<>(mine);
        left.removeIf(PendingChunk::goOn);
        mine = together.putBack(left);
      }
    } catch (RuntimeException | Error e) {
      for (PendingChunk chunk : mine) {
        chunk.digested.completeExceptionally(e);
        chunk.releaseAll();
      }
      throw e;
    }
  }

  /** Hands out the pieces of the chunk that goes on. */
  private void handOutAlone(boolean last) {
    PendingChunk chunk = open;
    List<ChunkDigester.Piece> pieces = chunk.takePieces();
    List<HeldPart> parts = chunk.takeParts();
    chunk.alone =
        (chunk.isAlone() ? chunk.alone : CompletableFuture.<Void>completedFuture(null))
            .thenRunAsync(() -> chunk.digestAlone(digester, pieces, last), executor)
            .whenComplete(
                (digested, failure) -> {
                  parts.forEach(HeldPart::release);
                  if (failure != null) {
                    chunk.digested.completeExceptionally(failure);
                  }
                });
    running.add(chunk.alone);
  }

  /** Chunks that are digested together when there are enough of them. Safe for several threads. */
  private final class Together {
    private List<PendingChunk> chunks = new ArrayList<>();
    private boolean isEnding;

    /** Tasks handed out that have not begun. */
    private int tasks;

    /**
     * @return how many wait now
     */
    synchronized int add(PendingChunk chunk) {
      chunks.add(chunk);
      return chunks.size();
    }

    synchronized int count() {
      return chunks.size();
    }

    /** Whether no chunk is to wait any more, nor what is left of one. */
    synchronized void setEnding(boolean value) {
      isEnding = value;
    }

    synchronized boolean isEnding() {
      return isEnding;
    }

    /** Counts one more task, if anything waits for one; returns whether it does. */
    synchronized boolean addTask() {
      if (chunks.isEmpty()) {
        return false;
      }
      tasks++;
      return true;
    }

    /** For a task that begins. Those that come after it find something, too. */
    synchronized List<PendingChunk> takeShare() {
      List<PendingChunk> taken = take(tasks);
      tasks--;
      return taken;
    }

    synchronized List<PendingChunk> takeAll() {
      return take(1);
    }

    /**
     * What is left waits, in front of those that came later, for the next task or for more.
     *
     * @return what may not wait, or need not, because there are others enough
     */
    synchronized List<PendingChunk> putBack(List<PendingChunk> left) {
      chunks.addAll(0, left);
      boolean mayWait = tasks > 0 || (!isEnding && chunks.size() < width);
      return mayWait ? List.of() : takeAll();
    }

    /** A share of what waits, if that is enough. */
    private List<PendingChunk> take(int shares) {
      int share = Math.max(width, (chunks.size() + shares - 1) / shares);
      List<PendingChunk> first = chunks.subList(0, Math.min(share, chunks.size()));
      List<PendingChunk> taken = List.copyOf(first);
      first.clear();
      return taken;
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

    /** Whether there is anybody but the thread that cuts it. */
    boolean isInUse() {
      return users.get() > 1;
    }

    boolean isReleased() {
      return users.get() == 0;
    }

    void release() {
      if (users.decrementAndGet() == 0) {
        of.release();
      }
    }
  }

  /** A part with bytes of a chunk, and where in the chunk these end. */
  private record Place(HeldPart part, long end) {}

  /** A chunk not yet passed on. */
  private static final class PendingChunk {
    private final long offset;
    private long length;

    /** Its bytes not yet handed out. */
    private List<ChunkDigester.Piece> pieces = new ArrayList<>(1);

    /** Where they lie. */
    private final Deque<Place> places = new ArrayDeque<>(1);

    private long size;

    /** Of a chunk that is digested together with others. */
    private UnfinishedDigest digest;

    /** Of one that is not: ends with what was handed out last. */
    private CompletableFuture<Void> alone;

    private RunningDigest running;

    private final CompletableFuture<byte[]> digested = new CompletableFuture<>();

    PendingChunk(long offset) {
      this.offset = offset;
    }

    /**
     * @param part null if it lies nowhere
     */
    void add(ChunkDigester.Piece piece, HeldPart part) {
      pieces.add(piece);
      size += piece.length();
      if (part != null) {
        part.users.incrementAndGet();
        places.add(new Place(part, size));
      }
    }

    boolean hasPieces() {
      return !pieces.isEmpty();
    }

    boolean isAlone() {
      return alone != null;
    }

    List<ChunkDigester.Piece> takePieces() {
      List<ChunkDigester.Piece> taken = pieces;
      pieces = new ArrayList<>(1);
      return taken;
    }

    List<HeldPart> takeParts() {
      List<HeldPart> taken = new ArrayList<>();
      places.forEach(place -> taken.add(place.part));
      places.clear();
      return taken;
    }

    void releaseAll() {
      takeParts().forEach(HeldPart::release);
    }

    /**
     * More of it has been digested.
     *
     * @return whether all has
     */
    boolean goOn() {
      while (!places.isEmpty() && (digest.hasEnded() || places.peek().end <= digest.done())) {
        places.remove().part.release();
      }
      if (digest.hasEnded()) {
        digested.complete(digest.digest());
      }
      return digest.hasEnded();
    }

    /** Runs on the executor; the futures order the pieces of a chunk. */
    void digestAlone(ChunkDigester by, List<ChunkDigester.Piece> next, boolean last) {
      if (running == null) {
        running = by.start();
      }
      next.forEach(running::update);
      if (last) {
        digested.complete(running.end());
      }
    }

    Chunk chunk() {
      return new Chunk(offset, length, digested.join());
    }
  }
}
