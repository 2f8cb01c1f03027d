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
#include "sieve.h"

enum { FIELD = 0x11D };

static uint8_t times_g(uint8_t value) {
  return (uint8_t)(value << 1 ^ (value >> 7) * (FIELD & 0xFF));
}

uint8_t sieve_at(const uint8_t *bytes) {
  uint8_t sum = 0;
  for (ptrdiff_t i = -(SIEVE_WINDOW - 1); i <= 0; i++) {
    sum = times_g(sum) ^ bytes[i];
  }
  return sum;
}

uint64_t gear_at(const shredder_rule *rule, const uint8_t *bytes) {
  enum { PARTS = 4, PART = SHREDDER_GEAR_WINDOW / PARTS };
  uint64_t x[PARTS] = {0};
  for (ptrdiff_t i = 0; i < PART; i++) {
#pragma GCC unroll 4
    for (ptrdiff_t part = 0; part < PARTS; part++) {
      x[part] = (x[part] << 1) + rule->gear[bytes[i - (part + 1) * PART + 1]];
    }
  }
  return x[0] + (x[1] << PART) + (x[2] << 2 * PART) + (x[3] << 3 * PART);
}

void sieved_gear_scalar(const shredder_rule *rule, const uint8_t *bytes, size_t begin, size_t end,
                        uint64_t *bitmap) {
  for (size_t i = begin; i < end; i++) {
    if (sieve_at(bytes + i) == SIEVE_MARKER && gear_at(rule, bytes + i) < rule->width) {
      shredder_mark(bitmap, i);
    }
  }
}

#if SHREDDER_X86

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,gfni,bmi")))

/** Multiplication by g^power as a matrix. */
static long long matrix(int power) {
  uint64_t rows = 0;
  for (int j = 0; j < 8; j++) {
    uint8_t image = (uint8_t)(1 << j);
    for (int i = 0; i < power; i++) {
      image = times_g(image);
    }
    for (int i = 0; i < 8; i++) {
      rows |= (uint64_t)((image >> i) & 1) << (8 * (7 - i) + j);
    }
  }
  return (long long)rows;
}

/** Sums over 1, 2, 4, 8 and 16 bytes at 64 positions: what the next 64 need of them. */
typedef struct sums {
  __m512i of[5];
} sums;

typedef struct powers {
  __m512i of[5];
} powers;

TARGET static inline powers make_powers(void) {
  powers p;
  for (int i = 0; i < 5; i++) {
    p.of[i] = _mm512_set1_epi64(matrix(1 << i));
  }
  return p;
}

/** The bytes `by` places before those of `here`, which follow those of `before`. */
#define SHIFTED(here, before, by)                                                        \
  _mm512_alignr_epi8(here, _mm512_alignr_epi64(here, before, 6), 16 - (by))

TARGET static inline __m512i double_up(__m512i here, __m512i earlier, __m512i power) {
  return _mm512_xor_si512(here, _mm512_gf2p8affine_epi64_epi8(earlier, power, 0));
}

/** The hash at the 64 positions after the bytes given; `before` goes on from one call to the next. */
TARGET static inline __m512i hash(__m512i bytes, const powers *p, sums *before) {
  const __m512i two = double_up(bytes, SHIFTED(bytes, before->of[0], 1), p->of[0]);
  const __m512i four = double_up(two, SHIFTED(two, before->of[1], 2), p->of[1]);
  const __m512i eight = double_up(four, SHIFTED(four, before->of[2], 4), p->of[2]);
  const __m512i sixteen = double_up(eight, SHIFTED(eight, before->of[3], 8), p->of[3]);
  const __m512i all =
      double_up(sixteen, _mm512_alignr_epi64(sixteen, before->of[4], 6), p->of[4]);
  *before = (sums){{bytes, two, four, eight, sixteen}};
  return all;
}

/** Begins in front of bytes[0]. Reads bytes[-63] to bytes[-1]. */
TARGET static inline sums start(const uint8_t *bytes, const powers *p) {
  sums before;
  for (int i = 0; i < 5; i++) {
    before.of[i] = _mm512_setzero_si512();
  }
  hash(_mm512_maskz_loadu_epi8(~UINT64_C(1), bytes - 64), p, &before);
  return before;
}

TARGET static inline uint64_t sieve64(const uint8_t *bytes, size_t n, const powers *p,
                                      sums *before) {
  const uint64_t valid = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
  const __m512i here =
      n >= 64 ? _mm512_loadu_si512(bytes) : _mm512_maskz_loadu_epi8(valid, bytes);
  return valid &
         _mm512_cmpeq_epi8_mask(hash(here, p, before), _mm512_set1_epi8((char)SIEVE_MARKER));
}

TARGET void sieved_gear_avx512(const shredder_rule *rule, const uint8_t *bytes, size_t begin,
                               size_t end, uint64_t *bitmap) {
  const powers p = make_powers();
  sums before = start(bytes + begin, &p);
  for (size_t at = begin; at < end; at += 64) {
    uint64_t left = sieve64(bytes + at, end - at, &p, &before);
    for (; left != 0; left &= left - 1) {
      const size_t i = at + (size_t)__builtin_ctzll(left);
      if (gear_at(rule, bytes + i) < rule->width) {
        shredder_mark(bitmap, i);
      }
    }
  }
}

TARGET size_t sieved_gear_first(const shredder_rule *rule, const uint8_t *bytes, size_t begin,
                                size_t end) {
  const powers p = make_powers();
  sums before = start(bytes + begin, &p);
  for (size_t at = begin; at < end; at += 64) {
    uint64_t left = sieve64(bytes + at, end - at, &p, &before);
    for (; left != 0; left &= left - 1) {
      const size_t i = at + (size_t)__builtin_ctzll(left);
      if (gear_at(rule, bytes + i) < rule->width) {
        return i;
      }
    }
  }
  return end;
}

#endif
