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
 * SHA-256 of 16 messages at once, one in each of the 16 lanes of AVX-512's registers: the fastest form, if
 * there are messages enough for all lanes. See sha256.h.
 */
#include "sha256.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))

enum { LANES = SHA256_LANES };

/** Blocks that each lane asks for ahead. */
enum { AHEAD = 8 };

/**
 * What is loaded runs one block ahead of what is compressed: `at` is the block whose schedule is ready,
 * `state` that before it.
 */
typedef struct lanes {
  /** state[w][l]: word w of lane l. */
  _Alignas(64) uint32_t state[SHA256_WORDS][LANES];
  const uint8_t *at[LANES];
  sha256_stream lane[LANES];
} lanes;

TARGET static inline __m512i xor3(__m512i a, __m512i b, __m512i c) {
  return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}

TARGET static inline __m512i add(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }

/** w[t] becomes word t of each lane's block. */
TARGET static inline void load_blocks(const uint8_t *const at[LANES], __m512i w[16]) {
  const __m512i big_endian = _mm512_broadcast_i32x4(
      _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
  __m512i a[16];
  __m512i b[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) {
    a[i] = _mm512_shuffle_epi8(_mm512_loadu_si512(at[i]), big_endian);
  }
  /* 4 by 4 words within the 128-bit parts, then 4 by 4 parts. */
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    const __m512i low01 = _mm512_unpacklo_epi32(a[i], a[i + 1]);
    const __m512i high01 = _mm512_unpackhi_epi32(a[i], a[i + 1]);
    const __m512i low23 = _mm512_unpacklo_epi32(a[i + 2], a[i + 3]);
    const __m512i high23 = _mm512_unpackhi_epi32(a[i + 2], a[i + 3]);
    b[i] = _mm512_unpacklo_epi64(low01, low23);
    b[i + 1] = _mm512_unpackhi_epi64(low01, low23);
    b[i + 2] = _mm512_unpacklo_epi64(high01, high23);
    b[i + 3] = _mm512_unpackhi_epi64(high01, high23);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    const __m512i even01 = _mm512_shuffle_i32x4(b[i], b[i + 4], 0x88);
    const __m512i odd01 = _mm512_shuffle_i32x4(b[i], b[i + 4], 0xDD);
    const __m512i even23 = _mm512_shuffle_i32x4(b[i + 8], b[i + 12], 0x88);
    const __m512i odd23 = _mm512_shuffle_i32x4(b[i + 8], b[i + 12], 0xDD);
    w[i] = _mm512_shuffle_i32x4(even01, even23, 0x88);
    w[i + 4] = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
    w[i + 8] = _mm512_shuffle_i32x4(even01, even23, 0xDD);
    w[i + 12] = _mm512_shuffle_i32x4(odd01, odd23, 0xDD);
  }
}

/** Word t of the next 16 of the message schedule, in place of that of the 16 before. */
TARGET static inline __m512i extend(__m512i w[16], int t) {
  const __m512i x = w[(t + 1) % 16];
  const __m512i y = w[(t + 14) % 16];
  const __m512i s0 = xor3(_mm512_ror_epi32(x, 7), _mm512_ror_epi32(x, 18), _mm512_srli_epi32(x, 3));
  const __m512i s1 = xor3(_mm512_ror_epi32(y, 17), _mm512_ror_epi32(y, 19), _mm512_srli_epi32(y, 10));
  w[t] = add(add(w[t], s0), add(w[(t + 9) % 16], s1));
  return w[t];
}

/** Round t of 16 on a to h, which are s[0] to s[7]; they are back in their places after every 8. */
TARGET static inline void round_of(__m512i s[SHA256_WORDS], int t, __m512i input) {
  const __m512i a = s[(16 - t) % 8];
  const __m512i b = s[(17 - t) % 8];
  const __m512i c = s[(18 - t) % 8];
  const __m512i e = s[(20 - t) % 8];
  const __m512i f = s[(21 - t) % 8];
  const __m512i g = s[(22 - t) % 8];
  const __m512i h = s[(23 - t) % 8];
  const __m512i sum1 = xor3(_mm512_ror_epi32(e, 6), _mm512_ror_epi32(e, 11), _mm512_ror_epi32(e, 25));
  const __m512i choice = _mm512_ternarylogic_epi32(e, f, g, 0xCA);
  const __m512i sum0 = xor3(_mm512_ror_epi32(a, 2), _mm512_ror_epi32(a, 13), _mm512_ror_epi32(a, 22));
  const __m512i majority = _mm512_ternarylogic_epi32(a, b, c, 0xE8);
  __m512i known = add(h, input);
  __m512i d_known = add(s[(19 - t) % 8], known);
  __m512i of_e = add(choice, sum1);
  /* The next round waits for this sum: one addition more, so that it waits for one less. */
  __asm__("" : "+v"(known), "+v"(d_known), "+v"(of_e));
  s[(19 - t) % 8] = add(d_known, of_e);
  s[(23 - t) % 8] = add(add(known, add(sum0, majority)), of_e);
}

TARGET static inline __m512i constant(int t) { return _mm512_set1_epi32((int)shredder_sha256_constants[t]); }

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
 * Takes `blocks` blocks of every lane, each `advance` bytes behind the other, into its state; `next` is where
 * the lane goes on then. Each round waits for the one before, and leaves the processor half idle; so the
 * message schedule of the next block is computed between the rounds of this one. Sixteen streams are more
 * than a processor foresees, so what comes later is asked for.
 */
