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
 * Fuzz target: any rule, any range, any bytes. Every level of instructions must give the candidates that
 * the definition gives, or refuse what is no rule; and must read nothing outside the window and range,
 * which the address sanitizer sees because the bytes lie in a block of exactly their size.
 *
 * Input: a header (struct header, any values), then the bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shredder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct header {
  uint8_t kind;
  uint8_t window;
  uint8_t mask_bits;
  uint8_t repeat;
  uint16_t from;
  uint16_t tail;
  uint64_t a;
  uint64_t b;
};

static void fail(const char *what, const char *expected, size_t at) {
  fprintf(stderr, "%s: %s at %zu\n", what, expected, at);
  abort();
}

/** With the low 16 bits of the sieved rule's table, or without. */
static uint64_t gear_hash(const uint8_t *end, bool sieved) {
  static uint64_t tables[2][256];
  uint64_t *const table = tables[sieved];
  if (table[0] == 0) {
    uint64_t state = 0;
    for (int i = 0; i < 256; i++) {
      state += UINT64_C(0x9E3779B97F4A7C15);
      uint64_t z = state;
      z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
      z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
      table[i] = z ^ (z >> 31);
      if (sieved) {
        table[i] += (uint64_t)i * 0x9E37 % 65536 - table[i] % 65536;
      }
    }
  }
  uint64_t hash = 0;
  for (int distance = 0; distance < 64; distance++) {
    hash += table[*(end - 1 - distance)] << distance;
  }
  return hash;
}

static uint64_t rabin_fingerprint(const uint8_t *end, uint32_t window, uint64_t polynomial) {
  const int degree = 63 - __builtin_clzll(polynomial);
  uint64_t remainder = 0;
  for (const uint8_t *byte = end - window; byte < end; byte++) {
    for (int bit = 7; bit >= 0; bit--) {
      remainder = remainder << 1 | ((*byte >> bit) & 1);
      if (remainder >> degree & 1) {
        remainder ^= polynomial;
      }
    }
  }
  return remainder;
}

static bool is_candidate(const shredder_rule *rule, const struct header *h, const uint8_t *end) {
  if (rule->kind == SHREDDER_GEAR) {
    return gear_hash(end, false) - h->a < h->b;
  }
  if (rule->kind == SHREDDER_SIEVED_GEAR) {
    const uint64_t hash = gear_hash(end, true);
    return hash / 64 % 1024 == 0x2A5 && hash < h->b;
  }
  const uint64_t mask = (UINT64_C(1) << h->mask_bits) - 1;
  return (rabin_fingerprint(end, h->window, h->a) & mask) == h->b;
}

static void compare(const shredder_rule *rule, const struct header *h, const uint8_t *bytes,
                    size_t from, size_t to) {
  for (int level = SHREDDER_SCALAR; level <= (int)shredder_best_level(); level++) {
    shredder_positions found = {0};
    if (shredder_search(rule, (shredder_level)level, bytes, from, to, &found) != SHREDDER_OK) {
      fail("refused", "a legal range", from);
    }
    size_t next = 0;
    for (size_t p = from + 1; p <= to; p++) {
      const bool is = next < found.count && (size_t)found.at[next] == p;
      if (is != is_candidate(rule, h, bytes + p)) {
        fprintf(stderr, "level %d, kind %x, window %u, range %zu to %zu: ", level, rule->kind,
                rule->window, from, to);
        fail("differs", is ? "a candidate too many" : "a candidate missing", p);
      }
      next += is;
    }
    if (next != found.count) {
      fail("differs", "positions out of order or range", next);
    }
    shredder_positions_free(&found);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct header h;
  if (size < sizeof h) {
    return 0;
  }
  memcpy(&h, data, sizeof h);
  data += sizeof h;
  size -= sizeof h;

  /* On the heap, so that the sanitizer watches its edges, too. */
  shredder_rule *rule = malloc(sizeof *rule);
  if (rule == NULL) {
    abort();
  }
  memset(rule, 0xA5, sizeof *rule);
  shredder_positions none = {0};
  if (shredder_search(rule, SHREDDER_SCALAR, data, 0, 0, &none) != SHREDDER_BAD_ARGUMENT) {
    fail("accepted", "memory that is no rule", 0);
  }
  if (h.kind % 3 == 0) {
    shredder_prepare_gear(rule, h.a, h.b);
  } else if (h.kind % 3 == 1) {
    shredder_prepare_sieved_gear(rule, h.b);
  } else if (shredder_prepare_rabin(rule, h.a, h.window, h.mask_bits, h.b) != SHREDDER_OK) {
    /* Most random values are none: make the nearest rule of them. */
    h.window = (uint8_t)(1 + h.window % SHREDDER_MAX_WINDOW);
    h.a = (h.a & ((UINT64_C(2) << SHREDDER_MAX_DEGREE) - 1)) | UINT64_C(1) << SHREDDER_MIN_DEGREE;
    const unsigned degree = 63 - (unsigned)__builtin_clzll(h.a);
    h.mask_bits = (uint8_t)(1 + h.mask_bits % degree);
    h.b &= (UINT64_C(1) << h.mask_bits) - 1;
    if (shredder_prepare_rabin(rule, h.a, h.window, h.mask_bits, h.b) != SHREDDER_OK) {
      fail("refused", "a legal rule", 0);
    }
  }

  const size_t length = size * (1 + h.repeat % 16);
  uint8_t *bytes = malloc(length == 0 ? 1 : length);
  if (bytes == NULL) {
    abort();
  }
  for (size_t i = 0; i < length; i += size) {
    memcpy(bytes + i, data, size);
  }
  const size_t least = rule->window - 1;
  if (length >= least) {
    const size_t from = least + h.from % (length - least + 1);
    const size_t to = length - h.tail % (length - from + 1);
    /* Bytes in front of the first window must not be read, either. */
    uint8_t *exact = malloc(to - from + least + (to == from && least == 0));
    if (exact == NULL) {
      abort();
    }
    memcpy(exact, bytes + (from - least), to - from + least);
    compare(rule, &h, exact, least, least + (to - from));
    free(exact);
    compare(rule, &h, bytes, from, to);
    if (least > 0 &&
        shredder_search(rule, SHREDDER_SCALAR, bytes, least - 1, to, &none) !=
            SHREDDER_BAD_ARGUMENT) {
      fail("accepted", "a range without its first window", least - 1);
    }
  }
  if (shredder_search(rule, (shredder_level)(shredder_best_level() + 1), bytes, length, length,
                      &none) != SHREDDER_BAD_ARGUMENT) {
    fail("accepted", "instructions that the processor lacks", 0);
  }
  free(bytes);
  free(rule);
  return 0;
}
