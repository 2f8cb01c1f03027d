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

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Digests chunks on an executor while later segments are still being read. Called by one thread.
 *
 * <p>Chunks that lie within a segment are independent of each other and go to the executor in
 * batches. A chunk that runs across segments is digested in parts, each after the one before it.
 */
final class ParallelDigests {
  /**
   * A task of this many bytes takes about half a millisecond: well above the cost of a hand-over.
   */
  private static final int BATCH_BYTES = 512 << 10;

  private final Executor executor;
  private final List<PendingChunk> chunks = new ArrayList<>();
  private PendingChunk open = new PendingChunk(0);

  private byte[] bytes;
  private long origin;
  private int handedOut;
  private int to;
  private List<Runnable> batch = new ArrayList<>();
  private long batchBytes;
  private List<CompletableFuture<Void>> tasks;

  ParallelDigests(Executor executor) {
    this.executor = executor;
  }

  /** The source goes on with {@code bytes[from]} to {@code bytes[to - 1]}, at {@code offset}. */
  void begin(byte[] bytes, int from, int to, long offset) {
    this.bytes = bytes;
    this.origin = offset - from;
    this.handedOut = from;
    this.to = to;
    this.tasks = new ArrayList<>();
  }

  /** A chunk ends at {@code offset}, which lies in the segment begun. */
  void cut(long offset) {
    handOutUpTo((int) (offset - origin), true);
    open.length = offset - open.offset;
    chunks.add(open);
    open = new PendingChunk(offset);
  }

  /** There is no further cut in the segment begun. The future ends when its bytes are digested. */
  CompletableFuture<Void> end() {
    if (handedOut < to) {
      handOutUpTo(to, false);
    }
    flushBatch();
    return CompletableFuture.allOf(tasks.toArray(new CompletableFuture<?>[0]));
  }

  /** All chunks cut; to be called when every segment's future has ended. */
  List<Chunk> chunks() {
    return chunks.stream().map(PendingChunk::chunk).toList();
  }

  private void handOutUpTo(int position, boolean last) {
    PendingChunk chunk = open;
    byte[] content = bytes;
    int from = handedOut;
    int length = position - from;
    Runnable task = () -> chunk.digest(content, from, length, last);
    handedOut = position;
    if (last && chunk.parts == null) {
      batch.add(task);
      batchBytes += length;
      if (batchBytes >= BATCH_BYTES) {
        flushBatch();
      }
    } else {
      chunk.parts =
          chunk.parts == null
              ? CompletableFuture.runAsync(task, executor)
              : chunk.parts.thenRunAsync(task, executor);
      tasks.add(chunk.parts);
    }
  }

  private void flushBatch() {
    if (!batch.isEmpty()) {
      List<Runnable> all = batch;
      tasks.add(CompletableFuture.runAsync(() -> all.forEach(Runnable::run), executor));
      batch = new ArrayList<>();
      batchBytes = 0;
    }
  }

  /** A chunk some of whose bytes may still be waiting for the executor. */
  private static final class PendingChunk {
    private final long offset;
    private long length;

    /** Ends with the last part handed out; null while there is none. */
    private CompletableFuture<Void> parts;

    private MessageDigest running;
    private byte[] sha256;

    PendingChunk(long offset) {
      this.offset = offset;
    }

    /** Runs on the executor; the futures order the parts of a chunk. */
    void digest(byte[] content, int from, int count, boolean last) {
      if (running == null) {
        running = Sha256.start();
      }
      running.update(content, from, count);
      if (last) {
        sha256 = running.digest();
        running = null;
      }
    }

    Chunk chunk() {
      return new Chunk(offset, length, sha256);
    }
  }
}
