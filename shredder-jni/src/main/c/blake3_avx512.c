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

/* BLAKE3 in the 16 lanes of AVX-512's registers. See blake3.h. */
#include "blake3.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LANES 16
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define FORM shredder_blake3_avx512

typedef uint32_t vector __attribute__((vector_size(4 * LANES)));

/* AVX-512 has an instruction for it. */
#define rotate16(x) ((vector)_mm512_ror_epi32((__m512i)(x), 16))
#define rotate12(x) ((vector)_mm512_ror_epi32((__m512i)(x), 12))
#define rotate8(x) ((vector)_mm512_ror_epi32((__m512i)(x), 8))
#define rotate7(x) ((vector)_mm512_ror_epi32((__m512i)(x), 7))

/** 16 bytes of every fourth lane, from lane `first` on, in the quarters of a register. */
TARGET static inline __m512i load_quarters(const uint8_t *const at[LANES], int first, int offset) {
  const __m128i *const from[4] = {(const __m128i *)(const void *)(at[first] + offset),
                                  (const __m128i *)(const void *)(at[first + 4] + offset),
                                  (const __m128i *)(const void *)(at[first + 8] + offset),
                                  (const __m128i *)(const void *)(at[first + 12] + offset)};
  __m512i quarters = _mm512_castsi128_si512(_mm_loadu_si128(from[0]));
  quarters = _mm512_mask_broadcast_i32x4(quarters, 0x00F0, _mm_loadu_si128(from[1]));
  quarters = _mm512_mask_broadcast_i32x4(quarters, 0x0F00, _mm_loadu_si128(from[2]));
  return _mm512_mask_broadcast_i32x4(quarters, 0xF000, _mm_loadu_si128(from[3]));
}

/** Transposes 16 by 16 words: the quarters of registers when they are loaded, then within each quarter. */
TARGET static inline void load_blocks(const uint8_t *const at[LANES], vector words[16]) {
#pragma GCC unroll 4
  for (int w = 0; w < 16; w += 4) {
    const __m512i a = load_quarters(at, 0, 4 * w);
    const __m512i b = load_quarters(at, 1, 4 * w);
    const __m512i c = load_quarters(at, 2, 4 * w);
    const __m512i d = load_quarters(at, 3, 4 * w);
    const __m512i low_ab = _mm512_unpacklo_epi32(a, b);
    const __m512i high_ab = _mm512_unpackhi_epi32(a, b);
    const __m512i low_cd = _mm512_unpacklo_epi32(c, d);
    const __m512i high_cd = _mm512_unpackhi_epi32(c, d);
    words[w] = (vector)_mm512_unpacklo_epi64(low_ab, low_cd);
    words[w + 1] = (vector)_mm512_unpackhi_epi64(low_ab, low_cd);
    words[w + 2] = (vector)_mm512_unpacklo_epi64(high_ab, high_cd);
    words[w + 3] = (vector)_mm512_unpackhi_epi64(high_ab, high_cd);
  }
}

#include "blake3_lanes.h"

#endif
