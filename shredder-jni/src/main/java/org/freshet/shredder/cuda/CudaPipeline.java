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
package org.freshet.shredder.cuda;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.SegmentSearch;
import org.freshet.shredder.SourceReader;

/**
 * A source on its way through the devices.
 *
 * <p>See P. Bhatotia, R. Rodrigues, A. Verma: "Shredder: GPU-accelerated incremental storage and
 * computation", FAST 2012, section 4.
 */
final class CudaPipeline implements SegmentSearch {
  /*
   *   Reader     the segment, and the HALO bytes in front of it, into a buffer of the ring
   *   Transfer   the buffer to a device, into one of its twin buffers
   *   Kernel     candidates to a list on the device
   *   Store      the list back to the host, sorted
   *
   * As many buffers are in the pipeline as it is deep, and each has a thread that takes it through the
   * four stages. Reading and storing are work of the thread; transfer and kernel are the device's, and
   * the thread sleeps meanwhile. So stages of different buffers overlap, though those of one follow
   * each other. There are two places on a device (SearchDevice): with four threads two are there, one
   * on the bus and one with the kernel, and two read and store.
   *
   * Segments are admitted in order, each with the right to a buffer, and delivered in order, whatever
   * order they finish in. So the oldest not delivered always has its buffer, and no wait is in vain.
   * A segment needs nothing of those before it: it reads its own halo.
   */

  /** Buffers beyond those in the pipeline: what the consumer works on, and what waits for it. */
  private static final int WITH_CONSUMER = 2;

  private static final AtomicInteger SEARCHES = new AtomicInteger();

  private final ByteSource source;
  private final long length;
  private final int segmentBytes;
  private final long segments;
  private final int ringSize;
  private final BufferSearch search;
  private final SearchKernel kernel;
  private final CandidateFinder onProcessor;
  private final PinnedPool pool;
  private final List<Thread> threads = new ArrayList<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Admitted and not yet delivered, in order. */
  private final Deque<CompletableFuture<Segment>> admitted = new ArrayDeque<>();

  private final Set<PinnedPool.HostBuffer> inUse =
      Collections.newSetFromMap(new IdentityHashMap<>());
  private int rightsToBuffers;
  private long nextToAdmit;
  private long nextToDeliver;
  private boolean ended;

  /** Begins the search. */
  CudaPipeline(
      ByteSource source,
      BufferSearch search,
      SearchKernel kernel,
      CandidateFinder onProcessor,
      PinnedPool pool,
      CudaSettings settings)
      throws IOException {
    this.source = source;
    this.length = source.length();
    this.segmentBytes = settings.bufferBytes();
    this.segments = (length + segmentBytes - 1) / segmentBytes;
    this.search = search;
    this.kernel = kernel;
    this.onProcessor = onProcessor;
    this.pool = pool;
    int inPipeline = inPipeline(settings, search.devices().size());
    this.ringSize = inPipeline + WITH_CONSUMER;
    if (length == 0) {
      requireEmpty();
    }
    start((int) Math.min(inPipeline, segments));
  }

  /** How many buffers a search has at most. */
  static int ringSize(CudaSettings settings, int devices) {
    return inPipeline(settings, devices) + WITH_CONSUMER;
  }

  private static int inPipeline(CudaSettings settings, int devices) {
    return settings.depth() * devices;
  }

  private void requireEmpty() throws IOException {
    try (SourceReader reader = new SourceReader(source, 0)) {
      reader.fill(ByteBuffer.allocate(0), 0, 0);
    }
  }

  private void start(int count) {
    int number = SEARCHES.incrementAndGet();
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(this::work, "shredder-cuda-" + number + "-" + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
  }

  private record Admission(long index, CompletableFuture<Segment> result) {}

  private void work() {
    for (Admission next = admit(); next != null; next = admit()) {
      try {
        next.result().complete(search(next.index()));
      } catch (Throwable e) {
        // Reported by next(), to the consumer; nothing after this segment can be delivered.
        end();
        next.result().completeExceptionally(e);
      }
    }
  }

  /** Waits for the right to a buffer; null if there is nothing more to do. */
  private Admission admit() {
    lock.lock();
    try {
      while (!ended && nextToAdmit < segments && rightsToBuffers == ringSize) {
        changed.awaitUninterruptibly();
      }
      if (ended || nextToAdmit == segments) {
        return null;
      }
      rightsToBuffers++;
      Admission admission = new Admission(nextToAdmit++, new CompletableFuture<>());
      admitted.add(admission.result());
      changed.signalAll();
      return admission;
    } finally {
      lock.unlock();
    }
  }

  private Segment search(long index) throws IOException {
    PinnedPool.HostBuffer buffer = takeBuffer();
    ByteBuffer bytes = buffer.bytes();
    long offset = index * segmentBytes;
    int before = (int) Math.min(Chunker.HALO, offset);
    int to = Chunker.HALO + (int) Math.min(segmentBytes, length - offset);
    try (SourceReader reader = new SourceReader(source, offset - before)) {
      reader.fill(bytes, Chunker.HALO - before, to);
    }
    // The source's first window ends one window in.
    long missing = Math.max(0, kernel.window() - 1 - offset);
    int from = (int) Math.min(to, Chunker.HALO + missing);
    int[] candidates = search.search(index, kernel, onProcessor, bytes, from, to);
    return new RingSegment(this, buffer, to, offset, candidates);
  }

  private PinnedPool.HostBuffer takeBuffer() {
    PinnedPool.HostBuffer buffer = pool.take();
    lock.lock();
    try {
      inUse.add(buffer);
    } finally {
      lock.unlock();
    }
    return buffer;
  }

  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  private record RingSegment(
      CudaPipeline pipeline, PinnedPool.HostBuffer buffer, int to, long offset, int[] candidates)
      implements Segment {
    @Override
    public ByteBuffer bytes() {
      return buffer.bytes();
    }

    @Override
    public int from() {
      return Chunker.HALO;
    }

    @Override
    public void release() {
      pipeline.release(buffer);
    }
  }

  private void release(PinnedPool.HostBuffer buffer) {
    lock.lock();
    try {
      // After close() it is the pool's already.
      if (inUse.remove(buffer)) {
        pool.give(buffer);
        rightsToBuffers--;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** With one buffer left the search goes on, though with one stage after the other. */
  @Override
  public int mostHeld() {
    return ringSize - 1;
  }

  @Override
  public Segment next() throws IOException {
    try {
      CompletableFuture<Segment> oldest = oldest();
      return oldest == null ? null : oldest.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("Interrupted in chunking");
      interrupted.initCause(e);
      throw interrupted;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("The search of a segment failed", e.getCause());
    }
  }

  private CompletableFuture<Segment> oldest() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (nextToDeliver == segments) {
        return null;
      }
      while (admitted.isEmpty()) {
        if (ended) {
          throw new IllegalStateException("The search has ended, by close() or by a failure");
        }
        changed.await();
      }
      nextToDeliver++;
      return admitted.remove();
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    end();
    boolean interrupted = false;
    for (Thread thread : threads) {
      interrupted |= joinUninterruptibly(thread);
    }
    lock.lock();
    try {
      inUse.forEach(pool::give);
      inUse.clear();
    } finally {
      lock.unlock();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        return interrupted;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }
}
