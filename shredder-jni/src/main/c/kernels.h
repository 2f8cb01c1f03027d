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
 * The inner loops. Each decides over the positions after bytes[begin] to bytes[end - 1], and sets bit i of
 * the bitmap if the position after bytes[i] is a candidate; it changes no other bits, which are zero before.
 * It reads from bytes[begin - (window - 1)] to bytes[end - 1] and nothing else.
 */
#ifndef SHREDDER_KERNELS_H
#define SHREDDER_KERNELS_H

#include "shredder.h"

typedef void shredder_kernel(const shredder_rule *rule, const uint8_t *bytes, size_t begin,
                             size_t end, uint64_t *bitmap);

shredder_kernel shredder_gear_scalar;
shredder_kernel shredder_sieved_gear_scalar;
shredder_kernel shredder_rabin_scalar;

#if defined(__x86_64__)
#define SHREDDER_X86 1
shredder_kernel shredder_sieved_gear_avx2;
shredder_kernel shredder_sieved_gear_avx512;
shredder_kernel shredder_rabin_avx2;
shredder_kernel shredder_rabin_avx512;
#endif

/** Gear's table: 256 outputs of SplitMix64 from seed 0. */
void shredder_gear_table(uint64_t table[256]);

/** The Gear hash, less the rule's `first`, of the window that ends with bytes[0]. */
uint64_t shredder_gear_at(const shredder_rule *rule, const uint8_t *bytes);

/** The Rabin fingerprint of the window that ends with bytes[0]. */
uint64_t shredder_rabin_at(const shredder_rule *rule, const uint8_t *bytes);

/**
 * Where a word begins of the window that ends with bytes[0]: how many bytes before. Words are counted from the
 * newest bytes; the last may hold some bytes of the word before it, which rule->next counts once.
 */
static inline uint32_t shredder_rabin_word(uint32_t window, uint32_t word) {
  const uint32_t first = 8 * word + 7;
  return first < window ? first : window - 1;
}

/** Whether rule->next can be used: the window fills a word, and bits that it knows decide. */
static inline bool shredder_rabin_has_next(const shredder_rule *rule) {
  return rule->window >= 8 && rule->mask_bits > 8;
}

static inline void shredder_mark(uint64_t *bitmap, size_t i) {
  bitmap[i / 64] |= UINT64_C(1) << (i % 64);
}

#endif
