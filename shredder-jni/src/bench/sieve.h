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
 * Sieved Gear, an experiment: a candidate is a position that Gear accepts and that a second, byte-wide hash
 * of the last 32 bytes accepts, too. Both are functions of the window alone, so cuts are as local as Gear's;
 * and in which order they are asked makes no difference to the result. A processor with vectors of bytes
 * asks the narrow hash first, at 64 positions at once, and hashes with Gear the one position in 256 that is
 * left; one without asks Gear first, as ever, and the narrow hash at what Gear leaves.
 *
 * The narrow hash: the bytes are coefficients of a polynomial over GF(2^8), evaluated at a generator g of the
 * field's 255 units: s(p) = sum of g^k byte[p - 1 - k], for k from 0 to 31. Windows of doubling length follow
 * from each other, s_2n(p) = s_n(p) + g^n s_n(p - n), so that five multiplications by constants do for 64
 * positions, and no position waits for another.
 */
#ifndef SHREDDER_SIEVE_H
#define SHREDDER_SIEVE_H

#include "../main/c/kernels.h"

enum {
  SIEVE_WINDOW = 32,
  /** Not 0: equal bytes sum up to a multiple of themselves, and zeros to 0. */
  SIEVE_MARKER = 0x5B
};

/** The definition, for one position: the window ends with bytes[0]. */
uint8_t sieve_at(const uint8_t *bytes);

/** The Gear hash, less the rule's first, of the window that ends with bytes[0]. */
uint64_t gear_at(const shredder_rule *rule, const uint8_t *bytes);

/** Gear by `rule` among the positions that the sieve leaves, one in 256. */
shredder_kernel sieved_gear_scalar;
#if SHREDDER_X86
shredder_kernel sieved_gear_avx512;
/** The first candidate after one of bytes[begin] to bytes[end - 1], as the index of that byte, or `end`. */
size_t sieved_gear_first(const shredder_rule *rule, const uint8_t *bytes, size_t begin, size_t end);
#endif

#endif
