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
package org.freshet.shredder.cuda.driver;

import java.nio.ByteBuffer;

/**
 * A queue of work for a device, done in order. Calls but {@link #await} return when the work is
 * queued; an error of work queued earlier can come up in any later call. For use by one thread at a
 * time.
 */
public interface CudaStream extends AutoCloseable {
  /**
   * Copies to the device.
   *
   * @param from a direct buffer; if it is not of {@link PinnedMemory}, the call may wait for the
   *     copy
   * @param index of the first byte in {@code from}; position and limit are not heeded
   * @param to where it goes, from its first byte on
   * @param bytes how many
   */
  void copyToDevice(ByteBuffer from, int index, DeviceMemory to, long bytes)
      throws CudaCallException;

  /**
   * Copies from the device.
   *
   * @param from where it comes from, from its first byte on
   * @param to a direct buffer, filled from its first byte on
   * @param bytes how many
   */
  void copyToHost(DeviceMemory from, ByteBuffer to, long bytes) throws CudaCallException;

  /** Sets the first four bytes of device memory to 0. */
  void clearFirstWord(DeviceMemory memory) throws CudaCallException;

  /**
   * Launches a kernel on a row of blocks.
   *
   * @param kernel its name in the module
   * @param blocks how many blocks
   * @param threads how many threads a block has
   * @param arguments each a {@link DeviceMemory}, an {@link Integer} or a {@link Long}, as the
   *     kernel declares
   */
  void launch(String kernel, int blocks, int threads, Object... arguments) throws CudaCallException;

  /** Marks this place in the queue, so that times between two can be told once both are passed. */
  Mark mark() throws CudaCallException;

  /** Waits, without using the processor, until all work queued here is done. */
  void await() throws CudaCallException;

  /** Gives the stream back; waits for its work. */
  @Override
  void close() throws CudaCallException;

  /** A place in the queue. */
  interface Mark extends AutoCloseable {
    /** Time that the device took from {@code earlier} to here; both must have been passed. */
    double millisSince(Mark earlier) throws CudaCallException;

    @Override
    void close() throws CudaCallException;
  }
}
