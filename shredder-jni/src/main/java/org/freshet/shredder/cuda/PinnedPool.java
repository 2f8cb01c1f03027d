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

import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaDevice;
import org.freshet.shredder.cuda.driver.PinnedMemory;

/**
 * Page-locked buffers of one size, kept when they are given back: locking pages takes the system
 * far longer than filling them (figure 3.6 of P. Bhatotia's thesis on the published system). Where
 * no more can be locked, a buffer is an ordinary direct one; copies from it are slower, no more.
 * Where there is no memory for these either, it is on the heap, and no device can read it. Safe for
 * use by several threads.
 */
final class PinnedPool implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(PinnedPool.class.getName());

  private final CudaDevice device;
  private final int bytes;
  private final int kept;
  private final Deque<HostBuffer> idle = new ArrayDeque<>();
  private boolean closed;

  /** For good, because the JVM takes half a second to say that there is no more memory. */
  private volatile boolean onHeap;

  /**
   * A pool, empty at first.
   *
   * @param bytes size of each buffer
   * @param kept how many idle ones to keep at most
   */
  PinnedPool(CudaDevice device, int bytes, int kept) {
    this.device = device;
    this.bytes = bytes;
    this.kept = kept;
  }

  /**
   * A buffer and what it must be freed by.
   *
   * @param bytes direct, unless there is no memory outside the heap
   * @param memory null for an ordinary one
   */
  record HostBuffer(ByteBuffer bytes, PinnedMemory memory) {}

  /** A buffer; what it holds is undefined. */
  HostBuffer take() {
    synchronized (this) {
      if (!idle.isEmpty()) {
        return idle.pop();
      }
    }
    try {
      PinnedMemory memory = device.pin(bytes);
      return new HostBuffer(memory.bytes(), memory);
    } catch (CudaCallException e) {
      LOG.log(Level.DEBUG, "An ordinary buffer in place of a page-locked one: {0}", e.getMessage());
      return new HostBuffer(ordinary(), null);
    }
  }

  private ByteBuffer ordinary() {
    if (!onHeap) {
      try {
        return ByteBuffer.allocateDirect(bytes);
      } catch (OutOfMemoryError e) {
        goOnHeap(e);
      }
    }
    return ByteBuffer.allocate(bytes);
  }

  /** Several threads may find at once that there is no memory; one says so. */
  private synchronized void goOnHeap(OutOfMemoryError cause) {
    if (!onHeap) {
      onHeap = true;
      LOG.log(
          Level.WARNING,
          "Buffers for which there is no memory outside the heap are chunked on the processor: {0}",
          cause.getMessage());
    }
  }

  /** Takes a buffer back. Nobody may use it any more. */
  void give(HostBuffer buffer) {
    synchronized (this) {
      if (!closed && idle.size() < kept) {
        idle.push(buffer);
        return;
      }
    }
    free(buffer);
  }

  /** Frees the idle buffers, and those that come back later when they do. */
  @Override
  public synchronized void close() {
    closed = true;
    while (!idle.isEmpty()) {
      free(idle.pop());
    }
  }

  private static void free(HostBuffer buffer) {
    if (buffer.memory() == null) {
      return;
    }
    try {
      buffer.memory().close();
    } catch (CudaCallException e) {
      LOG.log(Level.DEBUG, "A page-locked buffer cannot be freed: {0}", e.getMessage());
    }
  }
}
