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

import java.nio.ByteBuffer;
import java.util.List;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaDevice;
import org.freshet.shredder.cuda.driver.CudaStream;
import org.freshet.shredder.cuda.driver.DeviceMemory;
import org.freshet.shredder.cuda.driver.PinnedMemory;

/** Measures the bus, and what buffers cost on the host's side. */
final class BusProbe {
  private static final int MOST_ALLOCATIONS = 5;

  private final CudaDevice device;
  private final long bytesEach;

  /**
   * @param bytesEach how much to copy for each figure
   */
  BusProbe(CudaDevice device, long bytesEach) {
    this.device = device;
    this.bytesEach = bytesEach;
  }

  /** Figure 3.3: how fast buffers of each size go over the bus, one after the other. */
  void bandwidth(List<Integer> sizes, ProbeReport.Table table) throws CudaCallException {
    for (int size : sizes) {
      try (DeviceMemory memory = device.allocate(size);
          PinnedMemory pinned = device.pin(size);
          CudaStream stream = device.stream()) {
        ByteBuffer pageable = ByteBuffer.allocateDirect(size);
        table.row(
            size,
            rate(stream, size, () -> stream.copyToDevice(pageable, 0, memory, size)),
            rate(stream, size, () -> stream.copyToDevice(pinned.bytes(), 0, memory, size)),
            rate(stream, size, () -> stream.copyToHost(memory, pageable, size)),
            rate(stream, size, () -> stream.copyToHost(memory, pinned.bytes(), size)));
      }
    }
  }

  private interface Copy {
    void start() throws CudaCallException;
  }

  /** In GB/s, waiting after each copy. */
  private double rate(CudaStream stream, int size, Copy copy) throws CudaCallException {
    copy.start();
    stream.await();
    long copies = Math.max(1, bytesEach / size);
    long start = System.nanoTime();
    for (long i = 0; i < copies; i++) {
      copy.start();
      stream.await();
    }
    return (double) size * copies / (System.nanoTime() - start);
  }

  /**
   * Figure 3.6: what it takes to allocate a buffer, and what a ring of page-locked ones saves: with
   * it a buffer costs a copy into the ring. Pageable memory is written to once, as it is only then
   * there.
   */
  void allocation(List<Integer> sizes, ProbeReport.Table table) throws CudaCallException {
    for (int size : sizes) {
      int times = (int) Math.max(1, Math.min(MOST_ALLOCATIONS, bytesEach / size));
      double pageableMillis = 0;
      double pinnedMillis = 0;
      double copyMillis = 0;
      for (int i = 0; i < times; i++) {
        long start = System.nanoTime();
        ByteBuffer pageable = ByteBuffer.allocateDirect(size);
        long allocated = System.nanoTime();
        try (PinnedMemory pinned = device.pin(size)) {
          long locked = System.nanoTime();
          pinned.bytes().put(0, pageable, 0, size);
          pageableMillis += millis(start, allocated) / times;
          pinnedMillis += millis(allocated, locked) / times;
          copyMillis += millis(locked, System.nanoTime()) / times;
        }
      }
      table.row(size, pageableMillis, pinnedMillis, copyMillis);
    }
  }

  private static double millis(long start, long end) {
    return (end - start) / 1e6;
  }
}
