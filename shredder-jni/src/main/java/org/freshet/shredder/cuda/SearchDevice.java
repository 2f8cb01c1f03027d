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
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaDevice;

/**
 * A device with twin lanes: while one is being filled, the other is searched. Retires after an
 * error that would last, or after several in a row. Safe for use by several threads.
 */
final class SearchDevice implements AutoCloseable {
  /** As published (section 4.1): one buffer for the bus and one for the kernel. */
  private static final int TWINS = 2;

  /** So many failures in a row are not a matter of a moment. */
  static final int RETIRES_AFTER = 3;

  private static final System.Logger LOG = System.getLogger(SearchDevice.class.getName());

  private final CudaDevice device;
  private final List<Lane> lanes;
  private final Deque<Lane> free;
  private final Semaphore permits = new Semaphore(TWINS, true);
  private final AtomicInteger failuresInARow = new AtomicInteger();
  private final LongAdder searched = new LongAdder();
  private volatile boolean retired;

  SearchDevice(CudaDevice device, int pieceBytes, int halo) {
    this.device = device;
    this.lanes = Stream.generate(() -> new Lane(device, pieceBytes, halo)).limit(TWINS).toList();
    this.free = new ConcurrentLinkedDeque<>(lanes);
  }

  CudaDevice device() {
    return device;
  }

  boolean isRetired() {
    return retired;
  }

  /** How many pieces were searched here with success. */
  long searched() {
    return searched.sum();
  }

  /** As {@link Lane#search}; waits for a lane. */
  int[] search(SearchKernel kernel, ByteBuffer bytes, int from, int to) throws CudaCallException {
    permits.acquireUninterruptibly();
    // As many lanes as permits, and put back before the permit is: there is one.
    Lane lane = free.pop();
    try {
      int[] candidates = lane.search(kernel, bytes, from, to);
      failuresInARow.set(0);
      searched.increment();
      return candidates;
    } catch (CudaCallException e) {
      noteFailure(e);
      throw e;
    } finally {
      free.push(lane);
      permits.release();
    }
  }

  private synchronized void noteFailure(CudaCallException failure) {
    int failures = failuresInARow.incrementAndGet();
    if (retired) {
      return;
    }
    retired = failure.isLasting() || failures >= RETIRES_AFTER;
    LOG.log(
        Level.WARNING,
        "{0} failed, {1} on the processor: {2}",
        device.name(),
        retired ? "chunking goes on" : "a buffer is chunked",
        failure.getMessage());
  }

  /** Gives everything back. No search may be under way. */
  @Override
  public void close() {
    lanes.forEach(Lane::close);
    try {
      device.close();
    } catch (CudaCallException e) {
      LOG.log(Level.DEBUG, "Cannot be closed: {0}: {1}", device.name(), e.getMessage());
    }
  }
}
