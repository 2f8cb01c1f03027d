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
 * Rolling windows and the walk of one thread over its run of bytes. No CUDA in here: nvcc, NVRTC and
 * any C++17 compiler take this text alike, so what is tested on the host is what runs on the device.
 */
#ifndef SHREDDER_CORE_H
#define SHREDDER_CORE_H

#ifdef __CUDACC__
#define SHREDDER_FN __device__ __forceinline__
#else
#define SHREDDER_FN inline
#endif

namespace shredder {

using u8 = unsigned char;
using u32 = unsigned int;
using u64 = unsigned long long;

/* The widest window of any rule, in bytes: CandidateRule.MAX_WINDOW. */
constexpr int kMaxWindow = 64;

/*
 * CandidateRule.Gear and SievedGear: h' = 2h + table[byte], and a byte's share is shifted out after 64 steps.
 * For the former the mask is empty.
 */
struct GearWindow {
  const u64* table;
  u64 mask;
  u64 marker;
  u64 first;
  u64 width;

  SHREDDER_FN int size() const { return 64; }
  SHREDDER_FN u64 enter(u64 hash, u8 entering) const { return (hash << 1) + table[entering]; }
  SHREDDER_FN u64 roll(u64 hash, u8 entering, u8 /* leaving, by itself */) const {
    return enter(hash, entering);
  }
  SHREDDER_FN bool marks(u64 hash) const { return (hash & mask) == marker && hash - first < width; }
};

/*
 * CandidateRule.Rabin, with the tables of RabinTables: the fingerprint always stays below the
 * polynomial's degree, so that its top byte, shift bits up, is an index below 256.
 */
struct RabinWindow {
  const u64* reduction;
  const u64* leaving;
  int window;
  int shift;
  u64 mask;
  u64 marker;

  SHREDDER_FN int size() const { return window; }
  SHREDDER_FN u64 enter(u64 print, u8 entering) const {
    return (print << 8 | entering) ^ reduction[print >> shift];
  }
  SHREDDER_FN u64 roll(u64 print, u8 entering, u8 left) const {
    return enter(print, entering) ^ leaving[left];
  }
  SHREDDER_FN bool marks(u64 print) const { return (print & mask) == marker; }
};

/*
 * Reports to found.add each i in [begin, end) such that a candidate follows byte i. Reads bytes[i]
 * for begin - size() < i < end and no others: the halo of a run, of a tile or of a buffer is the
 * size() - 1 bytes in front of it.
 */
template <class Window, class Bytes, class Found>
SHREDDER_FN void search_run(const Window& window, const Bytes& bytes, int begin, int end,
                            Found& found) {
  if (begin >= end) {
    return;
  }
  const int size = window.size();
  u64 hash = 0;
  for (int i = begin - size + 1; i <= begin; i++) {
    hash = window.enter(hash, bytes[i]);
  }
  if (window.marks(hash)) {
    found.add(begin);
  }
  for (int i = begin + 1; i < end; i++) {
    hash = window.roll(hash, bytes[i], bytes[i - size]);
    if (window.marks(hash)) {
      found.add(i);
    }
  }
}

}  // namespace shredder

#endif  // SHREDDER_CORE_H
