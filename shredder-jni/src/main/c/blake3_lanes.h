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
 *   LANES   words in a vector
 *   TARGET  the attribute of functions that use its instructions
 *   FORM    the name of the form
 *   static void load_blocks(const uint8_t *const at[LANES], vector words[16])
 *           word w of the block at at[l] becomes words[w][l]; after VECTOR has been declared
 *
 * Vectors are the compiler's own, so that all forms are this one text.
 */
#include <string.h>

/*
 * Half a round: the mixing function on the state's four columns, or its four diagonals. They do not depend on each
 * other. Where there are registers enough for the whole state and the block, they are taken side by side, so that
 * the processor need not look far ahead for something to do.
 */
#if LANES == 16
#define HALF_ROUND(b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, m0, m1, m2, m3, m4, m5, m6, m7) \
  do {                                                                                            \
    ADD(b0, b1, b2, b3, m0, m2, m4, m6);                                                          \
    TURN(d0, d1, d2, d3, 0, 1, 2, 3, rotate16);                                                   \
    SUM(c0, c1, c2, c3, d0, d1, d2, d3);                                                          \
    TURN(b0, b1, b2, b3, c0, c1, c2, c3, rotate12);                                               \
    ADD(b0, b1, b2, b3, m1, m3, m5, m7);                                                          \
    TURN(d0, d1, d2, d3, 0, 1, 2, 3, rotate8);                                                    \
    SUM(c0, c1, c2, c3, d0, d1, d2, d3);                                                          \
    TURN(b0, b1, b2, b3, c0, c1, c2, c3, rotate7);                                                \
  } while (0)

#define ADD(b0, b1, b2, b3, m0, m1, m2, m3) \
  do {                                      \
    v[0] += words[m0];                      \
    v[1] += words[m1];                      \
    v[2] += words[m2];                      \
    v[3] += words[m3];                      \
    SUM(0, 1, 2, 3, b0, b1, b2, b3);        \
  } while (0)

#define SUM(a0, a1, a2, a3, b0, b1, b2, b3) \
  do {                                      \
    v[a0] += v[b0];                         \
    v[a1] += v[b1];                         \
    v[a2] += v[b2];                         \
    v[a3] += v[b3];                         \
  } while (0)

#define TURN(a0, a1, a2, a3, b0, b1, b2, b3, ROTATE) \
  do {                                               \
    v[a0] ^= v[b0];                                  \
    v[a1] ^= v[b1];                                  \
    v[a2] ^= v[b2];                                  \
    v[a3] ^= v[b3];                                  \
    v[a0] = ROTATE(v[a0]);                           \
    v[a1] = ROTATE(v[a1]);                           \
    v[a2] = ROTATE(v[a2]);                           \
    v[a3] = ROTATE(v[a3]);                           \
  } while (0)
#else
#define HALF_ROUND(b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, m0, m1, m2, m3, m4, m5, m6, m7) \
  do {                                                                                            \
    MIX(0, b0, c0, d0, m0, m1);                                                                   \
    MIX(1, b1, c1, d1, m2, m3);                                                                   \
    MIX(2, b2, c2, d2, m4, m5);                                                                   \
    MIX(3, b3, c3, d3, m6, m7);                                                                   \
  } while (0)

#define MIX(a, b, c, d, m0, m1)   \
  do {                            \
    v[a] += words[m0];            \
    v[a] += v[b];                 \
    v[d] = rotate16(v[d] ^ v[a]); \
    v[c] += v[d];                 \
    v[b] = rotate12(v[b] ^ v[c]); \
    v[a] += words[m1];            \
    v[a] += v[b];                 \
    v[d] = rotate8(v[d] ^ v[a]);  \
    v[c] += v[d];                 \
    v[b] = rotate7(v[b] ^ v[c]);  \
  } while (0)
#endif

