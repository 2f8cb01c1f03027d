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
import java.util.Collections;
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

    /**
     * Whether the calling thread must wait until fewer are held, for what the executor digests
     * already, before the next part can come. Never, if parts wait for further ones.
     *
     * @param held how many there are with the part that has ended
     */
    default boolean isFull(int held) {
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

  /** Cut, but not yet among those that are digested together. */
  private final List<PendingChunk> waiting = new ArrayList<>();

  /** How many parts have not been released. */
  private final AtomicInteger held = new AtomicInteger();

  /** Those of them that may not be held. */
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
    part = new HeldPart(next, held);
    at = next.from();
  }

  /** The bytes up to {@code offset}, in the part begun, count as they are. */
  public void bytesTo(long offset) {
    int to = indexOf(offset);
    if (at < to) {
      open.add(part.of.bytes(), at, to, part);
      at = to;
    }
  }

  /** Those behind that, and up to {@code offset}, in the part begun, count as zeros. */
  public void zerosTo(long offset) {
    int to = indexOf(offset);
    while (at < to) {
      int count = Math.min(to - at, ZEROS.capacity());
      open.add(ZEROS, 0, count, null);
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
      bytesInBatch += open.length;
      waiting.add(open);
      if (bytesInBatch >= batchBytes && countWaiting() >= width) {
        handOut();
      }
    }
    open = new PendingChunk(offset);
  }

  @Override
  public void end() {
    bytesTo(part.of.offset() + part.of.to() - part.of.from());
    if (countWaiting() >= width) {
      handOut();
    }
    decideOnHolding();
    part.endCutting();
    part = null;
    while (holding.isFull(held.get()) && !running.isEmpty()) {
      awaitEnd(running.remove());
    }
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
      if (open.pieces() > 0) {
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
    while (!holding.mayStay(held.get())) {
      if (running.isEmpty() || !holding.mayWait()) {
        return false;
      }
      awaitEnd(running.remove());
    }
    return true;
  }

  @Override
  public void finish() throws IOException {
    together.setEnding(true);
    handOut();
    passOnDigested();
    for (CompletableFuture<Void> task : running) {
      Waiting.forEnd(task, executor);
    }
    for (PendingChunk chunk = cut.poll(); chunk != null; chunk = cut.poll()) {
      Waiting.forResult(chunk.outcome, executor);
      chunks.accept(chunk.chunk());
    }
  }

  @Override
  public void close() {
    running.forEach(task -> Waiting.uninterruptiblyForEnd(task, executor));
  }

  /**
   * If it fails, so do its chunks.
   *
   * @throws IllegalStateException if it never ends because the executor has been shut down
   */
  private void awaitEnd(CompletableFuture<Void> task) {
    if (!Waiting.uninterruptiblyForEnd(task, executor)) {
      throw Waiting.shutDown(null);
    }
  }

  /** Releases the parts that wait for further ones, because none will come. */
  public void abandon() {
    together.setEnding(true);
    together.takeAll().forEach(PendingChunk::releaseAll);
    waiting.forEach(PendingChunk::releaseAll);
    waiting.clear();
    open.releaseAll();
  }

  private int indexOf(long offset) {
    return part.of.from() + (int) (offset - part.of.offset());
  }

  private void passOnDigested() {
    while (!cut.isEmpty() && cut.peek().outcome != null) {
      Waiting.requireSuccess(cut.peek().outcome, executor);
      chunks.accept(cut.remove().chunk());
    }
  }

  private int countWaiting() {
    return together.count() + waiting.size();
  }

  /** Has the chunks digested that wait for each other. */
  private void handOut() {
    bytesInBatch = 0;
    if (together.addTask(waiting)) {
      running.add(
          Waiting.submit(
              () -> {
                digestWaiting();
                return null;
              },
              executor));
    }
  }

  /** Runs on the executor. */
  private void digestWaiting() {
    List<PendingChunk> mine = together.takeShare();
    try {
      while (!mine.isEmpty()) {
        List<UnfinishedDigest> digests = Collections.unmodifiableList(mine);
        if (together.isEnding()) {
          digester.digest(digests);
        } else {
          digester.digestSome(digests, width);
        }
        mine = together.putBack(goOn(mine));
      }
    } catch (RuntimeException | Error e) {
      for (PendingChunk chunk : mine) {
        chunk.fail(e);
        chunk.releaseAll();
      }
      throw e;
    }
  }

  /**
   * More has been digested of some chunks.
   *
   * @return those of which not all has
   */
  private static List<PendingChunk> goOn(List<PendingChunk> some) {
    List<PendingChunk> left = new ArrayList<>();
    Releases releases = new Releases();
    for (PendingChunk chunk : some) {
      if (!chunk.goOn(releases)) {
        left.add(chunk);
      }
    }
    releases.end();
    return left;
  }

  /** Hands out the pieces of the chunk that goes on. */
  private void handOutAlone(boolean last) {
    PendingChunk chunk = open;
    List<ChunkDigester.Piece> pieces = chunk.take();
    List<HeldPart> parts = chunk.takeParts();
    chunk.alone =
        (chunk.isAlone() ? chunk.alone : CompletableFuture.<Void>completedFuture(null))
            .thenRunAsync(() -> chunk.digestAlone(digester, pieces, last), executor)
            .whenComplete(
                (digested, failure) -> {
                  parts.forEach(part -> part.release(1));
                  if (failure != null) {
                    chunk.fail(failure);
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

    /**
     * Moves further chunks here, and counts one more task, if anything waits for one.
     *
     * @return whether it does
     */
    synchronized boolean addTask(List<PendingChunk> further) {
      chunks.addAll(further);
      further.clear();
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
      if (share >= chunks.size()) {
        List<PendingChunk> all = chunks;
        chunks = new ArrayList<>(all.size());
        return all;
      }
      List<PendingChunk> first = chunks.subList(0, share);
      List<PendingChunk> taken = List.copyOf(first);
      first.clear();
      return taken;
    }
  }

  /** A part that is released when nobody looks at it any more. */
  private static final class HeldPart {
    /** Stands for the thread that cuts it, however many pieces that will add. */
    private static final int CUTTING = 1 << 30;

    private final SourcePart of;

    /** Pieces of it not yet digested, but while it is being cut, CUTTING in place of all pieces. */
    private final AtomicInteger users = new AtomicInteger(CUTTING);

    /** Pieces of it; for the thread that cuts it. */
    private int pieces;

    private final AtomicInteger held;

    /**
     * @param held counts this until it is released
     */
    HeldPart(SourcePart of, AtomicInteger held) {
      this.of = of;
      this.held = held;
      held.incrementAndGet();
    }

    /** Whether there is anybody but the thread that cuts it, which calls this. */
    boolean isInUse() {
      return users.get() + pieces > CUTTING;
    }

    boolean isReleased() {
      return users.get() == 0;
    }

    void endCutting() {
      release(CUTTING - pieces);
    }

    void release(int count) {
      if (users.addAndGet(-count) == 0) {
        // In this order: there are never more than are counted.
        of.release();
        held.decrementAndGet();
      }
    }
  }

  /**
   * Of pieces that lie in the same part, one behind the other, as most do, all are released at
   * once.
   */
  private static final class Releases {
    private HeldPart part;
    private int count;

    /**
     * @param next null if the piece lies nowhere
     */
    void add(HeldPart next) {
      if (next != part) {
        end();
        part = next;
      }
      count++;
    }

    void end() {
      if (part != null) {
        part.release(count);
      }
      part = null;
      count = 0;
    }
  }

  /** A chunk not yet passed on. */
  private static final class PendingChunk extends UnfinishedDigest {
    private static final CompletableFuture<Void> DIGESTED = CompletableFuture.completedFuture(null);

    private final long offset;
    private long length;

    /**
     * Where its pieces lie, or lay if they are among the first {@code released}; null if nowhere.
     */
    private HeldPart firstPart;

    private List<HeldPart> laterParts = List.of();
    private int parts;
    private int released;

    /** Of a chunk that is not digested together with others: ends with what was handed out last. */
    private CompletableFuture<Void> alone;

    private RunningDigest running;

    /** Null until it has its digest, or has failed. */
    private volatile CompletableFuture<Void> outcome;

    PendingChunk(long offset) {
      this.offset = offset;
    }

    /**
     * @param part null if it lies nowhere
     */
    void add(ByteBuffer bytes, int from, int to, HeldPart part) {
      add(bytes, from, to);
      if (parts++ == 0) {
        firstPart = part;
      } else {
        laterParts = laterParts.isEmpty() ? new ArrayList<>() : laterParts;
        laterParts.add(part);
      }
      if (part != null) {
        part.pieces++;
      }
    }

    boolean isAlone() {
      return alone != null;
    }

    private HeldPart part(int piece) {
      return piece == 0 ? firstPart : laterParts.get(piece - 1);
    }

    /** Where those pieces lie that have not been released, which will be by the caller. */
    List<HeldPart> takeParts() {
      List<HeldPart> taken = new ArrayList<>();
      for (; released < parts; released++) {
        if (part(released) != null) {
          taken.add(part(released));
        }
      }
      return taken;
    }

    /** Releases pieces, up to so many from the first on. */
    private void release(int count, Releases releases) {
      for (; released < count; released++) {
        releases.add(part(released));
      }
    }

    void releaseAll() {
      Releases releases = new Releases();
      release(parts, releases);
      releases.end();
    }

    /**
     * More of it has been digested.
     *
     * @return whether all has
     */
    boolean goOn(Releases releases) {
      release(parts - pieces(), releases);
      if (hasEnded()) {
        outcome = DIGESTED;
      }
      return hasEnded();
    }

    /** Runs on the executor; the futures order the pieces of a chunk. */
    void digestAlone(ChunkDigester by, List<ChunkDigester.Piece> next, boolean last) {
      if (running == null) {
        running = by.start();
      }
      next.forEach(running::update);
      if (last) {
        end(running.end());
        outcome = DIGESTED;
      }
    }

    void fail(Throwable failure) {
      if (outcome == null) {
        outcome = CompletableFuture.failedFuture(failure);
      }
    }

    Chunk chunk() {
      return Chunk.owning(digest(), offset, length);
    }
  }
}
