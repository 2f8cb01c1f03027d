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

/* BLAKE3 in the eight lanes of AVX2's registers. See blake3.h. */
#include "blake3.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LANES 8
#define WIDTH LANES
#define TARGET __attribute__((target("avx2")))
#define FORM shredder_blake3_avx2

typedef uint32_t vector __attribute__((vector_size(4 * WIDTH)));

#define BYTE_ROTATIONS

/** By whole bytes, which AVX2 shuffles in one instruction. */
TARGET static inline vector rotate16(vector x) {
  const __m256i order = _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2, 3, 0, 1, 6, 7,
                                         4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  return (vector)_mm256_shuffle_epi8((__m256i)x, order);
}

TARGET static inline vector rotate8(vector x) {
  const __m256i order = _mm256_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12, 1, 2, 3, 0, 5, 6,
                                         7, 4, 9, 10, 11, 8, 13, 14, 15, 12);
  return (vector)_mm256_shuffle_epi8((__m256i)x, order);
}

/** Transposes 8 by 8 words: in each half of a register, then across. */
TARGET static inline void transpose(const uint8_t *const at[LANES], size_t offset, vector words[8]) {
  __m256i a[8];
  __m256i b[8];
#pragma GCC unroll 8
  for (int l = 0; l < 8; l++) {
    a[l] = _mm256_loadu_si256((const __m256i *)(const void *)(at[l] + offset));
  }
#pragma GCC unroll 4
  for (int l = 0; l < 8; l += 2) {
    b[l] = _mm256_unpacklo_epi32(a[l], a[l + 1]);
    b[l + 1] = _mm256_unpackhi_epi32(a[l], a[l + 1]);
  }
#pragma GCC unroll 2
  for (int l = 0; l < 8; l += 4) {
    a[l] = _mm256_unpacklo_epi64(b[l], b[l + 2]);
    a[l + 1] = _mm256_unpackhi_epi64(b[l], b[l + 2]);
    a[l + 2] = _mm256_unpacklo_epi64(b[l + 1], b[l + 3]);
    a[l + 3] = _mm256_unpackhi_epi64(b[l + 1], b[l + 3]);
  }
#pragma GCC unroll 4
  for (int w = 0; w < 4; w++) {
    words[w] = (vector)_mm256_permute2x128_si256(a[w], a[4 + w], 0x20);
    words[4 + w] = (vector)_mm256_permute2x128_si256(a[w], a[4 + w], 0x31);
  }
}

TARGET static inline void load_blocks(const uint8_t *const at[LANES], size_t offset, vector words[16]) {
  transpose(at, offset, words);
  transpose(at, offset + BLAKE3_BLOCK / 2, words + 8);
}

#include "blake3_lanes.h"

#endif
