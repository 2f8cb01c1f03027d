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
 * SHA-256 of 16 messages at once, one in each of the 16 lanes of AVX-512's registers, or of 32 in two groups of
 * such lanes: the fastest forms, if there are messages enough for all lanes. See sha256.h.
 *
 * Each round waits for the one before, and a group alone leaves the processor half idle. One group has the
 * message schedule of its next block computed between the rounds of this one; with two, the rounds of each fill
 * the time in which the other waits. The second way is faster where the processor works on two registers
 * or more of full width at a time, and no slower elsewhere, but it takes twice as many messages.
 */
#include "sha256.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))

enum {
  /** In a group. */
  LANES = SHA256_LANES,
  GROUPS = SHA256_MOST_LANES / SHA256_LANES
};

/** Blocks that each lane asks for ahead. */
enum { AHEAD = 4 };

/** Lanes, LANES of them in each group. */
typedef struct lanes {
  /** state[g][w][l]: word w of lane l of group g. */
  _Alignas(64) uint32_t state[GROUPS][SHA256_WORDS][LANES];
  /** The block that has been loaded and is taken next. */
  _Alignas(64) const uint8_t *at[SHA256_MOST_LANES];
  /** Where the lane goes on after the blocks that are taken now. */
  _Alignas(64) const uint8_t *next[SHA256_MOST_LANES];
  /** How far its blocks are apart: 0 in a lane that has nothing to do. */
  size_t advance[SHA256_MOST_LANES];
  /** What sha256_stream says of them, one beside the other. */
  _Alignas(64) size_t left[SHA256_MOST_LANES];
  sha256_stream lane[SHA256_MOST_LANES];
  size_t count;
  size_t busy;
} lanes;

TARGET static inline __m512i xor3(__m512i a, __m512i b, __m512i c) {
  return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}

TARGET static inline __m512i add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }

/**
 * Of 16 lanes' blocks, the words of four, turned within the 128-bit parts: the first step of a transposition.
 * Rows 4 * q to 4 * q + 3.
 */
TARGET static inline void load_rows(const uint8_t *const at[LANES], int q, __m512i rows[16]) {
  const __m512i big_endian = _mm512_broadcast_i32x4(
      _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
  __m512i a[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    a[i] = _mm512_shuffle_epi8(_mm512_loadu_si512(at[4 * q + i]), big_endian);
  }
  const __m512i low01 = _mm512_unpacklo_epi32(a[0], a[1]);
  const __m512i high01 = _mm512_unpackhi_epi32(a[0], a[1]);
  const __m512i low23 = _mm512_unpacklo_epi32(a[2], a[3]);
  const __m512i high23 = _mm512_unpackhi_epi32(a[2], a[3]);
  rows[4 * q] = _mm512_unpacklo_epi64(low01, low23);
  rows[4 * q + 1] = _mm512_unpackhi_epi64(low01, low23);
  rows[4 * q + 2] = _mm512_unpacklo_epi64(high01, high23);
  rows[4 * q + 3] = _mm512_unpackhi_epi64(high01, high23);
}

/** The second step, of the parts themselves: words i, i + 4, i + 8 and i + 12 of all lanes. */
TARGET static inline void transpose_parts(const __m512i rows[16], int i, __m512i w[16]) {
  const __m512i even01 = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0x88);
  const __m512i odd01 = _mm512_shuffle_i32x4(rows[i], rows[i + 4], 0xDD);
  const __m512i even23 = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0x88);
  const __m512i odd23 = _mm512_shuffle_i32x4(rows[i + 8], rows[i + 12], 0xDD);
  w[i] = _mm512_shuffle_i32x4(even01, even23, 0x88);
  w[i + 4] = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
  w[i + 8] = _mm512_shuffle_i32x4(even01, even23, 0xDD);
  w[i + 12] = _mm512_shuffle_i32x4(odd01, odd23, 0xDD);
}

/** w[t] becomes word t of each lane's block. */
TARGET static inline void load_blocks(const uint8_t *const at[LANES], __m512i w[16]) {
  __m512i rows[16];
#pragma GCC unroll 4
  for (int q = 0; q < 4; q++) {
    load_rows(at, q, rows);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    transpose_parts(rows, i, w);
  }
}

