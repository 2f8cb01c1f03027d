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
 * Marks candidates in a buffer of device memory.
 *
 * Each thread searches a run of RUN bytes on its own: a candidate depends on the window before it and
 * on nothing else, so a run needs no more than window - 1 bytes of its neighbour's (search_run). There
 * are two ways to get at the bytes, both kept, for one is the measure of the other:
 *
 *   direct   each thread reads its run from device memory, byte by byte. Neighbouring threads read
 *            RUN bytes apart, and none of their reads can be served together.
 *   tiled    the threads of a block first fetch the runs of all of them into shared memory, 16
 *            neighbouring bytes each, and then search there. This is the published scheme (P. Bhatotia,
 *            R. Rodrigues, A. Verma: "Shredder: GPU-accelerated incremental storage and computation",
 *            FAST 2012, section 4.3).
 *
 * Candidates are few. They go, in no order, to found[1], found[2], ..., and their number to found[0];
 * beyond the capacity they are counted only, and the host searches such a buffer itself.
 *
 * Compiled to PTX by build-ptx.sh; SearchKernel.java knows names and parameters.
 */
#include "shredder_core.h"

namespace shredder {

constexpr int kThreads = 128;               /* of a block: SearchKernel.THREADS */
constexpr int kRun = 128;                   /* bytes searched by a thread, at a time */
constexpr int kTile = kThreads * kRun;      /* bytes searched by a block, at a time: SearchKernel.TILE */
constexpr int kTableSize = 256;
constexpr int kVector = 16;                 /* bytes fetched by a thread, at a time */

/* A row of shared memory is one run and 4 bytes more: threads of a warp, all at the same place in
 * their runs, then read 32 different banks. */
constexpr int kPadding = 4;
constexpr int kRowWords = (kRun + kPadding) / 4;

/* Row 0 holds the halo of the tile, at its end; row t + 1 holds thread t's run. */
constexpr int kTileWords = (kThreads + 1) * kRowWords;

struct Found {
  u32* found;
  u32 capacity;
  u32 run_start;

  __device__ __forceinline__ void add(int i) {
    const u32 slot = atomicAdd(found, 1u);
    if (slot < capacity) {
      found[1 + slot] = run_start + i + 1;
    }
  }
};

/* Bytes around the start of a thread's row; those before it are at the end of the row before. */
struct RowBytes {
  const u8* row;

  __device__ __forceinline__ u8 operator[](int i) const {
    return row[i - ((i >> 31) & kPadding)];
  }
};

struct DeviceBytes {
  const u8* run;

  __device__ __forceinline__ u8 operator[](int i) const { return run[i]; }
};

__device__ __forceinline__ void load_table(u64* shared, const u64* global) {
  for (int i = threadIdx.x; i < kTableSize; i += kThreads) {
    shared[i] = global[i];
  }
}

/* The part of the run at run_start that lies in [first, end), counted from run_start. */
template <class Window, class Bytes>
__device__ __forceinline__ void search_part(const Window& window, const Bytes& bytes, u32 run_start,
                                            u32 first, u32 end, Found& found) {
  if (run_start >= end || run_start + kRun <= first) {
    return;
  }
  const int from = run_start < first ? first - run_start : 0;
  const int to = end - run_start < kRun ? end - run_start : kRun;
  found.run_start = run_start;
  search_run(window, bytes, from, to, found);
}

/* data must be aligned to 16 bytes and readable up to the next multiple of 16 at or after end. */
__device__ __forceinline__ void load_tile(u32* tile, const u8* data, u32 tile_start, u32 end) {
  if (tile_start > 0 && threadIdx.x < kMaxWindow / 4) {
    const u32* before = reinterpret_cast<const u32*>(data + tile_start - kMaxWindow);
    tile[(kRun - kMaxWindow) / 4 + threadIdx.x] = before[threadIdx.x];
  }
  const uint4* vectors = reinterpret_cast<const uint4*>(data + tile_start);
  for (int v = threadIdx.x; v < kTile / kVector; v += kThreads) {
    if (tile_start + v * kVector < end) {
      const uint4 bytes = vectors[v];
      const int row = 1 + v / (kRun / kVector);
      u32* words = tile + row * kRowWords + v % (kRun / kVector) * (kVector / 4);
      words[0] = bytes.x;
      words[1] = bytes.y;
      words[2] = bytes.z;
      words[3] = bytes.w;
    }
  }
}

template <class Window>
__device__ __forceinline__ void search_tiled(const Window& window, u32* tile, const u8* data,
                                             u32 first, u32 end, u32* found, u32 capacity) {
  Found sink{found, capacity, 0};
  const u8* rows = reinterpret_cast<const u8*>(tile);
  const RowBytes bytes{rows + (1 + threadIdx.x) * kRowWords * 4};
  for (u32 start = blockIdx.x * kTile; start < end; start += gridDim.x * kTile) {
    __syncthreads(); /* tables are there, and nobody reads the tile before */
    load_tile(tile, data, start, end);
    __syncthreads();
    search_part(window, bytes, start + threadIdx.x * kRun, first, end, sink);
  }
}

template <class Window>
__device__ __forceinline__ void search_direct(const Window& window, const u8* data, u32 first,
                                              u32 end, u32* found, u32 capacity) {
  Found sink{found, capacity, 0};
  __syncthreads(); /* tables are there */
  for (u32 start = blockIdx.x * kTile; start < end; start += gridDim.x * kTile) {
    const u32 run_start = start + threadIdx.x * kRun;
    search_part(window, DeviceBytes{data + run_start}, run_start, first, end, sink);
  }
}

}  // namespace shredder

