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
 * The sieve of sieved Gear: whether bits 6 to 15 of the hash equal a marker, at many positions at once.
 *
 * The low 16 bits of what byte b adds to the hash are F b for an odd factor F, so that those of the hash are
 * F s with s(p) = sum of 2^k byte[p - k], for k from 0 to 15: nothing is looked up, and no position waits for
 * another. Sums of doubling length follow from each other, s_2n(p) = s_n(p) + 2^n s_n(p - n). Positions lie in
 * lanes of 16 bits, every second one in one vector and those between in another, because VPMADDUBSW makes
 * pairs of neighbours into such lanes. One position in 1024 is left; it is hashed whole.
 */
#ifndef SHREDDER_SIEVE_H
#define SHREDDER_SIEVE_H

#include "kernels.h"

#if SHREDDER_X86

#include <immintrin.h>

/** Two weights for VPMADDUBSW, that of the lower byte first. */
#define SHREDDER_WEIGHTS(lower, upper) ((short)((upper) << 8 | (lower)))

/** Marks those of the positions whose bits are set that the whole hash accepts; bit 0 is that of `first`. */
static inline void shredder_mark_accepted(const shredder_rule *rule, const uint8_t *bytes, size_t first,
                                          uint64_t left, uint64_t *bitmap) {
  for (; left != 0; left &= left - 1) {
    const size_t i = first + (size_t)__builtin_ctzll(left);
    if (shredder_gear_at(rule, bytes + i) + rule->first < rule->width) {
      shredder_mark(bitmap, i);
    }
  }
}

#endif

#endif
