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
import java.util.concurrent.atomic.LongAdder;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.cuda.driver.CudaCallException;

/**
 * Searches buffers on several devices, dealt out in turn, and on the processor what a device fails
 * at: by an error, for lack of memory on either side, or because there are more candidates than it
 * has room for. The result is the same. Safe for use by several threads.
 */
final class BufferSearch implements AutoCloseable {
  private final List<SearchDevice> devices;
  private final int leastBytes;
  private final LongAdder searchedOnProcessor = new LongAdder();

  /**
   * @param devices at least one
   * @param leastBytes less than this is the processor's at once
   */
  BufferSearch(List<SearchDevice> devices, int leastBytes) {
    this.devices = List.copyOf(devices);
    this.leastBytes = leastBytes;
  }

  List<SearchDevice> devices() {
    return devices;
  }

  /** How many buffers were searched on the processor because a device did not. */
  long searchedOnProcessor() {
    return searchedOnProcessor.sum();
  }

  /**
   * The candidates of {@code (from, to]}, ascending, as indices into {@code bytes}.
   *
   * @param turn whose turn it is: consecutive numbers go to different devices
   * @param onProcessor by the same rule as {@code kernel}
   * @param bytes a direct buffer; one on the heap no device can read
   * @param from at least the window less 1
   * @param to at least {@code from}
   */
  int[] search(
      long turn,
      SearchKernel kernel,
      CandidateFinder onProcessor,
      ByteBuffer bytes,
      int from,
      int to) {
    if (from == to || to - from < leastBytes) {
      return onProcessor.find(bytes, from, to);
    }
    int[] candidates = bytes.isDirect() ? onDevice(turn, kernel, bytes, from, to) : null;
    if (candidates != null) {
      return candidates;
    }
    searchedOnProcessor.increment();
    return onProcessor.find(bytes, from, to);
  }

  private int[] onDevice(long turn, SearchKernel kernel, ByteBuffer bytes, int from, int to) {
    List<SearchDevice> working = devices.stream().filter(d -> !d.isRetired()).toList();
    if (working.isEmpty()) {
      return null;
    }
    try {
      SearchDevice device = working.get((int) (turn % working.size()));
      return device.search(kernel, bytes, from, to);
    } catch (CudaCallException e) {
      // Reported by the device.
      return null;
    }
  }

  /** Gives the devices back. No search may be under way. */
  @Override
  public void close() {
    devices.forEach(SearchDevice::close);
  }
}
