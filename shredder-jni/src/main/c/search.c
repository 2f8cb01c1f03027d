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
 * From inner loops to ascending positions. A source is searched tile by tile; a tile's candidates are bits
 * first, because several streams come upon them out of order, and because a bitmap has room for any number.
 */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

/*
 * Positions per tile. Large enough that what each of a tile's streams repeats of its window is little;
 * small enough for a bitmap on the stack and bytes that stay in the second-level cache. A multiple of 64.
 */
#ifndef SHREDDER_TILE
#define SHREDDER_TILE (1 << 17)
#endif
enum { TILE = SHREDDER_TILE };

shredder_level shredder_best_level(void) {
#if SHREDDER_X86
  /* These ask the operating system, too, whether it saves the registers. */
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) {
    if (__builtin_cpu_supports("gfni") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi")) {
      return SHREDDER_AVX512;
    }
    return SHREDDER_AVX2;
  }
#endif
  return SHREDDER_SCALAR;
}

bool shredder_is_rule(const shredder_rule *rule) {
  switch (rule->kind) {
    case SHREDDER_GEAR:
    case SHREDDER_SIEVED_GEAR:
      return rule->window == SHREDDER_GEAR_WINDOW;
    case SHREDDER_RABIN:
      return rule->window >= 1 && rule->window <= SHREDDER_MAX_WINDOW &&
             rule->degree >= SHREDDER_MIN_DEGREE && rule->degree <= SHREDDER_MAX_DEGREE;
    default:
      return false;
  }
}

/** The form of a rule that is fastest at a level: vectors gain nothing for Gear without a sieve. */
static shredder_kernel *kernel_for(const shredder_rule *rule, shredder_level level) {
  if (rule->kind == SHREDDER_GEAR) {
    return shredder_gear_scalar;
  }
  const bool sieved = rule->kind == SHREDDER_SIEVED_GEAR;
#if SHREDDER_X86
  if (level >= SHREDDER_AVX512) {
    return sieved ? shredder_sieved_gear_avx512 : shredder_rabin_avx512;
  }
  if (level >= SHREDDER_AVX2 && sieved) {
    return shredder_sieved_gear_avx2;
  }
  if (level >= SHREDDER_AVX2 && __builtin_cpu_supports("gfni")) {
    return shredder_rabin_avx2;
  }
#else
  (void)level;
#endif
  return sieved ? shredder_sieved_gear_scalar : shredder_rabin_scalar;
}

static bool reserve(shredder_positions *positions, size_t more) {
  if (more <= positions->capacity - positions->count) {
    return true;
  }
  size_t capacity = 2 * positions->capacity + more + 64;
  int32_t *grown = realloc(positions->at, capacity * sizeof *grown);
  if (grown == NULL) {
    return false;
  }
  positions->at = grown;
  positions->capacity = capacity;
  return true;
}

void shredder_positions_free(shredder_positions *positions) {
  free(positions->at);
  *positions = (shredder_positions){0};
}

/** Appends the positions after the bytes whose bits are set; bit 0 stands for the byte at `first`. */
static bool take(const uint64_t *bitmap, size_t words, size_t first, shredder_positions *found) {
  for (size_t w = 0; w < words; w++) {
    uint64_t bits = bitmap[w];
    if (bits == 0) {
      continue;
    }
    if (!reserve(found, (size_t)__builtin_popcountll(bits))) {
      return false;
    }
    for (; bits != 0; bits &= bits - 1) {
      const size_t byte = first + 64 * w + (size_t)__builtin_ctzll(bits);
      found->at[found->count++] = (int32_t)(byte + 1);
    }
  }
  return true;
}

shredder_status shredder_search(const shredder_rule *rule, shredder_level level,
                                const uint8_t *bytes, size_t from, size_t to,
                                shredder_positions *found) {
  if (!shredder_is_rule(rule) || level > shredder_best_level() || from < rule->window - 1 ||
      from > to || to > INT32_MAX) {
    return SHREDDER_BAD_ARGUMENT;
  }
  shredder_kernel *kernel = kernel_for(rule, level);
  uint64_t bitmap[TILE / 64];
  for (size_t at = from; at < to;) {
    const size_t n = to - at < TILE ? to - at : TILE;
    const size_t words = (n + 63) / 64;
    memset(bitmap, 0, words * sizeof *bitmap);
    kernel(rule, bytes + at, 0, n, bitmap);
    if (!take(bitmap, words, at, found)) {
      return SHREDDER_NO_MEMORY;
    }
    at += n;
  }
  return SHREDDER_OK;
}