#define ROUND(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15)                  \
  do {                                                                                               \
    HALF_ROUND(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, m0, m1, m2, m3, m4, m5, m6, m7);            \
    HALF_ROUND(5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, m8, m9, m10, m11, m12, m13, m14, m15);      \
  } while (0)

TARGET static inline vector all(uint32_t word) {
  vector words = {0};
  return words + word;
}

/** What comes of a block behind `chain`: 7 rounds, the words of the block in another order in each. */
TARGET static inline void compress(vector chain[8], const vector words[16], vector counter_low,
                                   vector counter_high, vector length, vector flags) {
  vector v[16];
  for (int i = 0; i < 8; i++) {
    v[i] = chain[i];
  }
  for (int i = 0; i < 4; i++) {
    v[8 + i] = all(shredder_blake3_initial[i]);
  }
  v[12] = counter_low;
  v[13] = counter_high;
  v[14] = length;
  v[15] = flags;
  ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  ROUND(2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8);
  ROUND(3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1);
  ROUND(10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6);
  ROUND(12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4);
  ROUND(9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7);
  ROUND(11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13);
  for (int i = 0; i < 8; i++) {
    chain[i] = v[i] ^ v[8 + i];
  }
}

TARGET void FORM(const blake3_job *jobs, size_t count) {
  /* Lanes without a job do the first one's work, for nothing. */
  const blake3_job *lane[LANES];
  size_t least = SIZE_MAX;
  size_t most = 0;
  vector counter_low;
  vector counter_high;
  vector first_flags;
  vector last_flags;
  vector last_length;
  /* The number of the last block. */
  vector last;
  for (size_t l = 0; l < LANES; l++) {
    const blake3_job *job = &jobs[l < count ? l : 0];
    lane[l] = job;
    least = job->blocks < least ? job->blocks : least;
    most = job->blocks > most ? job->blocks : most;
    counter_low[l] = (uint32_t)job->counter;
    counter_high[l] = (uint32_t)(job->counter >> 32);
    first_flags[l] = job->first_flags;
    last_flags[l] = job->last_flags;
    last_length[l] = job->last_length;
    last[l] = (uint32_t)(job->blocks - 1);
  }
  vector chain[8];
  for (int i = 0; i < 8; i++) {
    chain[i] = all(shredder_blake3_initial[i]);
  }
  for (size_t block = 0; block < most; block++) {
    const uint8_t *at[LANES];
    for (size_t l = 0; l < LANES; l++) {
      at[l] = block + 1 < lane[l]->blocks ? lane[l]->bytes + block * BLAKE3_BLOCK : lane[l]->last;
      /*
       * So many streams are too many for the processor to foresee. Leaves that lie one behind the other are taken
       * LANES at a time: asks for what the lane will be given next, or for something else, which does no harm.
       */
      __builtin_prefetch((const void *)((uintptr_t)at[l] + LANES * BLAKE3_LEAF));
    }
    vector words[16];
    load_blocks(at, words);
    if (block > 0 && block + 1 < least) {
      compress(chain, words, counter_low, counter_high, all(BLAKE3_BLOCK), all(0));
      continue;
    }
    const vector is_last = (vector)(last == all((uint32_t)block));
    const vector has_ended = (vector)(last < all((uint32_t)block));
    const vector length = (last_length & is_last) | (all(BLAKE3_BLOCK) & ~is_last);
    const vector flags = (last_flags & is_last) | (block == 0 ? first_flags : all(0));
    vector next[8];
    memcpy(next, chain, sizeof next);
    compress(next, words, counter_low, counter_high, length, flags);
    for (int i = 0; i < 8; i++) {
      chain[i] = (next[i] & ~has_ended) | (chain[i] & has_ended);
    }
  }
  for (size_t l = 0; l < count; l++) {
    for (size_t i = 0; i < 8; i++) {
      const uint32_t word = chain[i][l];
      const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                                (uint8_t)(word >> 24)};
      memcpy(jobs[l].to + 4 * i, bytes, sizeof bytes);
    }
  }
}