/** The word of the message schedule that comes 16 behind w0, from those 1, 9 and 14 behind it, too. */
TARGET static inline __m512i extended(__m512i w0, __m512i w1, __m512i w9, __m512i w14) {
  const __m512i s0 = xor3(_mm512_ror_epi32(w1, 7), _mm512_ror_epi32(w1, 18), _mm512_srli_epi32(w1, 3));
  const __m512i s1 = xor3(_mm512_ror_epi32(w14, 17), _mm512_ror_epi32(w14, 19), _mm512_srli_epi32(w14, 10));
  return add(add(w0, s0), add(w9, s1));
}

/** Word t of the next 16 of the message schedule, in place of that of the 16 before. */
TARGET static inline __m512i extend(__m512i w[16], int t) {
  w[t] = extended(w[t], w[(t + 1) % 16], w[(t + 9) % 16], w[(t + 14) % 16]);
  return w[t];
}

#define RIGHT(by, from, to) "vprord $" #by ", %[" from "], %[" to "]\n\t"
#define ADD(what, to) "vpaddd %[" what "], %[" to "], %[" to "]\n\t"
#define XOR3(x, y, to) "vpternlogd $0x96, %[" y "], %[" x "], %[" to "]\n\t"
#define CHOICE(to) "vmovdqa32 %[e], %[" to "]\n\tvpternlogd $0xCA, %[g], %[f], %[" to "]\n\t"
#define MAJORITY(to) "vmovdqa32 %[a], %[" to "]\n\tvpternlogd $0xE8, %[c], %[b], %[" to "]\n\t"

/* d and h are written before all others have been read. */
#define OPERANDS(s, t, ...)                                                                      \
  [d] "+&v"(s[(19 - t) % 8]), [h] "+&v"(s[(23 - t) % 8]), [x] "=&v"(x), [y] "=&v"(y),            \
      [z] "=&v"(z), [u] "=&v"(u)                                                                 \
      : [a] "v"(s[(16 - t) % 8]), [b] "v"(s[(17 - t) % 8]), [c] "v"(s[(18 - t) % 8]),            \
        [e] "v"(s[(20 - t) % 8]), [f] "v"(s[(21 - t) % 8]), [g] "v"(s[(22 - t) % 8]), __VA_ARGS__

/*
 * Round t of 16 on a to h, which are s[0] to s[7]; they are back in their places after every 8. In the order that is
 * written here, and with sums put together as they are here, a round takes a fifteenth less time than as a compiler
 * has it, on a processor that works on four registers of full width at a time.
 */

/** Of a group that is alone. The next round waits for e: one addition more, so that it waits for one less. */
TARGET static inline void round_alone(__m512i s[SHA256_WORDS], int t, const __m512i *input) {
  __m512i x;
  __m512i y;
  __m512i z;
  __m512i u;
  __asm__(RIGHT(6, "e", "x") ADD("input", "h") RIGHT(11, "e", "y") CHOICE("u") RIGHT(25, "e", "z")
          ADD("h", "d") XOR3("y", "z", "x") ADD("u", "d") ADD("u", "h") RIGHT(2, "a", "y") ADD("x", "d")
          RIGHT(13, "a", "z") RIGHT(22, "a", "u") ADD("x", "h") MAJORITY("x") XOR3("z", "u", "y")
          ADD("x", "h") ADD("y", "h")
          : OPERANDS(s, t, [input] "m"(*input)));
}

/** Of one of two groups, whose rounds fill the time in which those of the other wait. */
TARGET static inline void round_of_two(__m512i s[SHA256_WORDS], int t, const __m512i *w, const uint32_t *constant) {
  __m512i x;
  __m512i y;
  __m512i z;
  __m512i u;
  __asm__(RIGHT(6, "e", "x") ADD("w", "h") RIGHT(11, "e", "y") RIGHT(25, "e", "z")
          "vpaddd %[constant]%{1to16%}, %[h], %[h]\n\t" CHOICE("u") XOR3("y", "z", "x") ADD("u", "h")
          RIGHT(2, "a", "y") RIGHT(13, "a", "z") RIGHT(22, "a", "u") ADD("x", "h") MAJORITY("x")
          ADD("h", "d") XOR3("z", "u", "y") ADD("x", "h") ADD("y", "h")
          : OPERANDS(s, t, [w] "m"(*w), [constant] "m"(*constant)));
}

