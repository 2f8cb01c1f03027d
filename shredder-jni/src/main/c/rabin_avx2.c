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
 * Rabin at 32 positions at a time. The fingerprint is linear over GF(2), so it is the sum of what
 * each byte of the window contributes, and the low 8 bits of a contribution are an 8 by 8 bit matrix times
 * the byte. GF2P8AFFINEQB multiplies 32 bytes by one matrix: after `window` of these, and as many additions,
 * there are the low 8 bits of 32 fingerprints.
 *
 * If more bits decide, one position in 256 survives this sieve. For those the next 8 bits are computed, and
 * if still more decide, one position in 2^16 has its fingerprint computed in full. So the result is exact;
 * with up to 8 bits the sieve itself is.
 *
 * The blocks are summed side by side, so that each matrix is loaded once for all of them.
 */
#include "kernels.h"

#if SHREDDER_X86

#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2,gfni")))

/** Four of the next bits of a fingerprint, each in its lane: those from bit 8 + k on, with k 0 or 4. */
TARGET static inline __m256i four_bits(const shredder_rule *rule, const uint8_t *bytes, int k) {
  __m256i sum = _mm256_setzero_si256();
  for (uint32_t word = 0; 8 * word < rule->window; word++) {
    long long of_window;
    memcpy(&of_window, bytes - shredder_rabin_word(rule->window, word), sizeof of_window);
    const __m256i counts = _mm256_loadu_si256((const __m256i *)(const void *)&rule->next[word][k]);
    sum = _mm256_xor_si256(sum, _mm256_and_si256(_mm256_set1_epi64x(of_window), counts));
  }
  /* The parity of each byte, and then how many of these are odd, which is even or odd as the bits are. */
  const __m256i all = _mm256_set1_epi64x((long long)UINT64_C(0xFF00000000000000));
  const __m256i odd = _mm256_gf2p8affine_epi64_epi8(sum, all, 0);
  return _mm256_sad_epu8(odd, _mm256_setzero_si256());
}

/** Whether the window that ends with bytes[0] makes a candidate, if the low 8 bits of its fingerprint do. */
TARGET static inline bool survives(const shredder_rule *rule, const uint8_t *bytes) {
  if (shredder_rabin_has_next(rule)) {
    /* To bit 63, where they can be gathered. */
    const __m256d low = _mm256_castsi256_pd(_mm256_slli_epi64(four_bits(rule, bytes, 0), 63));
    const __m256d high = _mm256_castsi256_pd(_mm256_slli_epi64(four_bits(rule, bytes, 4), 63));
    const uint64_t next = (uint64_t)(_mm256_movemask_pd(low) | _mm256_movemask_pd(high) << 4);
    if (((next << 8 ^ rule->marker) & rule->mask & 0xFF00) != 0) {
      return false;
    }
    if (rule->mask_bits <= 16) {
      return true;
    }
  }
  return (shredder_rabin_at(rule, bytes) & rule->mask) == rule->marker;
}

/** Of the positions that the sieve has left, after bytes[0] to bytes[63], the candidates. */
TARGET static inline uint64_t candidates(const shredder_rule *rule, const uint8_t *bytes, uint64_t left) {
  if (rule->mask_bits <= 8) {
    return left;
  }
  uint64_t kept = left;
  for (; left != 0; left &= left - 1) {
    if (!survives(rule, bytes + __builtin_ctzll(left))) {
      kept ^= left & -left;
    }
  }
  return kept;
}

TARGET void shredder_rabin_avx2(const shredder_rule *rule, const uint8_t *bytes, size_t begin, size_t end,
                                uint64_t *bitmap) {
  enum { BLOCKS = 8, ROUND = 32 * BLOCKS };
  const uint32_t window = rule->window;
  const __m256i mask = _mm256_set1_epi8((char)rule->mask);
  size_t done = begin;
  for (; done + ROUND <= end; done += ROUND) {
    const uint8_t *at = bytes + done;
    __m256i sum[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) {
      sum[b] = _mm256_set1_epi8((char)rule->marker);
    }
    for (uint32_t distance = 0; distance < window; distance++) {
      const __m256i low = _mm256_set1_epi64x((long long)rule->low[distance]);
      const uint8_t *byte = at - distance;
#pragma GCC unroll 8
      for (int b = 0; b < BLOCKS; b++) {
        const __m256i block = _mm256_loadu_si256((const __m256i *)(const void *)(byte + 32 * b));
        sum[b] = _mm256_xor_si256(sum[b], _mm256_gf2p8affine_epi64_epi8(block, low, 0));
      }
    }
    for (int b = 0; b < BLOCKS; b += 2) {
      const __m256i zero = _mm256_setzero_si256();
      const __m256i one = _mm256_cmpeq_epi8(_mm256_and_si256(sum[b], mask), zero);
      const __m256i two = _mm256_cmpeq_epi8(_mm256_and_si256(sum[b + 1], mask), zero);
      const uint64_t left = (uint32_t)_mm256_movemask_epi8(one) |
                            (uint64_t)(uint32_t)_mm256_movemask_epi8(two) << 32;
      if (left != 0) {
        bitmap[done / 64 + (size_t)b / 2] = candidates(rule, at + 32 * b, left);
      }
    }
  }
  shredder_rabin_scalar(rule, bytes, done, end, bitmap);
}

#endif
