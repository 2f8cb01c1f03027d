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

import java.nio.ByteBuffer;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaStream;
import org.freshet.shredder.cuda.driver.DeviceMemory;

/** A stream that does not wait for the context's default stream, and an event to wait for it by. */
final class BoundStream implements CudaStream {
  private final BoundDevice device;
  private final CUstream stream;
  private final CUevent done;

  BoundStream(BoundDevice device, CUstream stream, CUevent done) {
    this.device = device;
    this.stream = stream;
    this.done = done;
  }

  @Override
  public void copyToDevice(ByteBuffer from, int index, DeviceMemory to, long bytes)
      throws CudaCallException {
    requireWithin(index + bytes, from.capacity());
    requireWithin(bytes, to.bytes());
    Pointer source = address(from).withByteOffset(index);
    in(
        () ->
            check(
                JCudaDriver.cuMemcpyHtoDAsync(pointer(to), source, bytes, stream),
                "cuMemcpyHtoDAsync of " + bytes + " bytes"));
  }

  @Override
  public void copyToHost(DeviceMemory from, ByteBuffer to, long bytes) throws CudaCallException {
    requireWithin(bytes, from.bytes());
    requireWithin(bytes, to.capacity());
    Pointer target = address(to);
    in(
        () ->
            check(
                JCudaDriver.cuMemcpyDtoHAsync(target, pointer(from), bytes, stream),
                "cuMemcpyDtoHAsync of " + bytes + " bytes"));
  }

  @Override
  public void clearFirstWord(DeviceMemory memory) throws CudaCallException {
    in(
        () ->
            check(JCudaDriver.cuMemsetD32Async(pointer(memory), 0, 1, stream), "cuMemsetD32Async"));
  }

  @Override
  public void launch(String kernel, int blocks, int threads, Object... arguments)
      throws CudaCallException {
    CUfunction function = device.kernel(kernel);
    NativePointerObject[] parameters = new NativePointerObject[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      parameters[i] = parameter(arguments[i]);
    }
    in(
        () ->
            check(
                JCudaDriver.cuLaunchKernel(
                    function, blocks, 1, 1, threads, 1, 1, 0, stream, Pointer.to(parameters), null),
                "cuLaunchKernel of " + kernel));
  }

  @Override
  public Mark mark() throws CudaCallException {
    return Calls.in(
        device.context(),
        () -> {
          CUevent event = new CUevent();
          check(JCudaDriver.cuEventCreate(event, CUevent_flags.CU_EVENT_DEFAULT), "cuEventCreate");
          check(JCudaDriver.cuEventRecord(event, stream), "cuEventRecord");
          return new BoundMark(device, event);
        });
  }

  @Override
  public void await() throws CudaCallException {
    in(
        () -> {
          check(JCudaDriver.cuEventRecord(done, stream), "cuEventRecord");
          check(JCudaDriver.cuEventSynchronize(done), "cuEventSynchronize");
        });
  }

  @Override
  public void close() throws CudaCallException {
    in(
        () -> {
          int waited = JCudaDriver.cuStreamSynchronize(stream);
          int event = JCudaDriver.cuEventDestroy(done);
          int destroyed = JCudaDriver.cuStreamDestroy(stream);
          check(waited, "cuStreamSynchronize");
          check(event, "cuEventDestroy");
          check(destroyed, "cuStreamDestroy");
        });
  }

  private void in(Calls.Action action) throws CudaCallException {
    Calls.in(device.context(), action);
  }

  private static Pointer parameter(Object argument) {
    if (argument instanceof DeviceMemory memory) {
      return Pointer.to(pointer(memory));
    }
    if (argument instanceof Integer value) {
      return Pointer.to(new int[] {value});
    }
    if (argument instanceof Long value) {
      return Pointer.to(new long[] {value});
    }
    throw new IllegalArgumentException(
        "A kernel takes device memory, an Integer or a Long, not " + argument);
  }

  private static CUdeviceptr pointer(DeviceMemory memory) {
    return ((BoundMemory) memory).pointer();
  }

  private static Pointer address(ByteBuffer buffer) {
    if (!buffer.isDirect()) {
      throw new IllegalArgumentException("The buffer must be direct, not " + buffer);
    }
    return Pointer.to(buffer);
  }

  private static void requireWithin(long bytes, long size) {
    if (bytes > size) {
      throw new IndexOutOfBoundsException(bytes + " bytes do not fit into " + size);
    }
  }

  /** An event with a time. */
  private record BoundMark(BoundDevice device, CUevent event) implements Mark {
    @Override
    public double millisSince(Mark earlier) throws CudaCallException {
      float[] millis = new float[1];
      check(
          JCudaDriver.cuEventElapsedTime(millis, ((BoundMark) earlier).event(), event),
          "cuEventElapsedTime");
      return millis[0];
    }

    @Override
    public void close() throws CudaCallException {
      Calls.in(device.context(), () -> check(JCudaDriver.cuEventDestroy(event), "cuEventDestroy"));
    }
  }
}