TARGET static inline __m512i constant(int t) { return _mm512_set1_epi32((int)shredder_sha256_constants[t]); }

/** What the rounds made of the state is added to it, and is where the next block begins. */
TARGET static inline void add_to_state(uint32_t state[SHA256_WORDS][LANES], __m512i s[SHA256_WORDS]) {
  for (int i = 0; i < SHA256_WORDS; i++) {
    s[i] = add(_mm512_load_si512(state[i]), s[i]);
    _mm512_store_si512(state[i], s[i]);
  }
}

/** The message schedules, with the rounds' constants added, of the block being compressed and the next. */
typedef struct pipeline {
  __m512i schedule[2][64];
  int turn;
} pipeline;

/** The first 16 words of the message schedule, from the lanes' blocks. */
TARGET static inline void begin_schedule(const uint8_t *const at[LANES], __m512i w[16],
                                         __m512i schedule[64]) {
  load_blocks(at, w);
#pragma GCC unroll 16
  for (int t = 0; t < 16; t++) {
    schedule[t] = add(w[t], constant(t));
  }
}

/** The schedule of the block that is compressed first. */
TARGET static void first_schedule(pipeline *p, const uint8_t *const at[LANES]) {
  __m512i w[16];
  begin_schedule(at, w, p->schedule[p->turn]);
  for (int g = 16; g < 64; g += 16) {
#pragma GCC unroll 16
    for (int t = 0; t < 16; t++) {
      p->schedule[p->turn][g + t] = add(extend(w, t), constant(g + t));
    }
  }
}

/**
 * Takes `blocks` blocks of every lane of the one group into its state. Each round waits for the one before, and
 * leaves the processor half idle; so the message schedule of the next block is computed between the rounds of
 * this one. Sixteen streams are more than a processor foresees, so what comes later is asked for.
 */
TARGET static void compress(lanes *all, pipeline *p, size_t blocks) {
  __m512i s[SHA256_WORDS];
  for (int i = 0; i < SHA256_WORDS; i++) {
    s[i] = _mm512_load_si512(all->state[0][i]);
  }
  for (size_t block = 1; block <= blocks; block++) {
    const __m512i *now = p->schedule[p->turn];
    __m512i *later = p->schedule[p->turn ^= 1];
    for (int l = 0; l < LANES; l++) {
      all->at[l] = block < blocks ? all->at[l] + all->advance[l] : all->next[l];
      shredder_sha256_ask(all->at[l], AHEAD);
    }
    __m512i w[16];
    begin_schedule(all->at, w, later);
    for (int g = 0; g < 48; g += 16) {
#pragma GCC unroll 16
      for (int t = 0; t < 16; t++) {
        round_alone(s, t, &now[g + t]);
        later[g + 16 + t] = add(extend(w, t), constant(g + 16 + t));
      }
    }
#pragma GCC unroll 16
    for (int t = 0; t < 16; t++) {
      round_alone(s, t, &now[48 + t]);
    }
    add_to_state(all->state[0], s);
  }
}

/** Word t + 16 of a message schedule that has been computed up to there. */
TARGET static inline void extend_behind(__m512i *w, int t) {
  w[t + 16] = extended(w[t], w[t + 1], w[t + 9], w[t + 14]);
}

/** A sixteenth of the work to load the next blocks of both groups. */
TARGET static inline void load_some(const uint8_t *const at[SHA256_MOST_LANES], int t,
                                    __m512i rows[16], __m512i w[GROUPS][64]) {
  const int k = t / 8;
  if (t % 8 < 4) {
    load_rows(at + k * LANES, t % 4, rows);
  } else {
    transpose_parts(rows, t % 4, w[k]);
  }
}

/**
 * The same for two groups: the rounds of each fill the time in which the other waits. The next blocks are loaded
 * between the last rounds, which have no schedule to compute.
 */
