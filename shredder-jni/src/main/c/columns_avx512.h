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
 * 64 streams side by side for AVX-512: a stretch of the source is divided into 64 parts, one below the
 * other like the rows of a matrix, and processed by columns, each of 64 bytes, one of every part. A rolling
 * hash then steps in all parts at once; and where bytes at several distances are needed, they are in
 * neighbouring columns, without the loads across cache lines that shifted text would need.
 */
#ifndef SHREDDER_COLUMNS_AVX512_H
#define SHREDDER_COLUMNS_AVX512_H

#include "kernels.h"

#if SHREDDER_X86

#include <immintrin.h>

#define SHREDDER_TARGET_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,gfni,bmi,bmi2")))

enum {
  SHREDDER_ROWS = 64,
  /** Columns transposed at a time. */
  SHREDDER_COLUMNS = 16
};

/**
 * Positions in each row, for n positions in all and rows that begin window - 1 bytes early; together these
 * are a multiple of SHREDDER_COLUMNS. 0 if n is too small for rows that would be mostly repetition.
 *
 * Rows are an odd number of bytes apart or nearly so, never a multiple of 4096, where all would compete for
 * the same places of the first-level cache.
 */
static inline size_t shredder_row_length(size_t n, uint32_t window) {
  const size_t before = window - 1;
  const size_t whole = (n / SHREDDER_ROWS + before) / SHREDDER_COLUMNS * SHREDDER_COLUMNS;
  if (whole < 2 * (size_t)window + SHREDDER_COLUMNS) {
    return 0;
  }
  const size_t length = whole - before;
  return length % 1024 == 0 ? length - SHREDDER_COLUMNS : length;
}

/** Four rows' bytes, 16 rows apart, in the four lanes of a register. */
SHREDDER_TARGET_AVX512 static inline __m512i shredder_four_rows(const uint8_t *row, size_t apart) {
  const __m128i *const rows[4] = {(const __m128i *)(const void *)row,
                                  (const __m128i *)(const void *)(row + 16 * apart),
                                  (const __m128i *)(const void *)(row + 32 * apart),
                                  (const __m128i *)(const void *)(row + 48 * apart)};
  __m512i four = _mm512_castsi128_si512(_mm_loadu_si128(rows[0]));
  four = _mm512_mask_broadcast_i32x4(four, 0x00F0, _mm_loadu_si128(rows[1]));
  four = _mm512_mask_broadcast_i32x4(four, 0x0F00, _mm_loadu_si128(rows[2]));
  return _mm512_mask_broadcast_i32x4(four, 0xF000, _mm_loadu_si128(rows[3]));
}

/**
 * Byte r of columns[c] becomes the byte at first + r * apart + c.
 *
 * Within the lanes, the perfect shuffle of registers i and i + 8, done four times, transposes 16 by 16.
 */
SHREDDER_TARGET_AVX512 static inline void shredder_transpose(const uint8_t *first, size_t apart,
                                                             __m512i *columns) {
  __m512i a[16];
  __m512i b[16];
#pragma GCC unroll 16
  for (size_t i = 0; i < 16; i++) {
    a[i] = shredder_four_rows(first + i * apart, apart);
  }
#pragma GCC unroll 2
  for (int twice = 0; twice < 2; twice++) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
      b[2 * i] = _mm512_unpacklo_epi8(a[i], a[i + 8]);
      b[2 * i + 1] = _mm512_unpackhi_epi8(a[i], a[i + 8]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
      a[2 * i] = _mm512_unpacklo_epi8(b[i], b[i + 8]);
      a[2 * i + 1] = _mm512_unpackhi_epi8(b[i], b[i + 8]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) {
    _mm512_store_si512(columns + i, a[i]);
  }
}

#endif

#endif
