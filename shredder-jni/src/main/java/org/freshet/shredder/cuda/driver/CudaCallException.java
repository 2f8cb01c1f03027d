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

import java.util.Set;

/** A call of the CUDA driver failed. */
public final class CudaCallException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Results after which the device's context is of no more use to this process: every later call
   * would fail with the same. From cuda.h: DEINITIALIZED, DEVICE_UNAVAILABLE, NO_DEVICE,
   * INVALID_CONTEXT, ECC_UNCORRECTABLE, NVLINK_UNCORRECTABLE, ILLEGAL_ADDRESS, LAUNCH_TIMEOUT,
   * CONTEXT_IS_DESTROYED, ASSERT, HARDWARE_STACK_ERROR, ILLEGAL_INSTRUCTION, MISALIGNED_ADDRESS,
   * INVALID_ADDRESS_SPACE, INVALID_PC, LAUNCH_FAILED, UNKNOWN.
   */
  private static final Set<Integer> LASTING =
      Set.of(4, 46, 100, 201, 214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 999);

  private final int result;

  /**
   * A failed call.
   *
   * @param call the driver's function and what it was asked for: {@code cuMemAlloc of 8 bytes}
   * @param result the CUresult
   * @param name the result's name: {@code CUDA_ERROR_OUT_OF_MEMORY}
   */
  public CudaCallException(String call, int result, String name) {
    super(call + ": " + name + " (" + result + ")");
    this.result = result;
  }

  /** The CUresult. */
  public int result() {
    return result;
  }

  /** Whether every later call would fail, too. */
  public boolean isLasting() {
    return LASTING.contains(result);
  }
}
