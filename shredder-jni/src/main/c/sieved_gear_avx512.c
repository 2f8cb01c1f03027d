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

/* Sieved Gear, 64 positions at a time: see sieve.h. */
#include "sieve.h"

#if SHREDDER_X86

#define TARGET __attribute__((target("avx512f,avx512bw,bmi2")))

enum { STEP = 64 };

/** Sums over 4 and 8 bytes at every second of 64 positions: what the next 64 need of them. */
typedef struct sums {
  __m512i four;
  __m512i eight;
} sums;

TARGET static inline __m512i weigh(__m512i bytes, short weights) {
  return _mm512_maddubs_epi16(bytes, _mm512_set1_epi16(weights));
}

/**
 * The low 16 bits of the hash, divided by the factor, at every second position. The bytes end with those of the
 * positions, and `earlier` two bytes before.
 */
TARGET static inline __m512i sixteen(__m512i bytes, __m512i earlier, sums *before) {
  const __m512i four = _mm512_add_epi16(weigh(bytes, SHREDDER_WEIGHTS(2, 1)),
                                        weigh(earlier, SHREDDER_WEIGHTS(8, 4)));
  const __m512i eight = _mm512_add_epi16(
      four, _mm512_slli_epi16(_mm512_alignr_epi32(four, before->four, 15), 4));
  const __m512i all = _mm512_add_epi16(
      eight, _mm512_slli_epi16(_mm512_alignr_epi64(eight, before->eight, 7), 8));
  *before = (sums){four, eight};
  return all;
}

/** Begins in front of bytes[0]. Reads no more than the 63 bytes before it. */
TARGET static inline sums start(const uint8_t *bytes) {
  /* Of the first positions the sums are wrong, but only those of the last are used. */
  const __mmask64 valid = ~UINT64_C(0xF);
  sums before = {_mm512_setzero_si512(), _mm512_setzero_si512()};
  sixteen(_mm512_maskz_loadu_epi8(valid, bytes - STEP - 1),
          _mm512_maskz_loadu_epi8(valid, bytes - STEP - 3), &before);
  return before;
}

TARGET static inline __mmask32 sieve(const uint8_t *bytes, sums *before) {
  const __m512i hash = _mm512_mullo_epi16(
      sixteen(_mm512_loadu_si512(bytes - 1), _mm512_loadu_si512(bytes - 3), before),
      _mm512_set1_epi16((short)SHREDDER_SIEVE_FACTOR));
  return _mm512_cmpeq_epi16_mask(
      _mm512_and_si512(hash, _mm512_set1_epi16((short)SHREDDER_SIEVE_MASK)),
      _mm512_set1_epi16((short)SHREDDER_SIEVE_MARKER));
}

TARGET void shredder_sieved_gear_avx512(const shredder_rule *rule, const uint8_t *bytes, size_t begin,
                                        size_t end, uint64_t *bitmap) {
  sums even = start(bytes + begin);
  sums odd = start(bytes + begin + 1);
  size_t at = begin;
  for (; end - at >= STEP; at += STEP) {
    const __mmask32 left_even = sieve(bytes + at, &even);
    const __mmask32 left_odd = sieve(bytes + at + 1, &odd);
    if (__builtin_expect((left_even | left_odd) != 0, 0)) {
      const uint64_t left = _pdep_u64(left_even, UINT64_C(0x5555555555555555)) |
                            _pdep_u64(left_odd, UINT64_C(0xAAAAAAAAAAAAAAAA));
      shredder_mark_accepted(rule, bytes, at, left, bitmap);
    }
  }
  shredder_sieved_gear_scalar(rule, bytes, at, end, bitmap);
}

#endif
