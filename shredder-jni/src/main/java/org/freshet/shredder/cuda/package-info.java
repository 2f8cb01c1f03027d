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
/**
 * Searching for candidates on NVIDIA GPUs.
 *
 * <p>A source is read into a ring of page-locked buffers; each goes over the bus to one of twin
 * buffers in device memory, is searched there by some thousand threads, and its candidates come
 * back: Reader, Transfer, Kernel, Store, the pipeline of P. Bhatotia, R. Rodrigues, A. Verma:
 * "Shredder: GPU-accelerated incremental storage and computation", FAST 2012. A buffer that a
 * device fails at is searched on the processor instead, with the same result. Start reading at
 * {@code CudaPipeline}; the kernels are in {@code src/main/cuda}, the driver is behind {@link
 * org.freshet.shredder.cuda.driver.CudaDriver}.
 *
 * <p>Without JCuda on the class path, without a driver or without a GPU there is one line in the
 * log and no other effect. {@code GpuProbe} measures what the GPUs of a machine are worth.
 */
package org.freshet.shredder.cuda;