using shredder::u32;
using shredder::u64;
using shredder::u8;

/*
 * Parameters of all kernels: candidates are looked for behind the bytes at first to end - 1 of data,
 * where first is at least the window less one and end at most 2^31. tables: 256 values of Gear, or 256
 * reductions and 256 leaving values of Rabin.
 */
extern "C" __global__ void __launch_bounds__(shredder::kThreads)
    gear_tiled(const u8* data, u32 first, u32 end, u32* found, u32 capacity, const u64* tables,
               u64 mask, u64 marker, u64 first_hash, u64 width) {
  __shared__ u64 table[shredder::kTableSize];
  __shared__ u32 tile[shredder::kTileWords];
  shredder::load_table(table, tables);
  const shredder::GearWindow window{table, mask, marker, first_hash, width};
  shredder::search_tiled(window, tile, data, first, end, found, capacity);
}

extern "C" __global__ void __launch_bounds__(shredder::kThreads)
    gear_direct(const u8* data, u32 first, u32 end, u32* found, u32 capacity, const u64* tables,
                u64 mask, u64 marker, u64 first_hash, u64 width) {
  __shared__ u64 table[shredder::kTableSize];
  shredder::load_table(table, tables);
  const shredder::GearWindow window{table, mask, marker, first_hash, width};
  shredder::search_direct(window, data, first, end, found, capacity);
}

extern "C" __global__ void __launch_bounds__(shredder::kThreads)
    rabin_tiled(const u8* data, u32 first, u32 end, u32* found, u32 capacity, const u64* tables,
                int window_size, int shift, u64 mask, u64 marker) {
  __shared__ u64 reduction[shredder::kTableSize];
  __shared__ u64 leaving[shredder::kTableSize];
  __shared__ u32 tile[shredder::kTileWords];
  shredder::load_table(reduction, tables);
  shredder::load_table(leaving, tables + shredder::kTableSize);
  const shredder::RabinWindow window{reduction, leaving, window_size, shift, mask, marker};
  shredder::search_tiled(window, tile, data, first, end, found, capacity);
}

extern "C" __global__ void __launch_bounds__(shredder::kThreads)
    rabin_direct(const u8* data, u32 first, u32 end, u32* found, u32 capacity, const u64* tables,
                 int window_size, int shift, u64 mask, u64 marker) {
  __shared__ u64 reduction[shredder::kTableSize];
  __shared__ u64 leaving[shredder::kTableSize];
  shredder::load_table(reduction, tables);
  shredder::load_table(leaving, tables + shredder::kTableSize);
  const shredder::RabinWindow window{reduction, leaving, window_size, shift, mask, marker};
  shredder::search_direct(window, data, first, end, found, capacity);
}