TARGET static void compress_both(lanes *all, pipeline *p, size_t blocks) {
  __m512i s[GROUPS][SHA256_WORDS];
  for (int k = 0; k < GROUPS; k++) {
    for (int i = 0; i < SHA256_WORDS; i++) {
      s[k][i] = _mm512_load_si512(all->state[k][i]);
    }
  }
  __m512i(*const w)[64] = p->schedule;
  for (size_t block = 1; block <= blocks; block++) {
    for (size_t l = 0; l < SHA256_MOST_LANES; l++) {
      all->at[l] = block < blocks ? all->at[l] + all->advance[l] : all->next[l];
    }
    for (int g = 0; g < 48; g += 16) {
#pragma GCC unroll 16
      for (int t = 0; t < 16; t++) {
        /* One by one, as all at once they wait for each other, and twice, as a busy processor forgets some. */
        shredder_sha256_ask(all->at[(g + t) % SHA256_MOST_LANES], AHEAD);
        shredder_sha256_ask(all->at[(g + t) % SHA256_MOST_LANES], AHEAD / 2);
        round_of_two(s[0], t, &w[0][g + t], &shredder_sha256_constants[g + t]);
        round_of_two(s[1], t, &w[1][g + t], &shredder_sha256_constants[g + t]);
        extend_behind(w[0], g + t);
        extend_behind(w[1], g + t);
      }
    }
    __m512i rows[16];
#pragma GCC unroll 16
    for (int t = 0; t < 16; t++) {
      round_of_two(s[0], t, &w[0][48 + t], &shredder_sha256_constants[48 + t]);
      round_of_two(s[1], t, &w[1][48 + t], &shredder_sha256_constants[48 + t]);
      load_some(all->at, t, rows, w);
    }
    for (int k = 0; k < GROUPS; k++) {
      add_to_state(all->state[k], s[k]);
    }
  }
}

/** Where a lane goes on that has no blocks left; its first blocks are asked for. */
static void go_on(lanes *all, size_t l, sha256_queue *queue) {
  sha256_stream *lane = &all->lane[l];
  const uint8_t *at = shredder_sha256_go_on(lane, queue);
  all->next[l] = at;
  all->left[l] = lane->left;
  all->busy -= lane->left == SIZE_MAX;
  for (size_t i = 0; i < AHEAD && lane->left != SIZE_MAX && i < lane->left; i++) {
    __builtin_prefetch(at + i * SHA256_BLOCK);
  }
}

static void store_state(const lanes *all, size_t l, shredder_message *message) {
  for (size_t w = 0; w < SHA256_WORDS; w++) {
    message->state[w] = all->state[l / LANES][w][l % LANES];
  }
}

/**
 * A lane's next message goes on where it is, if there is one. Whole registers are stored, as whole ones are loaded
 * soon after, which would have to wait for single words to reach the cache.
 */
TARGET static void begin(lanes *all, size_t l, const sha256_queue *queue) {
  all->advance[l] = all->left[l] == SIZE_MAX ? 0 : SHA256_BLOCK;
  if (all->advance[l] == 0) {
    return;
  }
  const uint32_t *state = shredder_sha256_state(&all->lane[l], queue);
  const __mmask16 mine = (__mmask16)(1u << (l % LANES));
  for (size_t w = 0; w < SHA256_WORDS; w++) {
    uint32_t *words = all->state[l / LANES][w];
    const __m512i now = _mm512_load_si512(words);
    _mm512_store_si512(words, _mm512_mask_set1_epi32(now, mine, (int)state[w]));
  }
}

/** Whether no more is to be taken now. */
static bool is_over(const lanes *all, const sha256_queue *queue) {
  const bool wanted = queue->most == 0 || (queue->filled && all->busy < all->count);
  for (size_t l = 0; wanted && l < all->count; l++) {
    if (!shredder_sha256_can_stay(&all->lane[l])) {
      return false;
    }
  }
  return wanted;
}

static void leave(lanes *all, const sha256_queue *queue) {
  for (size_t l = 0; l < all->count; l++) {
    if (all->left[l] != SIZE_MAX) {
      store_state(all, l, queue->messages[all->lane[l].message].of);
      all->lane[l].left = all->left[l];
      shredder_sha256_leave(&all->lane[l], queue);
    }
  }
}

