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
 * SHA-256 of many messages at once, FIPS 180-4, one in each of the 16 lanes of a register.
 *
 * One message is a chain: each round waits for the one before, so even with the processor's own SHA
 * instructions a core leaves most of its time unused. Independent messages fill it, and chunks are
 * independent. A lane whose message ends takes the next one, while the others go on; the longest go first,
 * so that the lanes end at about the same time.
 */
#include "shredder.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))

enum { LANES = 16, WORDS = 8, BLOCK = 64, DIGEST = 32 };

/** Blocks that each lane asks for ahead. */
enum { AHEAD = 8 };

static const uint32_t INITIAL[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint32_t ROUND_CONSTANTS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/** A message on its way through a lane: whole blocks first, then one or two with the padding. */
typedef struct message_lane {
  size_t message;
  bool busy;
  /** Blocks with the padding that have not been begun; 0 while they are under way. */
  size_t last_blocks;
  /** In turns, because the blocks of one message are loaded while the next begins. */
  uint8_t last[2][2 * BLOCK];
  int turn;
} message_lane;

/**
 * What is loaded runs one block ahead of what is compressed: `at` is the block whose schedule is ready,
 * `state` that before it.
 */
typedef struct lanes {
  /** state[w][l]: word w of lane l. */
  _Alignas(64) uint32_t state[WORDS][LANES];
  const uint8_t *at[LANES];
  /** Blocks that follow each other from `at` on; SIZE_MAX in a lane that has nothing to do. */
  size_t left[LANES];
  message_lane lane[LANES];
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
TARGET static inline void round_of(__m512i s[WORDS], int t, __m512i input) {
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

TARGET static inline __m512i constant(int t) { return _mm512_set1_epi32((int)ROUND_CONSTANTS[t]); }

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
  __m512i s[WORDS];
  for (int i = 0; i < WORDS; i++) {
    s[i] = _mm512_load_si512(all->state[i]);
  }
  for (size_t block = 1; block <= blocks; block++) {
    const __m512i *now = p->schedule[p->turn];
    __m512i *later = p->schedule[p->turn ^= 1];
    for (int l = 0; l < LANES; l++) {
      all->at[l] = block < blocks ? all->at[l] + advance[l] : next[l];
      /* As a number, because it may lie behind the message; asking for it does no harm. */
      _mm_prefetch((const char *)((uintptr_t)all->at[l] + AHEAD * BLOCK), _MM_HINT_T0);
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
    for (int i = 0; i < WORDS; i++) {
      s[i] = add(_mm512_load_si512(all->state[i]), s[i]);
      _mm512_store_si512(all->state[i], s[i]);
    }
  }
}

/** Messages in the order in which they are begun. */
typedef struct message_queue {
  const shredder_message *messages;
  const size_t *order;
  size_t count;
  size_t begun;
} message_queue;

static void begin_message(lanes *all, int l, message_queue *queue) {
  message_lane *lane = &all->lane[l];
  lane->message = queue->order[queue->begun++];
  const shredder_message *message = &queue->messages[lane->message];
  const size_t rest = message->length % BLOCK;
  lane->last_blocks = rest + 9 <= BLOCK ? 1 : 2;
  lane->turn ^= 1;
  uint8_t *last = lane->last[lane->turn];
  memset(last, 0, sizeof lane->last[0]);
  if (rest > 0) {
    memcpy(last, message->bytes + message->length - rest, rest);
  }
  last[rest] = 0x80;
  const uint64_t bits = 8 * (uint64_t)message->length;
  for (size_t i = 0; i < 8; i++) {
    last[lane->last_blocks * BLOCK - 1 - i] = (uint8_t)(bits >> (8 * i));
  }
  all->left[l] = message->length / BLOCK;
  for (size_t i = 0; i < AHEAD && i < all->left[l]; i++) {
    __builtin_prefetch(message->bytes + i * BLOCK);
  }
}

/** Where a lane goes on that has no blocks left: its last blocks, the next message, or nothing. */
static const uint8_t *go_on(lanes *all, int l, message_queue *queue) {
  static const uint8_t nothing[BLOCK];
  message_lane *lane = &all->lane[l];
  if (lane->last_blocks == 0) {
    lane->busy = queue->begun < queue->count;
    if (!lane->busy) {
      all->left[l] = SIZE_MAX;
      return nothing;
    }
    begin_message(all, l, queue);
    if (all->left[l] > 0) {
      return queue->messages[lane->message].bytes;
    }
  }
  all->left[l] = lane->last_blocks;
  lane->last_blocks = 0;
  return lane->last[lane->turn];
}

static void reset_state(lanes *all, int l) {
  for (int w = 0; w < WORDS; w++) {
    all->state[w][l] = INITIAL[w];
  }
}

static void write_digest(const lanes *all, int l, uint8_t digest[DIGEST]) {
  for (size_t w = 0; w < WORDS; w++) {
    const uint32_t word = all->state[w][l];
    for (size_t i = 0; i < 4; i++) {
      digest[4 * w + i] = (uint8_t)(word >> (24 - 8 * i));
    }
  }
}

static void digest_all(message_queue *queue, uint8_t (*digests)[DIGEST]) {
  lanes all = {0};
  pipeline p;
  p.turn = 0;
  for (int l = 0; l < LANES; l++) {
    reset_state(&all, l);
    all.at[l] = go_on(&all, l, queue);
  }
  first_schedule(&p, all.at);
  while (true) {
    size_t blocks = SIZE_MAX;
    for (int l = 0; l < LANES; l++) {
      blocks = all.left[l] < blocks ? all.left[l] : blocks;
    }
    if (blocks == SIZE_MAX) {
      return;
    }
    size_t advance[LANES];
    const uint8_t *next[LANES];
    int ended[LANES];
    uint8_t *digest[LANES];
    int ends = 0;
    for (int l = 0; l < LANES; l++) {
      message_lane *lane = &all.lane[l];
      advance[l] = lane->busy ? BLOCK : 0;
      next[l] = all.at[l] + blocks * advance[l];
      all.left[l] -= lane->busy ? blocks : 0;
      if (all.left[l] == 0) {
        if (lane->last_blocks == 0) {
          ended[ends] = l;
          digest[ends++] = digests[lane->message];
        }
        next[l] = go_on(&all, l, queue);
      }
    }
    compress(&all, &p, blocks, advance, next);
    for (int i = 0; i < ends; i++) {
      write_digest(&all, ended[i], digest[i]);
      reset_state(&all, ended[i]);
    }
  }
}

/** Longest first, nearly: by their share of the longest. */
static void sort(const shredder_message *messages, size_t count, size_t *order) {
  enum { CLASSES = 64 };
  size_t longest = 1;
  for (size_t i = 0; i < count; i++) {
    longest = messages[i].length > longest ? messages[i].length : longest;
  }
  const double scale = (CLASSES - 1) / (double)longest;
  size_t begins[CLASSES + 1] = {0};
  for (size_t i = 0; i < count; i++) {
    begins[CLASSES - (size_t)((double)messages[i].length * scale)]++;
  }
  for (int c = 1; c <= CLASSES; c++) {
    begins[c] += begins[c - 1];
  }
  for (size_t i = 0; i < count; i++) {
    order[begins[CLASSES - 1 - (size_t)((double)messages[i].length * scale)]++] = i;
  }
}

shredder_status shredder_sha256(shredder_level level, const shredder_message *messages,
                                size_t count, uint8_t (*digests)[DIGEST]) {
  if (level < SHREDDER_AVX512 || level > shredder_best_level()) {
    return SHREDDER_BAD_ARGUMENT;
  }
  if (count == 0) {
    return SHREDDER_OK;
  }
  size_t *order = calloc(count, sizeof *order);
  if (order == NULL) {
    return SHREDDER_NO_MEMORY;
  }
  sort(messages, count, order);
  message_queue queue = {.messages = messages, .order = order, .count = count};
  digest_all(&queue, digests);
  free(order);
  return SHREDDER_OK;
}

#else

shredder_status shredder_sha256(shredder_level level, const shredder_message *messages,
                                size_t count, uint8_t (*digests)[32]) {
  (void)level;
  (void)messages;
  (void)count;
  (void)digests;
  return SHREDDER_BAD_ARGUMENT;
}

#endif
