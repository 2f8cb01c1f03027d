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
 * BLAKE3's nodes, several at once: Jack O'Connor, Jean-Philippe Aumasson, Samuel Neves and Zooko
 * Wilcox-O'Hearn, BLAKE3: one function, fast everywhere, 2020.
 *
 * A message is divided into leaves of 1024 bytes (which BLAKE3 calls chunks). Each leaf, and each parent of two
 * nodes, has a chaining value; that of the root is the digest. Leaves are independent of each other, and so are
 * the parents on one level: a form computes as many nodes at once as its registers have lanes, of one message or
 * of several.
 */
#ifndef SHREDDER_BLAKE3_H
#define SHREDDER_BLAKE3_H

/* The chaining value with which BLAKE3 begins is SHA-256's initial state. */
#include "sha256.h"

enum {
  BLAKE3_LEAF = 1024,
  BLAKE3_BLOCK = 64,
  BLAKE3_NODE = 32,
  BLAKE3_MOST_LANES = 32,
  BLAKE3_CHUNK_START = 1,
  BLAKE3_CHUNK_END = 2,
  BLAKE3_PARENT = 4,
  BLAKE3_ROOT = 8
};

/** In which order each round of the compression function takes the words of the block. */
#define BLAKE3_ORDER_0 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define BLAKE3_ORDER_1 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8
#define BLAKE3_ORDER_2 3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1
#define BLAKE3_ORDER_3 10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6
#define BLAKE3_ORDER_4 12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4
#define BLAKE3_ORDER_5 9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7
#define BLAKE3_ORDER_6 11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13

/** Has a macro's arguments expanded before it takes them. */
#define BLAKE3_EXPANDED(MACRO, ...) MACRO(__VA_ARGS__)

/** The seven rounds: ROUND is given the words in their order. */
#define BLAKE3_ROUNDS(ROUND)                                                            \
  BLAKE3_EXPANDED(ROUND, BLAKE3_ORDER_0) BLAKE3_EXPANDED(ROUND, BLAKE3_ORDER_1)         \
  BLAKE3_EXPANDED(ROUND, BLAKE3_ORDER_2) BLAKE3_EXPANDED(ROUND, BLAKE3_ORDER_3)         \
  BLAKE3_EXPANDED(ROUND, BLAKE3_ORDER_4) BLAKE3_EXPANDED(ROUND, BLAKE3_ORDER_5)         \
  BLAKE3_EXPANDED(ROUND, BLAKE3_ORDER_6)

/** Nodes to be computed side by side, one in each lane. */
typedef struct blake3_jobs {
  /** Their blocks but for the last. */
  const uint8_t *bytes[BLAKE3_MOST_LANES];
  /** The last, of which `last_length` bytes count; the others are zero. */
  const uint8_t *last[BLAKE3_MOST_LANES];
  /** Where a chaining value goes, BLAKE3_NODE bytes. May be what any of the jobs reads. */
  uint8_t *to[BLAKE3_MOST_LANES];
  /** How many, at least 1. */
  uint32_t blocks[BLAKE3_MOST_LANES];
  uint32_t last_length[BLAKE3_MOST_LANES];
  uint32_t first_flags[BLAKE3_MOST_LANES];
  uint32_t last_flags[BLAKE3_MOST_LANES];
  uint32_t counter_low[BLAKE3_MOST_LANES];
  uint32_t counter_high[BLAKE3_MOST_LANES];
} blake3_jobs;

/** Computes as many nodes as it has lanes. All are read before any is written. */
typedef void shredder_blake3_form(const blake3_jobs *jobs);

shredder_blake3_form shredder_blake3_portable;

#if defined(__x86_64__)
shredder_blake3_form shredder_blake3_avx2;
shredder_blake3_form shredder_blake3_avx512;
shredder_blake3_form shredder_blake3_avx512_groups;
#endif

static inline uint32_t shredder_blake3_word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

#endif
