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
 * Rabin in 64 rows. The fingerprint is linear over GF(2), so it is the sum of what each byte of the window
 * contributes, and the low 8 bits of a contribution are an 8 by 8 bit matrix times the byte. GF2P8AFFINEQB
 * multiplies a column of 64 bytes by one matrix: after `window` of these, and as many additions, there are
 * the low 8 bits of 64 fingerprints.
 */
#include "columns_avx512.h"

#if SHREDDER_X86

#include <string.h>

enum { SUMS = 8 };

/** What the next bits of a fingerprint must be, one in each lane. */
typedef struct next_bits {
  __m512i decide;
  __m512i marker;
} next_bits;

SHREDDER_TARGET_AVX512 static inline next_bits next_bits_of(const shredder_rule *rule) {
  const __m512i place = _mm512_set_epi64(15, 14, 13, 12, 11, 10, 9, 8);
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i mask = _mm512_srlv_epi64(_mm512_set1_epi64((long long)rule->mask), place);
  const __m512i marker = _mm512_srlv_epi64(_mm512_set1_epi64((long long)rule->marker), place);
  return (next_bits){_mm512_and_si512(mask, one), _mm512_and_si512(marker, one)};
}

/**
 * Whether the window that ends with bytes[0] makes a candidate, if the low 8 bits of its fingerprint do.
 *
 * Each of the next 8 bits is the parity of some bits of the window: of those that are set in a word of 8 bytes
 * of both window and rule->next, summed over the words. All eight are computed at once, each in its lane. If
 * still more bits decide, one position in 2^16 has its fingerprint computed in full.
 */
SHREDDER_TARGET_AVX512 static inline bool survives(const shredder_rule *rule, next_bits next,
                                                   const uint8_t *bytes) {
  if (shredder_rabin_has_next(rule)) {
    __m512i sum = _mm512_setzero_si512();
    for (uint32_t word = 0; 8 * word < rule->window; word++) {
      long long of_window;
      memcpy(&of_window, bytes - shredder_rabin_word(rule->window, word), sizeof of_window);
      sum = _mm512_ternarylogic_epi64(sum, _mm512_set1_epi64(of_window),
                                      _mm512_loadu_si512(rule->next[word]), 0x78);
    }
    /* The parity of each byte, and then how many of these are odd, which is even or odd as the bits are. */
    const __m512i all = _mm512_set1_epi64((long long)UINT64_C(0xFF00000000000000));
    const __m512i odd = _mm512_gf2p8affine_epi64_epi8(sum, all, 0);
    const __m512i parity = _mm512_sad_epu8(odd, _mm512_setzero_si512());
    if (_mm512_test_epi64_mask(_mm512_xor_si512(parity, next.marker), next.decide) != 0) {
      return false;
    }
    if (rule->mask_bits <= 16) {
      return true;
    }
  }
  return (shredder_rabin_at(rule, bytes) & rule->mask) == rule->marker;
}

/** Marks those of the rows that the sieve has left which are candidates. */
SHREDDER_TARGET_AVX512 static inline void mark(const shredder_rule *rule, next_bits next,
                                               const uint8_t *bytes, uint64_t sieved, size_t position,
                                               size_t length, uint64_t *bitmap) {
  do {
    const size_t i = (size_t)__builtin_ctzll(sieved) * length + position;
    if (rule->mask_bits <= 8 || survives(rule, next, bytes + i)) {
      shredder_mark(bitmap, i);
    }
    sieved &= sieved - 1;
  } while (sieved != 0);
}

SHREDDER_TARGET_AVX512 static inline void sum_up(const shredder_rule *rule, const __m512i *column,
                                                 __m512i sum[SUMS]) {
  const uint32_t window = rule->window;
  for (int s = 0; s < SUMS; s++) {
    sum[s] = _mm512_set1_epi8((char)rule->marker);
  }
  uint32_t distance = 0;
  for (; distance + 2 <= window; distance += 2) {
    const __m512i even = _mm512_set1_epi64((long long)rule->low[distance]);
    const __m512i odd = _mm512_set1_epi64((long long)rule->low[distance + 1]);
    const __m512i *at = column - distance;
    __m512i before = _mm512_load_si512(at - 1);
#pragma GCC unroll 8
    for (int s = 0; s < SUMS; s++) {
      const __m512i here = _mm512_load_si512(at + s);
      sum[s] = _mm512_ternarylogic_epi64(sum[s], _mm512_gf2p8affine_epi64_epi8(here, even, 0),
                                         _mm512_gf2p8affine_epi64_epi8(before, odd, 0), 0x96);
      before = here;
    }
  }
  if (distance < window) {
    const __m512i last = _mm512_set1_epi64((long long)rule->low[distance]);
#pragma GCC unroll 8
    for (int s = 0; s < SUMS; s++) {
      sum[s] = _mm512_xor_si512(
          sum[s], _mm512_gf2p8affine_epi64_epi8(_mm512_load_si512(column - distance + s), last, 0));
    }
  }
}

SHREDDER_TARGET_AVX512 void shredder_rabin_avx512(const shredder_rule *rule, const uint8_t *bytes,
                                                  size_t begin, size_t end, uint64_t *bitmap) {
  /* Columns of the window in front of those being summed, and how many come after them at a time. */
  enum { HISTORY = SHREDDER_MAX_WINDOW, FRESH = 8 * SHREDDER_COLUMNS };
  const size_t before = rule->window - 1;
  const size_t length = shredder_row_length(end - begin, rule->window);
  const __m512i mask = _mm512_set1_epi8((char)rule->mask);
  const next_bits next = next_bits_of(rule);
  __m512i columns[HISTORY + FRESH];
  for (int i = 0; i < HISTORY; i++) {
    columns[i] = _mm512_setzero_si512();
  }
  for (size_t done = 0; length > 0 && done < before + length; done += FRESH) {
    const size_t left = before + length - done;
    const size_t fresh = left < FRESH ? left : FRESH;
    for (size_t c = 0; c < fresh; c += SHREDDER_COLUMNS) {
      shredder_transpose(bytes + begin + done + c - before, length, columns + HISTORY + c);
    }
    /* One column in five has a row left, at random: they are listed first, without a branch to mispredict. */
    uint64_t sieved[FRESH];
    size_t where[FRESH];
    size_t listed = 0;
    for (size_t c = 0; c < fresh; c += SUMS) {
      __m512i sum[SUMS];
      sum_up(rule, columns + HISTORY + c, sum);
#pragma GCC unroll 8
      for (size_t s = 0; s < SUMS; s++) {
        sieved[listed] = _mm512_testn_epi8_mask(sum[s], mask);
        where[listed] = done + c + s;
        listed += sieved[listed] != 0;
      }
    }
    for (size_t i = 0; i < listed; i++) {
      if (where[i] >= before) {
        mark(rule, next, bytes, sieved[i], begin + where[i] - before, length, bitmap);
      }
    }
    for (int i = 0; i < HISTORY; i++) {
      columns[i] = columns[i + FRESH];
    }
  }
  shredder_rabin_scalar(rule, bytes, begin + SHREDDER_ROWS * length, end, bitmap);
}

#endif
