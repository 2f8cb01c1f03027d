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
 * SHA-256 of four messages at once: their rounds with the processor's SHA instructions, their message schedules in
 * the lanes of AVX-512's registers, for eight blocks at a time. The instructions for message schedules hold up
 * those for rounds, of which some processors can begin one in every cycle: on a Zen 4, a block's rounds alone take 34
 * cycles, with its schedule by these instructions 60 in three streams and 77 in four, and here 46. See sha256.h.
 *
 * Not for Intel's processors: there, an instruction for SHA, which knows no wider registers, waits for about 70 cycles if
 * the upper half of one has been written since the last. On a Xeon with AMX, a block took 200 times as long as in three
 * streams.
 *
 * Two blocks of each message make a turn. Between the rounds of one turn, the schedules of the next are computed, so
 * its blocks are known one turn ahead: where messages end and others begin is noted, and done when the rounds
 * have come there.
 */
#include "sha256.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "sha256_ni.h"

#define TARGET __attribute__((target("sha,avx512f,avx512bw,avx512vl")))

enum {
  STREAMS = SHA256_MOST_STREAMS,
  /** Blocks of each stream in a turn. */
  STEPS = 2,
  LANES = STEPS * STREAMS,
  /** Two rounds are one instruction, which takes the sums of two words and two constants. */
  PAIRS = 32,
  /** Blocks that are asked for ahead: the processor foresees nothing beyond a page of 4 KiB. More are for nothing. */
  AHEAD = 6
};

/** What is to be done for a stream in a turn; null where there is nothing. */
typedef struct change {
  /** Before the rounds: where the state with which they begin is. */
  const uint32_t *begins;
  /** After them: the message whose state it is, and whether it ends. */
  shredder_message *leaves;
  bool ended;
} change;

/** Of a turn: what the rounds take, and what is to be done before and after those of each step. */
typedef struct turn {
  /** For each pair of rounds, those of all lanes, in the order in which `input_of` has them. */
  _Alignas(64) uint64_t inputs[PAIRS][LANES];
  change changes[STEPS][STREAMS];
  /** Whether there are any; if not, those of a turn before stand there. */
  bool has_changes[STEPS];
  /** Blocks, of all streams. */
  size_t blocks;
} turn;

typedef struct streams {
  /** The last sixteen words of the message schedules being computed. */
  __m256i w[16];
  /** The blocks of the next turn; lane s * STREAMS + i has step s of stream i. */
  const uint8_t *at[LANES];
  sha256_ni_state state[STREAMS];
  turn turns[2];
  /** Where each stream goes on. */
  const uint8_t *next[STREAMS];
  sha256_stream of[STREAMS];
  /** So many turns come in which nothing changes: their blocks count as taken already. */
  size_t quiet;
  /** How far blocks are apart in them: 0 in a stream that has nothing to do. */
  size_t advance[STREAMS];
} streams;

TARGET static inline __m256i xor3(__m256i a, __m256i b, __m256i c) {
  return _mm256_ternarylogic_epi32(a, b, c, 0x96);
}

TARGET static inline __m256i add(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }

TARGET static inline __m256i load_two(const uint8_t *low, const uint8_t *high) {
  const __m128i lower = _mm_loadu_si128((const __m128i *)(const void *)low);
  const __m128i higher = _mm_loadu_si128((const __m128i *)(const void *)high);
  return _mm256_inserti128_si256(_mm256_castsi128_si256(lower), higher, 1);
}

