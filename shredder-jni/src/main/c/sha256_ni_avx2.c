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
 * SHA-256 of three messages at once with the processor's SHA instructions. Two leave some of its time unused;
 * four need more registers than there are and are no faster. AVX2 for its instructions with three operands, which
 * save copies. See sha256.h.
 */
#include "sha256.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "sha256_ni.h"

#define TARGET __attribute__((target("sha,avx2")))

/*
 * AHEAD: so many blocks ahead a stream asks for what it needs. The processor foresees nothing beyond a
 * page of 4 KiB, so without that each stream waits for memory at the beginning of every page.
 */
enum { STREAMS = 3, AHEAD = 16 };

typedef struct stream {
  sha256_stream of;
  const uint8_t *at;
  sha256_ni_state state;
} stream;

TARGET static inline __m128i load(const void *from) {
  return _mm_loadu_si128((const __m128i *)from);
}

/** Takes `blocks` blocks of each of `count` streams, a constant, into their states. */
TARGET static inline __attribute__((always_inline)) void compress(stream *const streams[STREAMS],
                                                                  const int count, size_t blocks) {
  const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  const uint8_t *at[STREAMS];
  __m128i abef[STREAMS];
  __m128i cdgh[STREAMS];
#pragma GCC unroll 3
  for (int i = 0; i < count; i++) {
    at[i] = streams[i]->at;
    abef[i] = streams[i]->state.abef;
    cdgh[i] = streams[i]->state.cdgh;
  }
  for (size_t block = 0; block < blocks; block++) {
    __m128i w[STREAMS][4];
    __m128i abef_before[STREAMS];
    __m128i cdgh_before[STREAMS];
#pragma GCC unroll 3
    for (int i = 0; i < count; i++) {
      abef_before[i] = abef[i];
      cdgh_before[i] = cdgh[i];
#pragma GCC unroll 4
      for (int t = 0; t < 4; t++) {
        w[i][t] = _mm_shuffle_epi8(load(at[i] + 16 * t), big_endian);
      }
      shredder_sha256_ask(at[i], AHEAD);
      at[i] += SHA256_BLOCK;
    }
    /* Four rounds, and the four words of the message schedule that are due 16 rounds later. */
#pragma GCC unroll 16
    for (int t = 0; t < 16; t++) {
      const __m128i constants = load(shredder_sha256_constants + 4 * t);
#pragma GCC unroll 3
      for (int i = 0; i < count; i++) {
        const __m128i input = _mm_add_epi32(w[i][t % 4], constants);
        cdgh[i] = _mm_sha256rnds2_epu32(cdgh[i], abef[i], input);
        abef[i] = _mm_sha256rnds2_epu32(abef[i], cdgh[i], _mm_shuffle_epi32(input, 0x0E));
        if (t < 12) {
          const __m128i before7 = _mm_alignr_epi8(w[i][(t + 3) % 4], w[i][(t + 2) % 4], 4);
          const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[i][t % 4], w[i][(t + 1) % 4]), before7);
          w[i][t % 4] = _mm_sha256msg2_epu32(sum, w[i][(t + 3) % 4]);
        }
      }
    }
#pragma GCC unroll 3
    for (int i = 0; i < count; i++) {
      abef[i] = _mm_add_epi32(abef[i], abef_before[i]);
      cdgh[i] = _mm_add_epi32(cdgh[i], cdgh_before[i]);
    }
  }
#pragma GCC unroll 3
  for (int i = 0; i < count; i++) {
    streams[i]->at = at[i];
    streams[i]->state.abef = abef[i];
    streams[i]->state.cdgh = cdgh[i];
  }
}

TARGET static void compress_one(stream *const streams[STREAMS], size_t blocks) {
  compress(streams, 1, blocks);
}

TARGET static void compress_two(stream *const streams[STREAMS], size_t blocks) {
  compress(streams, 2, blocks);
}

TARGET static void compress_three(stream *const streams[STREAMS], size_t blocks) {
  compress(streams, 3, blocks);
}

/** Goes on where a stream has no blocks left, and says whether there is anything. */
static bool go_on(stream *s, sha256_queue *queue) {
  s->at = shredder_sha256_go_on(&s->of, queue);
  return s->of.left != SIZE_MAX;
}

/** The stream's message goes on where it is. */
static void begin(stream *s, const sha256_queue *queue) {
  s->state = shredder_sha256_ni_state(shredder_sha256_state(&s->of, queue));
}

/** Whether no more is to be taken now. */
static bool is_over(stream *const busy[STREAMS], int count, const sha256_queue *queue) {
  for (int i = 0; i < count; i++) {
    if (!shredder_sha256_can_stay(&busy[i]->of)) {
      return false;
    }
  }
  return queue->most == 0 || (queue->filled && count < STREAMS);
}

void shredder_sha256_streams(sha256_queue *queue) {
  stream memory[STREAMS] = {0};
  stream *busy[STREAMS];
  int count = 0;
  for (int i = 0; i < STREAMS; i++) {
    if (go_on(&memory[i], queue)) {
      begin(&memory[i], queue);
      busy[count++] = &memory[i];
    }
  }
  while (count > 0) {
    if (is_over(busy, count, queue)) {
      break;
    }
    size_t least = SIZE_MAX;
    for (int i = 0; i < count; i++) {
      least = busy[i]->of.left < least ? busy[i]->of.left : least;
    }
    const size_t blocks = shredder_sha256_together(queue, least, (size_t)count);
    shredder_sha256_taken(queue, blocks, (size_t)count);
    switch (count) {
      case 1:
        compress_one(busy, blocks);
        break;
      case 2:
        compress_two(busy, blocks);
        break;
      default:
        compress_three(busy, blocks);
    }
    /* From the last to the first, because the last takes the place of one that has nothing to do any more. */
    for (int i = count - 1; i >= 0; i--) {
      stream *s = busy[i];
      s->of.left -= blocks;
      const bool ends = shredder_sha256_ended(&s->of);
      if (ends) {
        shredder_message *message = queue->messages[s->of.message].of;
        shredder_sha256_ni_store(s->state, message);
        message->ended = true;
      }
      if (s->of.left == 0 && !go_on(s, queue)) {
        busy[i] = busy[--count];
      } else if (ends) {
        begin(s, queue);
      }
    }
  }
  for (int i = 0; i < count; i++) {
    shredder_sha256_ni_store(busy[i]->state, queue->messages[busy[i]->of.message].of);
    shredder_sha256_leave(&busy[i]->of, queue);
  }
}

#endif
