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
 * The compression function in LANES lanes. Before it is included:
 *
 *   LANES   a multiple of WIDTH
 *   WIDTH   words in a vector
 *   vector  the type of vectors of so many 32-bit words, the compiler's own
 *   TARGET  the attribute of functions that use its instructions
 *   FORM    the name of the form
 *   static void load_blocks(const uint8_t *const at[LANES], size_t offset, vector words[16])
 *           word w of the block at at[l] + offset becomes words[w][l]
 *
 * A form that defines BYTE_ROTATIONS has a better rotate16 and rotate8 than what the compiler makes of shifts; one
 * that defines COMPRESS, as one of several groups must, has a compress of its own, and no load_blocks.
 */
#include <string.h>

/** Groups of WIDTH lanes that are taken side by side. */
enum { GROUPS = LANES / WIDTH };

TARGET static inline vector all(uint32_t word) {
  vector words = {0};
  return words + word;
}

#ifndef COMPRESS
#define MIX(a, b, c, d, m0, m1)     \
  do {                              \
    v[a] += words[m0];              \
    v[a] += v[b];                   \
    v[d] = rotate16(v[d] ^ v[a]);   \
    v[c] += v[d];                   \
    v[b] = rotate(v[b] ^ v[c], 12); \
    v[a] += words[m1];              \
    v[a] += v[b];                   \
    v[d] = rotate8(v[d] ^ v[a]);    \
    v[c] += v[d];                   \
    v[b] = rotate(v[b] ^ v[c], 7);  \
  } while (0)

#define ROUND(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15) \
  MIX(0, 4, 8, 12, m0, m1);                                                         \
  MIX(1, 5, 9, 13, m2, m3);                                                         \
  MIX(2, 6, 10, 14, m4, m5);                                                        \
  MIX(3, 7, 11, 15, m6, m7);                                                        \
  MIX(0, 5, 10, 15, m8, m9);                                                        \
  MIX(1, 6, 11, 12, m10, m11);                                                      \
  MIX(2, 7, 8, 13, m12, m13);                                                       \
  MIX(3, 4, 9, 14, m14, m15);

TARGET static inline vector rotate(vector x, int by) { return x >> by | x << (32 - by); }

#ifndef BYTE_ROTATIONS
#define rotate16(x) rotate(x, 16)
#define rotate8(x) rotate(x, 8)
#endif

/** What comes of a block behind `chain`: 7 rounds, the words of the block in another order in each. */
TARGET static inline void compress_block(vector chain[8], const vector words[16], const vector rest[4]) {
  vector v[16];
  for (int i = 0; i < 8; i++) {
    v[i] = chain[i];
  }
  for (int i = 0; i < 4; i++) {
    v[8 + i] = all(shredder_sha256_initial[i]);
    v[12 + i] = rest[i];
  }
  BLAKE3_ROUNDS(ROUND)
  for (int i = 0; i < 8; i++) {
    chain[i] = v[i] ^ v[8 + i];
  }
}

/**
 * Asks for what lies LANES leaves behind the blocks. So many streams are too many for the processor to foresee;
 * leaves that lie one behind the other are taken LANES at a time, and that is what a lane will be given next. It may
 * be something else, or nothing, which does no harm.
 */
static inline void ask_ahead(const uint8_t *const at[LANES], size_t offset) {
  for (size_t l = 0; l < LANES; l++) {
    __builtin_prefetch((const void *)((uintptr_t)at[l] + offset + LANES * BLAKE3_LEAF));
  }
}

/**
 * What comes of so many blocks behind `chain`, at least one.
 *
 * @param at where each lane's first lies; the others lie behind it
 * @param rest low and high words of the counters, lengths, flags; of all blocks alike
 */
TARGET static inline void compress(vector chain[GROUPS][8], const uint8_t *const at[LANES], size_t blocks,
                                   vector rest[GROUPS][4]) {
  for (size_t offset = 0; offset < blocks * BLAKE3_BLOCK; offset += BLAKE3_BLOCK) {
    vector words[16];
    ask_ahead(at, offset);
    load_blocks(at, offset, words);
    compress_block(chain[0], words, rest[0]);
  }
}
#endif

/** A number for each lane of a group. */
TARGET static inline vector of_lanes(const uint32_t *numbers, size_t g) {
  vector words;
  memcpy(&words, numbers + g * WIDTH, sizeof words);
  return words;
}

TARGET void FORM(const blake3_jobs *jobs) {
  uint32_t least = UINT32_MAX;
  uint32_t most = 0;
  for (size_t l = 0; l < LANES; l++) {
    least = jobs->blocks[l] < least ? jobs->blocks[l] : least;
    most = jobs->blocks[l] > most ? jobs->blocks[l] : most;
  }
  vector chain[GROUPS][8];
  vector rest[GROUPS][4];
  for (size_t g = 0; g < GROUPS; g++) {
    for (int i = 0; i < 8; i++) {
      chain[g][i] = all(shredder_sha256_initial[i]);
    }
    rest[g][0] = of_lanes(jobs->counter_low, g);
    rest[g][1] = of_lanes(jobs->counter_high, g);
  }
  for (uint32_t block = 0, count; block < most; block += count) {
    count = 1;
    const uint8_t *at[LANES];
    for (size_t l = 0; l < LANES; l++) {
      at[l] = block + 1 < jobs->blocks[l] ? jobs->bytes[l] + block * BLAKE3_BLOCK : jobs->last[l];
    }
    for (size_t g = 0; g < GROUPS; g++) {
      const vector is_last = (vector)(of_lanes(jobs->blocks, g) == all(block + 1));
      rest[g][2] = (of_lanes(jobs->last_length, g) & is_last) | (all(BLAKE3_BLOCK) & ~is_last);
      rest[g][3] = (of_lanes(jobs->last_flags, g) & is_last) |
                   (block == 0 ? of_lanes(jobs->first_flags, g) : all(0));
    }
    if (block < least) {
      /* Behind the first block and before the last of any, all are alike. */
      if (block > 0 && block + 1 < least) {
        count = least - 1 - block;
      }
      compress(chain, at, count, rest);
    } else {
      vector next[GROUPS][8];
      memcpy(next, chain, sizeof next);
      compress(next, at, 1, rest);
      for (size_t g = 0; g < GROUPS; g++) {
        const vector has_ended = (vector)(of_lanes(jobs->blocks, g) <= all(block));
        for (int i = 0; i < 8; i++) {
          chain[g][i] = (next[g][i] & ~has_ended) | (chain[g][i] & has_ended);
        }
      }
    }
  }
  for (size_t l = 0; l < LANES; l++) {
    for (size_t i = 0; i < 8; i++) {
      const uint32_t word = chain[l / WIDTH][i][l % WIDTH];
      const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                                (uint8_t)(word >> 24)};
      memcpy(jobs->to[l] + 4 * i, bytes, sizeof bytes);
    }
  }
}