/** The least that a lane has left, SIZE_MAX if all have nothing to do. */
TARGET static size_t least_left(const lanes *all) {
  size_t least = SIZE_MAX;
  for (size_t l = 0; l < SHA256_MOST_LANES; l++) {
    least = all->left[l] < least ? all->left[l] : least;
  }
  return least;
}

/**
 * So many blocks of each lane are about to be taken.
 *
 * @return a bit for each lane that has none left then
 */
TARGET static uint32_t pass(lanes *all, size_t blocks) {
  const __m512i idle = _mm512_set1_epi64(-1);
  uint32_t none_left = 0;
  for (size_t l = 0; l < SHA256_MOST_LANES; l += 8) {
    const __m512i left = _mm512_load_si512(all->left + l);
    const __mmask8 busy = _mm512_cmpneq_epi64_mask(left, idle);
    const __m512i rest = _mm512_mask_sub_epi64(left, busy, left, _mm512_set1_epi64((long long)blocks));
    const __m512i at = _mm512_load_si512(all->at + l);
    const __m512i bytes = _mm512_set1_epi64((long long)(blocks * SHA256_BLOCK));
    _mm512_store_si512(all->left + l, rest);
    _mm512_store_si512(all->next + l, _mm512_mask_add_epi64(at, busy, at, bytes));
    none_left |= (uint32_t)_mm512_testn_epi64_mask(rest, rest) << l;
  }
  return none_left;
}

/** The first lane of a set, which is left out of it. */
static size_t next_of(uint32_t *set) {
  const size_t first = (size_t)__builtin_ctz(*set);
  *set &= *set - 1;
  return first;
}

/** Loads the blocks that are taken first. */
TARGET static void load_first(const lanes *all, pipeline *p) {
  if (all->count == LANES) {
    first_schedule(p, all->at);
    return;
  }
  for (size_t k = 0; k < GROUPS; k++) {
    load_blocks(all->at + k * LANES, p->schedule[k]);
  }
}

/** Takes the messages of the queue in `count` lanes: in one group, or in two. */
static void take(sha256_queue *queue, size_t count) {
  static const uint8_t nothing[SHA256_BLOCK];
  lanes all;
  pipeline p;
  p.turn = 0;
  all.count = count;
  all.busy = count;
  memset(all.state, 0, sizeof all.state);
  for (size_t l = 0; l < SHA256_MOST_LANES; l++) {
    all.at[l] = nothing;
    all.left[l] = SIZE_MAX;
    all.advance[l] = 0;
  }
  for (size_t l = 0; l < count; l++) {
    all.lane[l].left = 0;
    all.lane[l].goes_on = false;
    all.lane[l].turn = 0;
    go_on(&all, l, queue);
    all.at[l] = all.next[l];
    begin(&all, l, queue);
  }
  load_first(&all, &p);
  while (all.busy > 0) {
    if (is_over(&all, queue)) {
      leave(&all, queue);
      return;
    }
    const size_t blocks = shredder_sha256_together(queue, least_left(&all), all.busy);
    shredder_sha256_taken(queue, blocks, all.busy);
    const uint32_t none_left = pass(&all, blocks);
    uint32_t ended = 0;
    shredder_message *message[SHA256_MOST_LANES];
    for (uint32_t rest = none_left; rest != 0;) {
      const size_t l = next_of(&rest);
      all.lane[l].left = 0;
      if (shredder_sha256_ended(&all.lane[l])) {
        ended |= (uint32_t)1 << l;
        message[l] = queue->messages[all.lane[l].message].of;
      }
      go_on(&all, l, queue);
    }
    if (count == LANES) {
      compress(&all, &p, blocks);
    } else {
      compress_both(&all, &p, blocks);
    }
    while (ended != 0) {
      const size_t l = next_of(&ended);
      store_state(&all, l, message[l]);
      message[l]->ended = true;
      begin(&all, l, queue);
    }
  }
}

void shredder_sha256_lanes(sha256_queue *queue) { take(queue, LANES); }

void shredder_sha256_more_lanes(sha256_queue *queue) { take(queue, SHA256_MOST_LANES); }

#endif
