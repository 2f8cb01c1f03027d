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
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;

/**
 * One source cut with the help of an executor: segments are read and searched there, several at
 * once and each from a stream of its own; the calling thread takes them in order and selects the
 * cuts; the executor digests what lies between. A fixed number of buffers goes round, so a source
 * of any length needs the same memory.
 */
final class ParallelChunking {
  private final Chunker chunker;
  private final ByteSource source;
  private final ExecutorService executor;
  private final int buffers;
  private final int segmentBytes;
  private final long length;
  private final long segments;

  private final Deque<CompletableFuture<Segment>> reading = new ArrayDeque<>();
  private final Deque<Digesting> digesting = new ArrayDeque<>();
  private final Deque<byte[]> free = new ArrayDeque<>();

  /** Set when the outcome is known to be a failure; segments not yet read are then left unread. */
  private volatile boolean abandoned;

  ParallelChunking(
      Chunker chunker, ByteSource source, ExecutorService executor, int buffers, int segmentBytes) {
    this.chunker = chunker;
    this.source = source;
    this.executor = executor;
    this.buffers = buffers;
    this.segmentBytes = segmentBytes;
    this.length = source.length();
    this.segments = (length + segmentBytes - 1) / segmentBytes;
  }

  /**
   * A part of the source.
   *
   * @param buffer holds the segment from {@code HALO} on and what precedes it in the source before
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  private record Segment(byte[] buffer, long offset, int to, int[] candidates) {}

  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  private record Digesting(CompletableFuture<Void> done, byte[] buffer) {}

  List<Chunk> chunk(BoundarySelector selector) throws IOException {
    ParallelDigests digests = new ParallelDigests(executor);
    boolean completed = false;
    try {
      long submitted = 0;
      for (long selected = 0; selected < segments; selected++) {
        releaseDigested();
        while (submitted < segments && reading.size() + digesting.size() < buffers) {
          submitRead(submitted++);
        }
        Segment segment = await(reading.remove());
        digests.begin(segment.buffer(), Chunker.HALO, segment.to(), segment.offset());
        selector.accept(
            segment.buffer(),
            Chunker.HALO,
            segment.to(),
            segment.offset(),
            segment.candidates(),
            digests::cut);
        if (selected == segments - 1) {
          selector.finish(length, digests::cut);
        }
        digesting.add(new Digesting(digests.end(), segment.buffer()));
      }
      while (!digesting.isEmpty()) {
        releaseOldest();
      }
      completed = true;
      return digests.chunks();
    } finally {
      if (!completed) {
        abandoned = true;
        waitForReaders();
      }
    }
  }

  /**
   * Takes back the buffers no longer needed, and waits for one only if there is nothing else to do.
   */
  private void releaseDigested() throws IOException {
    while (!digesting.isEmpty()
        && (digesting.peek().done().isDone() || digesting.size() == buffers)) {
      releaseOldest();
    }
  }

  private void releaseOldest() throws IOException {
    Digesting oldest = digesting.remove();
    await(oldest.done());
    free.add(oldest.buffer());
  }

  private void submitRead(long index) {
    byte[] buffer = free.isEmpty() ? new byte[Chunker.HALO + segmentBytes] : free.remove();
    reading.add(CompletableFuture.supplyAsync(() -> read(index * segmentBytes, buffer), executor));
  }

  /** Runs on the executor. */
  private Segment read(long offset, byte[] buffer) {
    if (abandoned) {
      throw new CancellationException("Another segment failed");
    }
    int before = (int) Math.min(Chunker.HALO, offset);
    int to = Chunker.HALO + (int) Math.min(segmentBytes, length - offset);
    try (InputStream in = Chunker.open(source, offset - before)) {
      Chunker.readFully(in, buffer, Chunker.HALO - before, to, offset - before, length);
      if (offset + (to - Chunker.HALO) == length) {
        Chunker.requireEnd(in, length);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Segment(buffer, offset, to, chunker.candidates(buffer, offset, to));
  }

  private static <T> T await(CompletableFuture<T> future) throws IOException {
    try {
      if (Thread.interrupted()) {
        throw new InterruptedException("Interrupted between two segments");
      }
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("Interrupted in chunking");
      interrupted.initCause(e);
      throw interrupted;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UncheckedIOException io) {
        throw io.getCause();
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("Chunking failed on the executor", e.getCause());
    }
  }

  /** The caller may close or delete the source next, so no reader may outlive the call. */
  private void waitForReaders() {
    for (CompletableFuture<Segment> reader : reading) {
      reader.handle((segment, failure) -> segment).join();
    }
  }
}
