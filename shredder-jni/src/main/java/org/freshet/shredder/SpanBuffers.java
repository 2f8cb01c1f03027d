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

import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Buffers of one size for spans and segments, shared by all sources that are being cut and kept for
 * those that come after them until the garbage collector runs. To allocate them anew for each
 * source, or to have the collector move them about, takes longer than to cut what is read into
 * them. Safe for several threads.
 */
final class SpanBuffers {
  private record Kind(int bytes, boolean direct) {}

  private static final Map<Kind, WeakReference<SpanBuffers>> KNOWN = new HashMap<>();

  private static final int SHARE_OF_HEAP = 32;

  private static final Outside OUTSIDE =
      new Outside(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);

  private final Kind kind;

  /** Those used last, which may still be in a cache, come first. */
  private final ConcurrentLinkedDeque<ByteBuffer> free = new ConcurrentLinkedDeque<>();

  private SpanBuffers(Kind kind) {
    this.kind = kind;
  }

  /**
   * @param bytes the size of each
   * @param direct whether they are to lie outside the heap, as long as there is room
   */
  static SpanBuffers of(int bytes, boolean direct) {
    Kind kind = new Kind(bytes, direct);
    synchronized (KNOWN) {
      WeakReference<SpanBuffers> known = KNOWN.get(kind);
      SpanBuffers buffers = known == null ? null : known.get();
      if (buffers == null) {
        KNOWN.values().removeIf(reference -> reference.refersTo(null));
        buffers = new SpanBuffers(kind);
        KNOWN.put(kind, new WeakReference<>(buffers));
      }
      return buffers;
    }
  }

  /** A buffer with anything in it; on the heap if there is no room outside. */
  Lease take() {
    ByteBuffer bytes = free.poll();
    return new Lease(bytes == null ? allocate() : bytes);
  }

  private ByteBuffer allocate() {
    if (kind.direct && OUTSIDE.reserve(kind.bytes)) {
      try {
        return OUTSIDE.allocate(kind.bytes);
      } catch (OutOfMemoryError e) {
        OUTSIDE.giveUp(e);
      }
    }
    return ByteBuffer.allocate(kind.bytes);
  }

  /**
   * What all buffers outside the heap may take of a process that may be limited, as a container is,
   * to little more than its heap.
   */
  static final class Outside {
    private static final System.Logger LOG = System.getLogger(SpanBuffers.class.getName());

    /** So little that it is never enough again, whatever is given back. */
    private static final long NEVER = Long.MIN_VALUE / 2;

    private final Cleaner cleaner = Cleaner.create();
    private final AtomicLong room;

    Outside(long bytes) {
      this.room = new AtomicLong(bytes);
    }

    boolean reserve(int bytes) {
      return room.getAndUpdate(left -> left >= bytes ? left - bytes : left) >= bytes;
    }

    /** What was reserved is free again once the buffer is. */
    ByteBuffer allocate(int bytes) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
      cleaner.register(buffer, () -> room.addAndGet(bytes));
      return buffer;
    }

    /** For good, because the JVM takes half a second to say that there is no more. */
    void giveUp(OutOfMemoryError e) {
      if (room.getAndSet(NEVER) > NEVER / 2) {
        LOG.log(Level.INFO, "Chunking with buffers on the heap: {0}", e.getMessage());
      }
    }
  }

  /** A buffer in use. One that is never given back is the garbage collector's. */
  final class Lease {
    private final ByteBuffer bytes;
    private final AtomicBoolean givenBack = new AtomicBoolean();

    private Lease(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    ByteBuffer bytes() {
      return bytes;
    }

    /**
     * Nobody looks at it any more.
     *
     * @throws IllegalStateException if it has been given back, and may be somebody else's
     */
    void giveBack() {
      if (!givenBack.compareAndSet(false, true)) {
        throw new IllegalStateException("A buffer is given back twice");
      }
      free.push(bytes);
    }
  }
}
