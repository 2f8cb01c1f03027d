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
import java.util.ArrayList;
import java.util.List;
import org.freshet.shredder.CandidateRule;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaDevice;
import org.freshet.shredder.cuda.driver.CudaStream;
import org.freshet.shredder.cuda.driver.DeviceMemory;
import org.freshet.shredder.cuda.driver.PinnedMemory;

/** Measures kernels, by themselves and while the bus is busy. */
final class KernelProbe {
  private static final int TWINS = 2;

  private final CudaDevice device;
  private final ByteBuffer content;
  private final long bytesEach;

  /**
   * @param content random bytes, at least as many as the largest buffer
   * @param bytesEach how much to search for each figure
   */
  KernelProbe(CudaDevice device, ByteBuffer content, long bytesEach) {
    this.device = device;
    this.content = content;
    this.bytesEach = bytesEach;
  }

  /** A buffer on both sides, and a stream between them. */
  private final class Twin implements AutoCloseable {
    private final int size;
    private final SearchKernel kernel;
    private final int room;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final PinnedMemory host;
    private final PinnedMemory foundOnHost;
    private final DeviceMemory data;
    private final DeviceMemory found;
    private final DeviceMemory tables;
    private final CudaStream stream;

    Twin(int size, SearchKernel kernel) throws CudaCallException {
      this.size = size;
      this.kernel = kernel;
      this.room = kernel.room(size);
      int foundBytes = (1 + room) * Integer.BYTES;
      try {
        host = opened(device.pin(size + Chunker.HALO));
        foundOnHost = opened(device.pin(foundBytes));
        data = opened(device.allocate(size + Chunker.HALO));
        found = opened(device.allocate(foundBytes));
        tables = opened(device.allocate(SearchKernel.TABLE_BYTES));
        stream = opened(device.stream());
        host.bytes().put(Chunker.HALO, content, 0, size);
        stream.copyToDevice(kernel.tables(), 0, tables, kernel.tables().capacity());
        copy();
        search();
        stream.await();
      } catch (CudaCallException e) {
        close();
        throw e;
      }
    }

    private <T extends AutoCloseable> T opened(T resource) {
      open.add(0, resource);
      return resource;
    }

    void copy() throws CudaCallException {
      stream.copyToDevice(host.bytes(), 0, data, size + Chunker.HALO);
    }

    void search() throws CudaCallException {
      stream.clearFirstWord(found);
      kernel.launch(
          stream,
          device.multiprocessors(),
          data,
          Chunker.HALO,
          Chunker.HALO + size,
          found,
          room,
          tables);
    }

    void store() throws CudaCallException {
      stream.copyToHost(found, foundOnHost.bytes(), found.bytes());
    }

    @Override
    public void close() throws CudaCallException {
      for (AutoCloseable resource : open) {
        try {
          resource.close();
        } catch (CudaCallException e) {
          throw e;
        } catch (Exception e) {
          throw new IllegalStateException("Nothing else can be thrown here", e);
        }
      }
    }
  }

  /** Figure 3.11: how fast a kernel searches what is in device memory, in both ways to read. */
  void loads(List<Integer> sizes, CandidateRule rule, ProbeReport.Table table)
      throws CudaCallException {
    for (int size : sizes) {
      double direct = kernelMillis(size, SearchKernel.of(rule, SearchKernel.Loads.DIRECT));
      double tiled = kernelMillis(size, SearchKernel.of(rule, SearchKernel.Loads.TILED));
      table.row(
          size,
          direct,
          tiled,
          direct / tiled,
          GpuProbe.gigabytesPerSecond(size, direct),
          GpuProbe.gigabytesPerSecond(size, tiled));
    }
  }

  /** Of one launch, by the device's clock. */
  private double kernelMillis(int size, SearchKernel kernel) throws CudaCallException {
    long launches = Math.max(1, bytesEach / size);
    try (Twin twin = new Twin(size, kernel);
        CudaStream.Mark start = twin.stream.mark()) {
      for (long i = 0; i < launches; i++) {
        twin.search();
      }
      try (CudaStream.Mark end = twin.stream.mark()) {
        twin.stream.await();
        return end.millisSince(start) / launches;
      }
    }
  }

  /**
   * Figure 3.5: what copying and searching take by turns, and at the same time with twin buffers.
   */
  void overlap(List<Integer> sizes, CandidateRule rule, ProbeReport.Table table)
      throws CudaCallException {
    SearchKernel kernel = SearchKernel.of(rule, SearchKernel.Loads.TILED);
    for (int size : sizes) {
      long buffers = Math.max(TWINS, bytesEach / size);
      try (Twin a = new Twin(size, kernel);
          Twin b = new Twin(size, kernel)) {
        double copies = millis(buffers, a, a, true, false);
        double kernels = millis(buffers, a, a, false, true);
        double serialized = millis(buffers, a, a, true, true);
        double concurrent = millis(buffers, a, b, true, true);
        table.row(size, copies, kernels, serialized, concurrent, concurrent / serialized);
      }
    }
  }

  /** For all buffers, going to two twins by turns; waits for the last work of a twin each time. */
  private static double millis(long buffers, Twin a, Twin b, boolean copies, boolean kernels)
      throws CudaCallException {
    long start = System.nanoTime();
    for (long i = 0; i < buffers; i++) {
      Twin twin = i % TWINS == 0 ? a : b;
      twin.stream.await();
      if (copies) {
        twin.copy();
      }
      if (kernels) {
        twin.search();
      }
    }
    a.stream.await();
    b.stream.await();
    return (System.nanoTime() - start) / 1e6;
  }

  /** Table 3.2: how little of a buffer's time on the device the host is busy. */
  void spareTime(List<Integer> sizes, CandidateRule rule, ProbeReport.Table table)
      throws CudaCallException {
    SearchKernel kernel = SearchKernel.of(rule, SearchKernel.Loads.TILED);
    for (int size : sizes) {
      try (Twin twin = new Twin(size, kernel);
          CudaStream.Mark before = twin.stream.mark()) {
        long start = System.nanoTime();
        twin.copy();
        twin.search();
        twin.store();
        try (CudaStream.Mark after = twin.stream.mark()) {
          long launched = System.nanoTime();
          twin.stream.await();
          long done = System.nanoTime();
          table.row(
              size,
              after.millisSince(before),
              (launched - start) / 1e6,
              (done - start) / 1e6,
              (done - launched) / 1e6);
        }
      }
    }
  }
}
