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
 * Rabin fingerprints: the window's bytes are the coefficients of a polynomial over GF(2), the fingerprint
 * is its remainder modulo an irreducible one.
 *
 * Source: M. O. Rabin, "Fingerprinting by random polynomials", Harvard TR-15-81, 1981; A. Z. Broder, "Some
 * applications of Rabin's fingerprinting method", 1993, for the tables.
 *
 *   f' = (f x^8 + byte) mod P  -  (byte that leaves) x^(8 window) mod P
 *
 * Both remainders are looked up by a byte. The look-up by the top byte of f is all that one step waits for;
 * several streams run side by side to fill the wait.
 */
#include "kernels.h"

enum { STREAMS = 4 };

static uint32_t degree_of(uint64_t polynomial) {
  return 63 - (uint32_t)__builtin_clzll(polynomial);
}

/** value x mod P, for a value already reduced. */
static uint64_t times_x(const shredder_rule *rule, uint64_t value) {
  value <<= 1;
  return (value >> rule->degree) & 1 ? value ^ rule->polynomial : value;
}

/** value x^8 mod P. */
static uint64_t times_x8(const shredder_rule *rule, uint64_t value) {
  for (int i = 0; i < 8; i++) {
    value = times_x(rule, value);
  }
  return value;
}

/** The remainders of all bytes from those of the eight powers of x: the map is linear. */
static void combine(const uint64_t power[8], uint64_t table[256]) {
  table[0] = 0;
  for (unsigned byte = 1; byte < 256; byte++) {
    table[byte] = table[byte & (byte - 1)] ^ power[__builtin_ctz(byte)];
  }
}

/** Which bits of a byte add to one of a fingerprint, by what each bit of the byte is mapped to. */
static uint64_t row_of(const uint64_t power[8], int bit) {
  uint64_t row = 0;
  for (int j = 0; j < 8; j++) {
    row |= ((power[j] >> bit) & 1) << j;
  }
  return row;
}

/**
 * A matrix as GF2P8AFFINEQB takes it: byte 7 - i of the operand is the row that makes bit i of the result.
 *
 * @param power what each bit of the argument is mapped to
 */
static uint64_t matrix_of(const uint64_t power[8]) {
  uint64_t matrix = 0;
  for (int i = 0; i < 8; i++) {
    matrix |= row_of(power, i) << (8 * (7 - i));
  }
  return matrix;
}

shredder_status shredder_prepare_rabin(shredder_rule *rule, uint64_t polynomial, uint32_t window,
                                       uint32_t mask_bits, uint64_t marker) {
  if (polynomial < UINT64_C(1) << SHREDDER_MIN_DEGREE ||
      polynomial >= UINT64_C(2) << SHREDDER_MAX_DEGREE || window < 1 ||
      window > SHREDDER_MAX_WINDOW || mask_bits < 1 || mask_bits > degree_of(polynomial) ||
      marker >> mask_bits != 0) {
    return SHREDDER_BAD_ARGUMENT;
  }
  *rule = (shredder_rule){.window = window,
                          .polynomial = polynomial,
                          .mask = (UINT64_C(1) << mask_bits) - 1,
                          .marker = marker,
                          .degree = degree_of(polynomial),
                          .mask_bits = mask_bits};
  uint64_t power[8];
  /* The degree is above 8, so that these need no reduction. */
  for (int j = 0; j < 8; j++) {
    power[j] = UINT64_C(1) << j;
  }
  for (uint32_t distance = 0; distance < window; distance++) {
    const uint32_t word = distance / 8;
    if (shredder_rabin_has_next(rule)) {
      const uint32_t byte = shredder_rabin_word(window, word) - distance;
      for (int k = 0; k < 8; k++) {
        rule->next[word][k] |= row_of(power, 8 + k) << (8 * byte);
      }
    }
    rule->low[distance] = matrix_of(power);
    for (int j = 0; j < 8; j++) {
      power[j] = times_x8(rule, power[j]);
    }
  }
  combine(power, rule->leave);
  uint64_t remainder = UINT64_C(1) << (rule->degree - 1);
  for (int j = 0; j < 8; j++) {
    remainder = times_x(rule, remainder);
    power[j] = remainder | UINT64_C(1) << (rule->degree + (uint32_t)j);
  }
  combine(power, rule->reduce);
  rule->kind = SHREDDER_RABIN;
  return SHREDDER_OK;
}

static inline uint64_t append(const uint64_t *reduce, uint32_t shift, uint64_t f, uint8_t byte) {
  /* The top byte of f is below 256 by its degree; the cast keeps a broken rule inside the table. */
  return ((f << 8) | byte) ^ reduce[(uint8_t)(f >> shift)];
}

uint64_t shredder_rabin_at(const shredder_rule *rule, const uint8_t *bytes) {
  uint64_t f = 0;
  for (ptrdiff_t i = -(ptrdiff_t)(rule->window - 1); i <= 0; i++) {
    f = append(rule->reduce, rule->degree - 8, f, bytes[i]);
  }
  return f;
}

void shredder_rabin_scalar(const shredder_rule *rule, const uint8_t *bytes, size_t begin,
                           size_t end, uint64_t *bitmap) {
  const uint64_t *reduce = rule->reduce;
  const uint64_t *leave = rule->leave;
  const uint32_t shift = rule->degree - 8;
  const uint64_t mask = rule->mask;
  const uint64_t marker = rule->marker;
  const ptrdiff_t window = (ptrdiff_t)rule->window;
  const size_t part = (end - begin) / STREAMS;
  if (part > 0) {
    uint64_t f[STREAMS];
    /* A part's first position has no byte that leaves: it may lie in front of what may be read. */
    for (size_t s = 0; s < STREAMS; s++) {
      f[s] = shredder_rabin_at(rule, bytes + begin + s * part);
      if ((f[s] & mask) == marker) {
        shredder_mark(bitmap, begin + s * part);
      }
    }
    for (size_t i = begin + 1; i < begin + part; i++) {
#pragma GCC unroll 4
      for (size_t s = 0; s < STREAMS; s++) {
        const uint8_t *at = bytes + s * part + i;
        f[s] = append(reduce, shift, f[s], at[0]) ^ leave[at[-window]];
        if (__builtin_expect((f[s] & mask) == marker, 0)) {
          shredder_mark(bitmap, s * part + i);
        }
      }
    }
  }
  for (size_t i = begin + STREAMS * part; i < end; i++) {
    if ((shredder_rabin_at(rule, bytes + i) & mask) == marker) {
      shredder_mark(bitmap, i);
    }
  }
}
