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

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaDevice;
import org.freshet.shredder.cuda.driver.CudaStream;
import org.freshet.shredder.cuda.driver.DeviceMemory;
import org.freshet.shredder.cuda.driver.PinnedMemory;

/** A device, by its primary context, which it shares with others in the process. */
final class BoundDevice implements CudaDevice {
  private static final int NAME_BYTES = 256;

  private final CUdevice device;
  private final CUcontext context;
  private final CUmodule module;
  private final Map<String, CUfunction> kernels = new ConcurrentHashMap<>();
  private final String name;
  private final int multiprocessors;
  private final long memoryBytes;

  private BoundDevice(CUdevice device, CUcontext context, byte[] ptx) throws CudaCallException {
    this.device = device;
    this.context = context;
    byte[] text = new byte[NAME_BYTES];
    check(JCudaDriver.cuDeviceGetName(text, text.length, device), "cuDeviceGetName");
    this.name = new String(text, StandardCharsets.UTF_8).replace('\0', ' ').trim();
    int[] attribute = new int[1];
    check(
        JCudaDriver.cuDeviceGetAttribute(
            attribute, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
        "cuDeviceGetAttribute");
    this.multiprocessors = attribute[0];
    long[] total = new long[1];
    check(JCudaDriver.cuDeviceTotalMem(total, device), "cuDeviceTotalMem");
    this.memoryBytes = total[0];
    this.module = new CUmodule();
    // The driver reads the text up to a zero.
    byte[] image = Arrays.copyOf(ptx, ptx.length + 1);
    Calls.in(context, () -> check(JCudaDriver.cuModuleLoadData(module, image), "cuModuleLoadData"));
  }

  static BoundDevice open(CUdevice device, byte[] ptx) throws CudaCallException {
    CUcontext context = new CUcontext();
    check(JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "cuDevicePrimaryCtxRetain");
    try {
      return new BoundDevice(device, context, ptx);
    } catch (CudaCallException | RuntimeException e) {
      JCudaDriver.cuDevicePrimaryCtxRelease(device);
      throw e;
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int multiprocessors() {
    return multiprocessors;
  }

  @Override
  public long memoryBytes() {
    return memoryBytes;
  }

  @Override
  public DeviceMemory allocate(long bytes) throws CudaCallException {
    CUdeviceptr pointer = new CUdeviceptr();
    Calls.in(
        context,
        () -> check(JCudaDriver.cuMemAlloc(pointer, bytes), "cuMemAlloc of " + bytes + " bytes"));
    return new BoundMemory(context, pointer, bytes);
  }

  @Override
  public PinnedMemory pin(int bytes) throws CudaCallException {
    Pointer pointer = new Pointer();
    Calls.in(
        context,
        () ->
            check(
                JCudaDriver.cuMemHostAlloc(pointer, bytes, JCudaDriver.CU_MEMHOSTALLOC_PORTABLE),
                "cuMemHostAlloc of " + bytes + " bytes"));
    return new BoundPinnedMemory(context, pointer, pointer.getByteBuffer(0, bytes));
  }

  @Override
  public CudaStream stream() throws CudaCallException {
    return Calls.in(
        context,
        () -> {
          CUstream stream = new CUstream();
          check(
              JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING),
              "cuStreamCreate");
          CUevent done = new CUevent();
          int flags = CUevent_flags.CU_EVENT_BLOCKING_SYNC | CUevent_flags.CU_EVENT_DISABLE_TIMING;
          int result = JCudaDriver.cuEventCreate(done, flags);
          if (result != 0) {
            JCudaDriver.cuStreamDestroy(stream);
          }
          check(result, "cuEventCreate");
          return new BoundStream(this, stream, done);
        });
  }

  CUcontext context() {
    return context;
  }

  CUfunction kernel(String kernelName) throws CudaCallException {
    CUfunction known = kernels.get(kernelName);
    if (known != null) {
      return known;
    }
    CUfunction function = new CUfunction();
    Calls.in(
        context,
        () ->
            check(
                JCudaDriver.cuModuleGetFunction(function, module, kernelName),
                "cuModuleGetFunction of " + kernelName));
    kernels.put(kernelName, function);
    return function;
  }

  @Override
  public void close() throws CudaCallException {
    try {
      Calls.in(context, () -> check(JCudaDriver.cuModuleUnload(module), "cuModuleUnload"));
    } finally {
      check(JCudaDriver.cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease");
    }
  }
}
