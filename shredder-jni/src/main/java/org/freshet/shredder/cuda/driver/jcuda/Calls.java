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
package org.freshet.shredder.cuda.driver.jcuda;

import jcuda.driver.CUcontext;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.freshet.shredder.cuda.driver.CudaCallException;

/** Makes calls of the driver and tells their failures. */
final class Calls {
  private Calls() {}

  /**
   * Checks the result of a call.
   *
   * @param result as the call returned it
   * @param call what was called, for people
   */
  static void check(int result, String call) throws CudaCallException {
    if (result != CUresult.CUDA_SUCCESS) {
      throw new CudaCallException(call, result, CUresult.stringFor(result));
    }
  }

  /** Calls of the driver, made on behalf of a device. */
  interface Work<T> {
    T run() throws CudaCallException;
  }

  /** Like {@link Work}, without a result. */
  interface Action {
    void run() throws CudaCallException;
  }

  /** Runs {@code work} with {@code context} as the calling thread's current one. */
  static <T> T in(CUcontext context, Work<T> work) throws CudaCallException {
    check(JCudaDriver.cuCtxPushCurrent(context), "cuCtxPushCurrent");
    try {
      return work.run();
    } finally {
      JCudaDriver.cuCtxPopCurrent(new CUcontext());
    }
  }

  /** Runs {@code action} with {@code context} as the calling thread's current one. */
  static void in(CUcontext context, Action action) throws CudaCallException {
    in(
        context,
        () -> {
          action.run();
          return null;
        });
  }
}
