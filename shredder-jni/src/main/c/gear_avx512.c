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
 * Gear in 64 streams. What costs is the look-up of 64 bytes in a table of 256 words of 64 bits. A gather
 * would do it word by word; instead, each of the words' 8 bytes is looked up for all 64 at once: VPERMI2B
 * chooses from 128 bytes, so two of them and the bytes' top bits choose from 256. Interleaving the 8 results
 * makes 64 words, in 8 registers of 8, each with 8 of the streams.
 */
#include "columns_avx512.h"

#if SHREDDER_X86

enum { WORDS = 8 };

/** The table's bytes: plane[p] holds byte p of all its words. */
typedef struct planes {
  __m512i plane[8][4];
} planes;

SHREDDER_TARGET_AVX512 static void split(const uint64_t table[256], planes *split) {
  _Alignas(64) uint8_t bytes[8][256];
  for (int i = 0; i < 256; i++) {
    for (int p = 0; p < 8; p++) {
      bytes[p][i] = (uint8_t)(table[i] >> (8 * p));
    }
  }
  for (int p = 0; p < 8; p++) {
    for (int quarter = 0; quarter < 4; quarter++) {
      split->plane[p][quarter] = _mm512_load_si512(bytes[p] + 64 * quarter);
    }
  }
}

/** Word 2q + s of words[r] becomes the table's entry for byte 16q + 2r + s of the column. */
SHREDDER_TARGET_AVX512 static inline void look_up(const planes *table, __m512i column,
                                                  __m512i words[WORDS]) {
  const __mmask64 upper = _mm512_movepi8_mask(column);
  __m512i p[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; i++) {
    const __m512i *quarters = table->plane[i];
    const __m512i low = _mm512_permutex2var_epi8(quarters[0], column, quarters[1]);
    const __m512i high = _mm512_permutex2var_epi8(quarters[2], column, quarters[3]);
    p[i] = _mm512_mask_mov_epi8(low, upper, high);
  }
#pragma GCC unroll 2
  for (int half = 0; half < 2; half++) {
    __m512i pair[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
      pair[i] = half == 0 ? _mm512_unpacklo_epi8(p[2 * i], p[2 * i + 1])
                          : _mm512_unpackhi_epi8(p[2 * i], p[2 * i + 1]);
    }
    const __m512i low0 = _mm512_unpacklo_epi16(pair[0], pair[1]);
    const __m512i high0 = _mm512_unpacklo_epi16(pair[2], pair[3]);
    const __m512i low1 = _mm512_unpackhi_epi16(pair[0], pair[1]);
    const __m512i high1 = _mm512_unpackhi_epi16(pair[2], pair[3]);
    words[4 * half] = _mm512_unpacklo_epi32(low0, high0);
    words[4 * half + 1] = _mm512_unpackhi_epi32(low0, high0);
    words[4 * half + 2] = _mm512_unpacklo_epi32(low1, high1);
    words[4 * half + 3] = _mm512_unpackhi_epi32(low1, high1);
  }
}

/** Marks the streams whose hash is a candidate's. */
SHREDDER_TARGET_AVX512 __attribute__((noinline)) static void mark(const __m512i x[WORDS],
                                                                  __m512i width, size_t position,
                                                                  size_t length, uint64_t *bitmap) {
  for (size_t r = 0; r < WORDS; r++) {
    uint32_t hits = _mm512_cmplt_epu64_mask(x[r], width);
    for (; hits != 0; hits &= hits - 1) {
      const size_t word = (size_t)__builtin_ctz(hits);
      const size_t row = 16 * (word / 2) + 2 * r + word % 2;
      shredder_mark(bitmap, row * length + position);
    }
  }
}

SHREDDER_TARGET_AVX512 void shredder_gear_avx512(const shredder_rule *rule, const uint8_t *bytes,
                                                 size_t begin, size_t end, uint64_t *bitmap) {
  enum { BEFORE = SHREDDER_GEAR_WINDOW - 1 };
  const size_t length = shredder_row_length(end - begin, SHREDDER_GEAR_WINDOW);
  if (length > 0) {
    planes table;
    split(rule->gear, &table);
    const __m512i width = _mm512_set1_epi64((long long)rule->width);
    __m512i x[WORDS];
    for (int r = 0; r < WORDS; r++) {
      x[r] = _mm512_setzero_si512();
    }
    for (size_t done = 0; done < BEFORE + length; done += SHREDDER_COLUMNS) {
      __m512i columns[SHREDDER_COLUMNS];
      shredder_transpose(bytes + begin + done - BEFORE, length, columns);
      for (size_t c = 0; c < SHREDDER_COLUMNS; c++) {
        __m512i words[WORDS];
        look_up(&table, columns[c], words);
#pragma GCC unroll 8
        for (int r = 0; r < WORDS; r++) {
          x[r] = _mm512_add_epi64(_mm512_add_epi64(x[r], x[r]), words[r]);
        }
        const __m512i least =
            _mm512_min_epu64(_mm512_min_epu64(_mm512_min_epu64(x[0], x[1]), _mm512_min_epu64(x[2], x[3])),
                             _mm512_min_epu64(_mm512_min_epu64(x[4], x[5]), _mm512_min_epu64(x[6], x[7])));
        if (__builtin_expect(_mm512_cmplt_epu64_mask(least, width) != 0, 0) && done + c >= BEFORE) {
          mark(x, width, begin + done + c - BEFORE, length, bitmap);
        }
      }
    }
  }
  shredder_gear_scalar(rule, bytes, begin + SHREDDER_ROWS * length, end, bitmap);
}

#endif
