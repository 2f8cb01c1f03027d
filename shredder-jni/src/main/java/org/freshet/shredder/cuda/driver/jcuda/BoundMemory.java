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

import static org.freshet.shredder.cuda.driver.jcuda.Calls.check;

import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.DeviceMemory;

/** Device memory of a context. */
record BoundMemory(CUcontext context, CUdeviceptr pointer, long bytes) implements DeviceMemory {
  @Override
  public void close() throws CudaCallException {
    Calls.in(context, () -> check(JCudaDriver.cuMemFree(pointer), "cuMemFree"));
  }
}