TARGET static void compress(lanes *all, pipeline *p, size_t blocks, const size_t advance[LANES],
                            const uint8_t *const next[LANES]) {
  __m512i s[SHA256_WORDS];
  for (int i = 0; i < SHA256_WORDS; i++) {
    s[i] = _mm512_load_si512(all->state[i]);
  }
  for (size_t block = 1; block <= blocks; block++) {
    const __m512i *now = p->schedule[p->turn];
    __m512i *later = p->schedule[p->turn ^= 1];
    for (int l = 0; l < LANES; l++) {
      all->at[l] = block < blocks ? all->at[l] + advance[l] : next[l];
      shredder_sha256_ask(all->at[l], AHEAD);
    }
    __m512i w[16];
    begin_schedule(all->at, w, later);
    for (int g = 0; g < 48; g += 16) {
#pragma GCC unroll 16
      for (int t = 0; t < 16; t++) {
        round_of(s, t, now[g + t]);
        later[g + 16 + t] = add(extend(w, t), constant(g + 16 + t));
      }
    }
#pragma GCC unroll 16
    for (int t = 0; t < 16; t++) {
      round_of(s, t, now[48 + t]);
    }
    for (int i = 0; i < SHA256_WORDS; i++) {
      s[i] = add(_mm512_load_si512(all->state[i]), s[i]);
      _mm512_store_si512(all->state[i], s[i]);
    }
  }
}

/** Where a lane goes on that has no blocks left; its first blocks are asked for. */
static const uint8_t *go_on(sha256_stream *lane, sha256_queue *queue) {
  const uint8_t *at = shredder_sha256_go_on(lane, queue);
  for (size_t i = 0; i < AHEAD && lane->left != SIZE_MAX && i < lane->left; i++) {
    __builtin_prefetch(at + i * SHA256_BLOCK);
  }
  return at;
}

static void load_state(lanes *all, int l, const uint32_t state[SHA256_WORDS]) {
  for (int w = 0; w < SHA256_WORDS; w++) {
    all->state[w][l] = state[w];
  }
}

static void store_state(const lanes *all, int l, shredder_message *message) {
  for (int w = 0; w < SHA256_WORDS; w++) {
    message->state[w] = all->state[w][l];
  }
}

/** A lane's next message goes on where it is. */
static void begin(lanes *all, int l, const sha256_queue *queue) {
  if (all->lane[l].left != SIZE_MAX) {
    load_state(all, l, shredder_sha256_state(&all->lane[l], queue));
  }
}

/** Whether no more is to be taken now. */
static bool is_over(const lanes *all, const sha256_queue *queue) {
  bool has_idle = false;
  for (int l = 0; l < LANES; l++) {
    if (!shredder_sha256_can_stay(&all->lane[l])) {
      return false;
    }
    has_idle |= all->lane[l].left == SIZE_MAX;
  }
  return queue->most == 0 || (queue->filled && has_idle);
}

static void leave(const lanes *all, const sha256_queue *queue) {
  for (int l = 0; l < LANES; l++) {
    if (all->lane[l].left != SIZE_MAX) {
      store_state(all, l, queue->messages[all->lane[l].message].of);
      shredder_sha256_leave(&all->lane[l], queue);
    }
  }
}

void shredder_sha256_lanes(sha256_queue *queue) {
  lanes all = {0};
  pipeline p;
  p.turn = 0;
  for (int l = 0; l < LANES; l++) {
    all.at[l] = go_on(&all.lane[l], queue);
    begin(&all, l, queue);
  }
  first_schedule(&p, all.at);
  while (true) {
    size_t least = SIZE_MAX;
    size_t busy = 0;
    for (int l = 0; l < LANES; l++) {
      least = all.lane[l].left < least ? all.lane[l].left : least;
      busy += all.lane[l].left != SIZE_MAX;
    }
    if (busy == 0) {
      return;
    }
    if (is_over(&all, queue)) {
      leave(&all, queue);
      return;
    }
    const size_t blocks = shredder_sha256_together(queue, least, busy);
    shredder_sha256_taken(queue, blocks, busy);
    size_t advance[LANES];
    const uint8_t *next[LANES];
    int ended[LANES];
    shredder_message *message[LANES];
    int ends = 0;
    for (int l = 0; l < LANES; l++) {
      sha256_stream *lane = &all.lane[l];
      advance[l] = 0;
      next[l] = all.at[l];
      if (lane->left == SIZE_MAX) {
        continue;
      }
      advance[l] = SHA256_BLOCK;
      next[l] += blocks * SHA256_BLOCK;
      lane->left -= blocks;
      if (shredder_sha256_ended(lane)) {
        ended[ends] = l;
        message[ends++] = queue->messages[lane->message].of;
      }
      if (lane->left == 0) {
        next[l] = go_on(lane, queue);
      }
    }
    compress(&all, &p, blocks, advance, next);
    for (int i = 0; i < ends; i++) {
      store_state(&all, ended[i], message[i]);
      message[i]->ended = true;
      begin(&all, ended[i], queue);
    }
  }
}

#endif
