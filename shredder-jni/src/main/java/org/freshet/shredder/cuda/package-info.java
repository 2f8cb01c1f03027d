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
 * "Shredder: GPU-accelerated incremental storage and computation", FAST 2012. A buffer that a device
 * fails at is searched on the processor instead, with the same result. Start reading at {@link
 * org.freshet.shredder.cuda.CudaPipeline}; the kernels are in {@code src/main/cuda}.
 *
 * <p>The CUDA driver is behind {@link org.freshet.shredder.cuda.CudaDriver}. Only {@code
 * org.freshet.shredder.cuda.jcuda} knows JCuda, an optional dependency, and only {@link
 * org.freshet.shredder.cuda.JCudaClassLoader} knows that package: without JCuda on the class path,
 * without a driver or without a GPU there is one line in the log and no other effect.
 */
package org.freshet.shredder.cuda;
