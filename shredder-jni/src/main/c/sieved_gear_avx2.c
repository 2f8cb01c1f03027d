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

/* Sieved Gear, 32 positions at a time: see sieve.h. */
#include "sieve.h"

#if SHREDDER_X86

#define TARGET __attribute__((target("avx2")))

TARGET static inline __m256i pairs(const uint8_t *bytes, short weights) {
  return _mm256_maddubs_epi16(_mm256_loadu_si256((const __m256i *)bytes), _mm256_set1_epi16(weights));
}

/** Sums over 8 bytes at bytes[0], bytes[2] and so on to bytes[30]. Reads from bytes[-7]. */
TARGET static inline __m256i eight(const uint8_t *bytes) {
  /* A weight is a signed byte: 128 is twice 64. */
  const __m256i far = pairs(bytes - 7, SHREDDER_WEIGHTS(64, 32));
  const __m256i near = _mm256_add_epi16(pairs(bytes - 1, SHREDDER_WEIGHTS(2, 1)),
                                        pairs(bytes - 3, SHREDDER_WEIGHTS(8, 4)));
  return _mm256_add_epi16(_mm256_add_epi16(near, pairs(bytes - 5, SHREDDER_WEIGHTS(32, 16))),
                          _mm256_add_epi16(far, far));
}

/** Ones in the lanes of those positions that are left; `before` goes on from one call to the next. */
TARGET static inline __m256i sieve(const uint8_t *bytes, __m256i *before) {
  const __m256i here = eight(bytes);
  const __m256i earlier =
      _mm256_alignr_epi8(here, _mm256_permute2x128_si256(*before, here, 0x21), 8);
  *before = here;
  const __m256i hash = _mm256_mullo_epi16(_mm256_add_epi16(here, _mm256_slli_epi16(earlier, 8)),
                                          _mm256_set1_epi16((short)SHREDDER_SIEVE_FACTOR));
  return _mm256_cmpeq_epi16(_mm256_and_si256(hash, _mm256_set1_epi16((short)SHREDDER_SIEVE_MASK)),
                            _mm256_set1_epi16((short)SHREDDER_SIEVE_MARKER));
}

TARGET void shredder_sieved_gear_avx2(const shredder_rule *rule, const uint8_t *bytes, size_t begin,
                                      size_t end, uint64_t *bitmap) {
  enum { STEP = 32 };
  const __m256i upper = _mm256_set1_epi16((short)0xFF00);
  __m256i even = eight(bytes + begin - STEP);
  __m256i odd = eight(bytes + begin - STEP + 1);
  size_t at = begin;
  for (; end - at >= STEP; at += STEP) {
    const __m256i left_even = sieve(bytes + at, &even);
    const __m256i left_odd = sieve(bytes + at + 1, &odd);
    const uint32_t left =
        (uint32_t)_mm256_movemask_epi8(_mm256_blendv_epi8(left_even, left_odd, upper));
    if (__builtin_expect(left != 0, 0)) {
      shredder_mark_accepted(rule, bytes, at, left, bitmap);
    }
  }
  shredder_sieved_gear_scalar(rule, bytes, at, end, bitmap);
}

#endif