/** w[t] becomes word `from` + t of each lane's block, for four words. */
TARGET static inline void load_words(const uint8_t *const at[LANES], int from, __m256i w[4]) {
  const __m256i big_endian = _mm256_broadcastsi128_si256(
      _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
  __m256i rows[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    rows[i] = _mm256_shuffle_epi8(load_two(at[i] + 4 * from, at[i + 4] + 4 * from), big_endian);
  }
  const __m256i low01 = _mm256_unpacklo_epi32(rows[0], rows[1]);
  const __m256i high01 = _mm256_unpackhi_epi32(rows[0], rows[1]);
  const __m256i low23 = _mm256_unpacklo_epi32(rows[2], rows[3]);
  const __m256i high23 = _mm256_unpackhi_epi32(rows[2], rows[3]);
  w[0] = _mm256_unpacklo_epi64(low01, low23);
  w[1] = _mm256_unpackhi_epi64(low01, low23);
  w[2] = _mm256_unpacklo_epi64(high01, high23);
  w[3] = _mm256_unpackhi_epi64(high01, high23);
}

/** Word t of the next 16 of the message schedule, in place of that of the 16 before. */
TARGET static inline void extend(__m256i w[16], int t) {
  const __m256i w1 = w[(t + 1) % 16];
  const __m256i w14 = w[(t + 14) % 16];
  const __m256i s0 = xor3(_mm256_ror_epi32(w1, 7), _mm256_ror_epi32(w1, 18), _mm256_srli_epi32(w1, 3));
  const __m256i s1 = xor3(_mm256_ror_epi32(w14, 17), _mm256_ror_epi32(w14, 19), _mm256_srli_epi32(w14, 10));
  __m256i known = add(add(w[t % 16], w[(t + 9) % 16]), s0);
  /* What is known early first: the word two behind this one waits for the rest. */
  __asm__("" : "+v"(known));
  w[t % 16] = add(known, s1);
}

TARGET static inline __m256i input(const __m256i w[16], int t) {
  return add(w[t % 16], _mm256_set1_epi32((int)shredder_sha256_constants[t]));
}

/** Word t of the message schedules, and after every other the inputs of two rounds. */
TARGET static inline __attribute__((always_inline)) void schedule(const uint8_t *const at[LANES], __m256i w[16],
                                                                  int t, turn *of) {
  if (t >= 16) {
    extend(w, t);
  } else if (t % 8 == 0) {
    load_words(at, t, w + t);
    load_words(at, t + 4, w + t + 4);
  }
  if (t % 2 == 1) {
    const __m256i even = input(w, t - 1);
    const __m256i odd = input(w, t);
    uint64_t *inputs = of->inputs[t / 2];
    _mm256_store_si256((__m256i *)(void *)inputs, _mm256_unpacklo_epi32(even, odd));
    _mm256_store_si256((__m256i *)(void *)(inputs + LANES / 2), _mm256_unpackhi_epi32(even, odd));
  }
}

/** Where the input of a lane is among those of all: where unpacking puts it. */
static inline size_t input_of(size_t lane) {
  const size_t in_half = lane % 4;
  return in_half / 2 * 4 + lane / 4 * 2 + in_half % 2;
}

/** The rounds of a step of one turn, with half of the schedules of the next. */
TARGET static inline __attribute__((always_inline)) void take_step(streams *all, const int step, const turn *now,
                                                                   turn *later) {
  __m128i abef[STREAMS];
  __m128i cdgh[STREAMS];
  __m256i w[16];
#pragma GCC unroll 4
  for (int i = 0; i < STREAMS; i++) {
    abef[i] = all->state[i].abef;
    cdgh[i] = all->state[i].cdgh;
  }
  if (step > 0) {
#pragma GCC unroll 16
    for (int t = 0; t < 16; t++) {
      w[t] = all->w[t];
    }
  }
#pragma GCC unroll 32
  for (int p = 0; p < PAIRS; p++) {
    schedule(all->at, w, step * PAIRS + p, later);
#pragma GCC unroll 4
    for (int i = 0; i < STREAMS; i++) {
      const uint64_t *of = &now->inputs[p][input_of((size_t)(step * STREAMS + i))];
      const __m128i sums = _mm_loadl_epi64((const __m128i *)(const void *)of);
      if (p % 2 == 0) {
        cdgh[i] = _mm_sha256rnds2_epu32(cdgh[i], abef[i], sums);
      } else {
        abef[i] = _mm_sha256rnds2_epu32(abef[i], cdgh[i], sums);
      }
    }
  }
  if (step == 0) {
#pragma GCC unroll 16
    for (int t = 0; t < 16; t++) {
      all->w[t] = w[t];
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < STREAMS; i++) {
    all->state[i].abef = _mm_add_epi32(all->state[i].abef, abef[i]);
    all->state[i].cdgh = _mm_add_epi32(all->state[i].cdgh, cdgh[i]);
  }
}

/* A fifth slower where they do not begin with a line of the cache. */
TARGET static __attribute__((noinline, aligned(64))) void take_first_step(streams *all, const turn *now, turn *later) {
  take_step(all, 0, now, later);
}

TARGET static __attribute__((noinline, aligned(64))) void take_second_step(streams *all, const turn *now, turn *later) {
  take_step(all, 1, now, later);
}

TARGET static void first_schedule(streams *all, turn *of) {
  __m256i w[16];
#pragma GCC unroll 64
  for (int t = 0; t < 2 * PAIRS; t++) {
    schedule(all->at, w, t, of);
  }
}

/** Where a stream goes on that has no blocks left; its first blocks are asked for. */
static void go_on(streams *all, size_t i, sha256_queue *queue, change *what) {
  sha256_stream *stream = &all->of[i];
  const bool is_in_message = stream->goes_on;
  all->next[i] = shredder_sha256_go_on(stream, queue);
  if (stream->left == SIZE_MAX) {
    return;
  }
  if (!is_in_message) {
    what->begins = shredder_sha256_state(stream, queue);
  }
  for (size_t b = 0; b < AHEAD && b < stream->left; b++) {
    __builtin_prefetch(all->next[i] + b * SHA256_BLOCK);
  }
}

/** The next block of a stream is that of a step of a turn. */
static void add_block(streams *all, size_t i, int step, sha256_queue *queue, turn *to) {
  sha256_stream *stream = &all->of[i];
  change *what = &to->changes[step][i];
  *what = (change){0};
  if (stream->left == 0) {
    go_on(all, i, queue, what);
  }
  const size_t lane = (size_t)step * STREAMS + i;
  all->at[lane] = all->next[i];
  if (stream->left == SIZE_MAX) {
    return;
  }
  shredder_sha256_ask(all->at[lane], AHEAD);
  all->next[i] += SHA256_BLOCK;
  stream->left--;
  to->blocks++;
  if (shredder_sha256_ended(stream)) {
    what->leaves = queue->messages[stream->message].of;
    what->ended = true;
  }
  to->has_changes[step] |= what->begins != NULL || what->leaves != NULL;
}

/** No more of a stream's message is to be taken after the turn `now`: the message is left as it is. */
static void stay(streams *all, size_t i, const sha256_queue *queue, turn *now) {
  static const uint8_t nothing[SHA256_BLOCK];
  sha256_stream *stream = &all->of[i];
  if (stream->left != SIZE_MAX && !shredder_sha256_ended(stream)) {
    change *last = now->changes[STEPS - 1];
    if (!now->has_changes[STEPS - 1]) {
      memset(last, 0, sizeof now->changes[STEPS - 1]);
    }
    shredder_sha256_leave(stream, queue);
    last[i].leaves = queue->messages[stream->message].of;
    now->has_changes[STEPS - 1] = true;
  }
  stream->left = SIZE_MAX;
  all->next[i] = nothing;
}

/** Fills a turn with the blocks that come after `now`, if more is to be taken. */
static void fill(streams *all, sha256_queue *queue, turn *now, turn *to) {
  bool is_over = queue->most == 0;
  for (size_t i = 0; i < STREAMS && queue->filled; i++) {
    is_over |= all->of[i].left == SIZE_MAX;
  }
  to->blocks = 0;
  for (int step = 0; step < STEPS; step++) {
    to->has_changes[step] = false;
    for (size_t i = 0; i < STREAMS; i++) {
      const sha256_stream *stream = &all->of[i];
      if (is_over && (shredder_sha256_can_stay(stream) || shredder_sha256_ended(stream))) {
        stay(all, i, queue, now);
      }
      add_block(all, i, step, queue, to);
    }
  }
  shredder_sha256_taken(queue, 1, to->blocks);
}

/** Foresees quiet turns, where no message ends or is left and all streams that have anything to do are in one. */
static void foresee(streams *all, sha256_queue *queue, const turn *filled) {
  size_t least = SIZE_MAX;
  size_t busy = 0;
  for (size_t i = 0; i < STREAMS; i++) {
    const size_t left = all->of[i].left;
    least = left < least ? left : least;
    busy += left != SIZE_MAX;
    all->advance[i] = left == SIZE_MAX ? 0 : SHA256_BLOCK;
  }
  all->quiet = 0;
  if (busy == 0 || least <= STEPS || filled->blocks != busy * STEPS || (queue->filled && busy < STREAMS)) {
    return;
  }
  const size_t allowed = queue->most / (busy * STEPS * SHA256_BLOCK);
  all->quiet = (least - 1) / STEPS;
  all->quiet = all->quiet < allowed ? all->quiet : allowed;
  shredder_sha256_taken(queue, all->quiet * STEPS, busy);
  for (size_t i = 0; i < STREAMS; i++) {
    all->of[i].left -= all->advance[i] > 0 ? all->quiet * STEPS : 0;
  }
}

/** Fills a turn in which nothing changes, as `before`. */
static void go_on_quietly(streams *all, const turn *before, turn *to) {
  all->quiet--;
  to->blocks = before->blocks;
  for (size_t step = 0; step < STEPS; step++) {
    to->has_changes[step] = false;
    for (size_t i = 0; i < STREAMS; i++) {
      all->at[step * STREAMS + i] = all->next[i];
      shredder_sha256_ask(all->next[i], AHEAD);
      all->next[i] += all->advance[i];
    }
  }
}

static void begin(streams *all, const turn *of, int step) {
  for (size_t i = 0; of->has_changes[step] && i < STREAMS; i++) {
    if (of->changes[step][i].begins != NULL) {
      all->state[i] = shredder_sha256_ni_state(of->changes[step][i].begins);
    }
  }
}

static void end(const streams *all, const turn *of, int step) {
  for (size_t i = 0; of->has_changes[step] && i < STREAMS; i++) {
    shredder_message *message = of->changes[step][i].leaves;
    if (message != NULL) {
      shredder_sha256_ni_store(all->state[i], message);
      message->ended = of->changes[step][i].ended;
    }
  }
}

void shredder_sha256_streams_avx512(sha256_queue *queue) {
  streams all;
  for (size_t i = 0; i < STREAMS; i++) {
    all.of[i].left = 0;
    all.of[i].goes_on = false;
    all.of[i].turn = 0;
    all.state[i] = (sha256_ni_state){_mm_setzero_si128(), _mm_setzero_si128()};
  }
  all.quiet = 0;
  turn *now = &all.turns[0];
  turn *later = &all.turns[1];
  fill(&all, queue, later, now);
  first_schedule(&all, now);
  while (now->blocks > 0) {
    if (all.quiet > 0) {
      go_on_quietly(&all, now, later);
    } else {
      fill(&all, queue, now, later);
      foresee(&all, queue, later);
    }
    begin(&all, now, 0);
    take_first_step(&all, now, later);
    end(&all, now, 0);
    begin(&all, now, 1);
    take_second_step(&all, now, later);
    end(&all, now, 1);
    turn *taken = now;
    now = later;
    later = taken;
  }
}

#endif
