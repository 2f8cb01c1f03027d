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

import org.freshet.shredder.BackendUnavailableException;

/** The CUDA driver, initialized. Safe for use by several threads. */
public interface CudaDriver {
  /**
   * The driver of this machine, through JCuda.
   *
   * @throws BackendUnavailableException if JCuda, the driver or a device is not there; says which
   */
  static CudaDriver load() throws BackendUnavailableException {
    return JCudaClassLoader.loadDriver();
  }

  /**
   * The newest CUDA that the driver supports: 1000 times its major plus 10 times its minor number.
   */
  int version() throws CudaCallException;

  /** How many devices there are that this process may use. */
  int deviceCount() throws CudaCallException;

  /**
   * Opens a device.
   *
   * @param ordinal 0 to {@code deviceCount() - 1}
   * @param ptx the kernels, as the text of a PTX module
   */
  CudaDevice open(int ordinal, byte[] ptx) throws CudaCallException;
}
