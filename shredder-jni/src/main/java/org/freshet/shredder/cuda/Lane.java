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
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaDevice;
import org.freshet.shredder.cuda.driver.CudaStream;
import org.freshet.shredder.cuda.driver.DeviceMemory;
import org.freshet.shredder.cuda.driver.PinnedMemory;

/**
 * One of a device's buffers, and the stream on which it is filled, searched and read back. Memory
 * is taken at the first search, and given back after a failed one, so that the next begins afresh.
 * For one thread at a time.
 */
final class Lane implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Lane.class.getName());

  /** Kernels fetch whole vectors of 16 bytes. */
  private static final int VECTOR = 16;

  private static final int COUNT_BYTES = Integer.BYTES;

  private final CudaDevice device;
  private final int dataBytes;

  /** Memory to be freed, the latest first. */
  private final Deque<AutoCloseable> memory = new ArrayDeque<>();

  /** All null while nothing is open. */
  private CudaStream stream;

  private DeviceMemory data;
  private DeviceMemory tables;
  private DeviceMemory found;
  private ByteBuffer foundOnHost;

  /** Whose tables are on the device. */
  private SearchKernel loaded;

  /**
   * A lane for pieces of up to {@code pieceBytes} and the window before them.
   *
   * @param halo at least the window of any rule
   */
  Lane(CudaDevice device, int pieceBytes, int halo) {
    this.device = device;
    this.dataBytes = (halo + pieceBytes + VECTOR - 1) / VECTOR * VECTOR;
  }

  /**
   * Searches a piece. When this returns, or throws, the device reads {@code bytes} no more.
   *
   * @param bytes a direct buffer, best a page-locked one
   * @param from at least {@code kernel.window() - 1}
   * @param to above {@code from}
   * @return all candidates in {@code (from, to]}, ascending, as indices into {@code bytes}; null if
   *     there are more than a lane has room for
   */
  int[] search(SearchKernel kernel, ByteBuffer bytes, int from, int to) throws CudaCallException {
    try {
      prepare(kernel);
      int lead = kernel.window() - 1;
      int room = kernel.room(to - from);
      transfer(kernel, bytes, from - lead, to);
      stream.clearFirstWord(found);
      kernel.launch(
          stream, device.multiprocessors(), data, lead, lead + to - from, found, room, tables);
      stream.copyToHost(found, foundOnHost, COUNT_BYTES + (long) Integer.BYTES * room);
      stream.await();
      return store(from - lead, room);
    } catch (CudaCallException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private void transfer(SearchKernel kernel, ByteBuffer bytes, int from, int to)
      throws CudaCallException {
    if (loaded != kernel) {
      stream.copyToDevice(kernel.tables(), 0, tables, kernel.tables().capacity());
      loaded = kernel;
    }
    stream.copyToDevice(bytes, from, data, to - from);
  }

  private int[] store(int origin, int room) {
    int count = foundOnHost.getInt(0);
    if (Integer.compareUnsigned(count, room) > 0) {
      return null;
    }
    int[] candidates = new int[count];
    for (int i = 0; i < count; i++) {
      candidates[i] = origin + foundOnHost.getInt(COUNT_BYTES + i * Integer.BYTES);
    }
    Arrays.sort(candidates);
    return candidates;
  }

  private void prepare(SearchKernel kernel) throws CudaCallException {
    if (stream == null) {
      data = taken(device.allocate(dataBytes));
      tables = taken(device.allocate(SearchKernel.TABLE_BYTES));
      stream = device.stream();
    }
    int foundBytes = COUNT_BYTES + Integer.BYTES * kernel.room(dataBytes);
    if (found == null || found.bytes() < foundBytes) {
      freeFound();
      PinnedMemory pinned = taken(device.pin(foundBytes));
      foundOnHost = pinned.bytes().order(ByteOrder.LITTLE_ENDIAN);
      found = taken(device.allocate(foundBytes));
    }
  }

  /** Taken last, on host and device. Nothing is under way between two searches. */
  private void freeFound() {
    if (found != null) {
      closeQuietly(memory.pop());
      closeQuietly(memory.pop());
      found = null;
    }
  }

  private <T extends AutoCloseable> T taken(T piece) {
    memory.push(piece);
    return piece;
  }

  /** Waits for what is under way and gives all memory back; a later search takes it again. */
  @Override
  public void close() {
    if (stream != null) {
      closeQuietly(stream);
    }
    while (!memory.isEmpty()) {
      closeQuietly(memory.pop());
    }
    stream = null;
    data = null;
    tables = null;
    found = null;
    foundOnHost = null;
    loaded = null;
  }

  private void closeQuietly(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      // After a lasting error nothing can be freed; the driver does it when the process ends.
      LOG.log(Level.DEBUG, "Cannot be freed on {0}: {1}", device.name(), e.getMessage());
    }
  }
}
