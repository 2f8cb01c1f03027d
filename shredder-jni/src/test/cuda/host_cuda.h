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

/*
 * As much of CUDA's language as shredder.cu uses, for a C++17 compiler: a block's threads are fibers of
 * one thread of the host, and run one at a time from barrier to barrier (fiber_grid.cpp).
 */
#ifndef HOST_CUDA_H
#define HOST_CUDA_H

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
/* One copy for each thread of the host, for each runs one block at a time. */
#define __shared__ static thread_local

struct HostDim3 {
  unsigned x;
  unsigned y;
  unsigned z;
};

struct alignas(16) uint4 {
  unsigned x;
  unsigned y;
  unsigned z;
  unsigned w;
};

extern thread_local HostDim3 threadIdx;
extern thread_local HostDim3 blockIdx;
extern thread_local HostDim3 blockDim;
extern thread_local HostDim3 gridDim;

/* Lets the block's other threads come this far. */
void __syncthreads();

inline unsigned atomicAdd(unsigned* address, unsigned value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

#endif  // HOST_CUDA_H
