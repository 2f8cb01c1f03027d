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

/**
 * A GPU with its kernels loaded. Safe for use by several threads, which need not know of contexts:
 * each call makes the device's current and restores the caller's.
 */
public interface CudaDevice extends AutoCloseable {
  /** What the maker calls it. */
  String name();

  /** How many multiprocessors it has. */
  int multiprocessors();

  /** Size of its memory, in bytes. */
  long memoryBytes();

  /** Allocates device memory, aligned to 256 bytes. Its content is undefined. */
  DeviceMemory allocate(long bytes) throws CudaCallException;

  /**
   * Allocates page-locked memory of the host, from which every device can copy while threads go on.
   * Expensive: to be kept and used again.
   */
  PinnedMemory pin(int bytes) throws CudaCallException;

  /** A new stream, which runs at the same time as others. */
  CudaStream stream() throws CudaCallException;

  /** Gives the device back. What was allocated by it must have been closed before. */
  @Override
  void close() throws CudaCallException;
}
