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

import jcuda.JCudaVersion;
import jcuda.LibUtils;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaDevice;
import org.freshet.shredder.cuda.driver.CudaDriver;

/** The driver, initialized. */
public final class JCudaBoundDriver implements CudaDriver {
  /**
   * Loads JCuda's library and initializes the driver.
   *
   * @throws UnsatisfiedLinkError if JCuda's library, or the driver's, is not there
   * @throws CudaCallException if the driver cannot be used, as without a device
   */
  public JCudaBoundDriver() throws CudaCallException {
    // Before JCuda's own attempt: that would go on to look in the directory for temporary files.
    System.loadLibrary(LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
    check(JCudaDriver.cuInit(0), "cuInit");
  }

  @Override
  public int version() throws CudaCallException {
    int[] version = new int[1];
    check(JCudaDriver.cuDriverGetVersion(version), "cuDriverGetVersion");
    return version[0];
  }

  @Override
  public int deviceCount() throws CudaCallException {
    int[] count = new int[1];
    check(JCudaDriver.cuDeviceGetCount(count), "cuDeviceGetCount");
    return count[0];
  }

  @Override
  public CudaDevice open(int ordinal, byte[] ptx) throws CudaCallException {
    CUdevice device = new CUdevice();
    check(JCudaDriver.cuDeviceGet(device, ordinal), "cuDeviceGet of device " + ordinal);
    return BoundDevice.open(device, ptx);
  }
}
