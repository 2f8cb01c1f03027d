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
 * Gear: h' = 2h + GEAR[byte], 64 bits wide.
 *
 * Source: W. Xia et al., "Ddelta: a deduplication-inspired fast delta compression approach",
 * Performance Evaluation 79, 2014, section 3.2.
 *
 * A rule's range may begin anywhere: candidate iff h - first < width. Instead of a subtraction per byte,
 * the loop keeps x = h - first itself. From h' = 2h + g follows x' = 2x + (g + first), so first goes into
 * the table; and 64 steps from any state give the same x, for what was there before is shifted out.
 *
 * One stream waits for its own chain of shift, add and load, so several run side by side, each over a part
 * of its own. One comparison per byte is exact; it almost never succeeds, so it is predicted.
 */
#include "kernels.h"

enum {
  STREAMS = 4,
  /** Bytes that a stream takes between two looks at where it is: a quarter faster than with one. */
  TOGETHER = 4
};

void shredder_gear_table(uint64_t table[256]) {
  /* Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014. */
  uint64_t state = 0;
  for (int i = 0; i < 256; i++) {
    state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    table[i] = z ^ (z >> 31);
  }
}

void shredder_prepare_gear(shredder_rule *rule, uint64_t first, uint64_t width) {
  *rule = (shredder_rule){.window = SHREDDER_GEAR_WINDOW, .first = first, .width = width};
  shredder_gear_table(rule->gear);
  for (int i = 0; i < 256; i++) {
    rule->gear[i] += first;
  }
  rule->kind = SHREDDER_GEAR;
}

static inline uint64_t step(const uint64_t *table, uint64_t x, uint8_t byte) {
  return (x << 1) + table[byte];
}

void shredder_prepare_sieved_gear(shredder_rule *rule, uint64_t width) {
  /* The hash less the marker has zeros where the hash has the marker, and zeros are quicker to test for. */
  const uint64_t first = SHREDDER_SIEVE_MARKER;
  *rule = (shredder_rule){.window = SHREDDER_GEAR_WINDOW, .first = first, .width = width};
  shredder_gear_table(rule->gear);
  for (uint64_t i = 0; i < 256; i++) {
    const uint64_t low = i * SHREDDER_SIEVE_FACTOR & 0xFFFF;
    rule->gear[i] = ((rule->gear[i] & ~UINT64_C(0xFFFF)) | low) + first;
  }
  rule->kind = SHREDDER_SIEVED_GEAR;
}

uint64_t shredder_gear_at(const shredder_rule *rule, const uint8_t *bytes) {
  /* Four chains instead of one. */
  enum { PARTS = 4, PART = SHREDDER_GEAR_WINDOW / PARTS };
  uint64_t x[PARTS] = {0};
  for (ptrdiff_t i = 0; i < PART; i++) {
#pragma GCC unroll 4
    for (ptrdiff_t part = 0; part < PARTS; part++) {
      x[part] = step(rule->gear, x[part], bytes[i - (part + 1) * PART + 1]);
    }
  }
  return x[0] + (x[1] << PART) + (x[2] << 2 * PART) + (x[3] << 3 * PART);
}

/** The state before bytes[0], from the bytes of its window that come before it. */
static uint64_t warm_up(const uint64_t *table, const uint8_t *bytes) {
  uint64_t x = 0;
  for (ptrdiff_t i = -(SHREDDER_GEAR_WINDOW - 1); i < 0; i++) {
    x = step(table, x, bytes[i]);
  }
  return x;
}

static inline bool accepts(uint64_t x, uint64_t width, bool sieved) {
  if (sieved) {
    return __builtin_expect((x & SHREDDER_SIEVE_MASK) == 0, 0) && x + SHREDDER_SIEVE_MARKER < width;
  }
  return __builtin_expect(x < width, 0);
}

/** For both kinds; compiled once for each. */
static inline __attribute__((always_inline)) void search(const shredder_rule *rule, const uint8_t *bytes,
                                                         size_t begin, size_t end, uint64_t *bitmap,
                                                         bool sieved) {
  const uint64_t *table = rule->gear;
  const uint64_t width = rule->width;
  const size_t part = (end - begin) / STREAMS / TOGETHER * TOGETHER;
  uint64_t x[STREAMS];
  for (size_t s = 0; s < STREAMS; s++) {
    x[s] = warm_up(table, bytes + begin + s * part);
  }
  for (size_t i = begin; i < begin + part; i += TOGETHER) {
#pragma GCC unroll 4
    for (size_t t = 0; t < TOGETHER; t++) {
#pragma GCC unroll 4
      for (size_t s = 0; s < STREAMS; s++) {
        x[s] = step(table, x[s], bytes[s * part + i + t]);
        if (accepts(x[s], width, sieved)) {
          shredder_mark(bitmap, s * part + i + t);
        }
      }
    }
  }
  const size_t rest = begin + STREAMS * part;
  uint64_t last = warm_up(table, bytes + rest);
  for (size_t i = rest; i < end; i++) {
    last = step(table, last, bytes[i]);
    if (accepts(last, width, sieved)) {
      shredder_mark(bitmap, i);
    }
  }
}

void shredder_gear_scalar(const shredder_rule *rule, const uint8_t *bytes, size_t begin,
                          size_t end, uint64_t *bitmap) {
  search(rule, bytes, begin, end, bitmap, false);
}

void shredder_sieved_gear_scalar(const shredder_rule *rule, const uint8_t *bytes, size_t begin,
                                 size_t end, uint64_t *bitmap) {
  search(rule, bytes, begin, end, bitmap, true);
}
