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

/* The streams' way through the messages, and which form of SHA-256 takes them. See sha256.h. */
#include "sha256.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

const uint32_t shredder_sha256_initial[SHA256_WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

const uint32_t shredder_sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void begin_message(sha256_stream *stream, sha256_queue *queue) {
  stream->message = queue->order[queue->begun++];
  const sha256_message *message = &queue->messages[stream->message];
  stream->from = shredder_read_from(message->of->first_piece, message->of->pieces);
  stream->goes_on = true;
}

/** The last of the message and the padding: one block or two. */
static const uint8_t *last_blocks(sha256_stream *stream, uint64_t length) {
  stream->turn ^= 1;
  uint8_t *last = stream->together[stream->turn];
  const size_t rest = stream->from.rest;
  stream->left = rest + 9 <= SHA256_BLOCK ? 1 : 2;
  stream->goes_on = false;
  /* One by one: for both at once gcc takes an instruction that repeats itself, which is slow to begin. */
  memset(last, 0, SHA256_BLOCK);
  memset(last + SHA256_BLOCK, 0, SHA256_BLOCK);
  shredder_read(&stream->from, last, rest);
  last[rest] = 0x80;
  const uint64_t bits = __builtin_bswap64(8 * length);
  memcpy(last + stream->left * SHA256_BLOCK - sizeof bits, &bits, sizeof bits);
  return last;
}

const uint8_t *shredder_sha256_go_on(sha256_stream *stream, sha256_queue *queue) {
  static const uint8_t nothing[SHA256_BLOCK];
  if (!stream->goes_on) {
    if (queue->begun == queue->count) {
      stream->left = SIZE_MAX;
      return nothing;
    }
    begin_message(stream, queue);
  }
  if (stream->from.rest < SHA256_BLOCK) {
    const sha256_message *message = &queue->messages[stream->message];
    return last_blocks(stream, message->of->done + message->length);
  }
  shredder_find_piece(&stream->from);
  stream->left = stream->from.piece.length / SHA256_BLOCK;
  if (stream->left == 0) {
    stream->left = 1;
    stream->turn ^= 1;
    shredder_read(&stream->from, stream->together[stream->turn], SHA256_BLOCK);
    return stream->together[stream->turn];
  }
  const uint8_t *at = stream->from.piece.bytes;
  shredder_pass(&stream->from, stream->left * SHA256_BLOCK);
  return at;
}

const uint32_t *shredder_sha256_state(const sha256_stream *stream, const sha256_queue *queue) {
  const shredder_message *message = queue->messages[stream->message].of;
  return message->done > 0 ? message->state : shredder_sha256_initial;
}

size_t shredder_sha256_together(const sha256_queue *queue, size_t least, size_t streams) {
  const size_t allowed = queue->most / SHA256_BLOCK / streams;
  return allowed == 0 ? 1 : least < allowed ? least : allowed;
}

void shredder_sha256_taken(sha256_queue *queue, size_t blocks, size_t streams) {
  const size_t bytes = blocks * SHA256_BLOCK * streams;
  queue->most = bytes < queue->most ? queue->most - bytes : 0;
}

void shredder_sha256_leave(const sha256_stream *stream, const sha256_queue *queue) {
  const sha256_message *message = &queue->messages[stream->message];
  message->of->done += message->length - stream->from.rest - stream->left * SHA256_BLOCK;
}

/** As they come: what stays as it is must not stay for ever. */
static void keep_order(size_t count, size_t *order) {
  for (size_t i = 0; i < count; i++) {
    order[i] = i;
  }
}

/** Longest first, nearly: by their share of the longest. */
static void sort(const sha256_message *messages, size_t count, size_t *order) {
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

static unsigned ask_processor(void) {
  unsigned forms = 0;
#if defined(__x86_64__)
  /* These ask the operating system, too, whether it saves the registers. */
  __builtin_cpu_init();
  unsigned a, b, c, d;
  const bool has_sha = __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
                       (b & bit_SHA) != 0;
  if (has_sha) {
    forms |= SHREDDER_STREAMS;
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    forms |= SHREDDER_LANES | SHREDDER_MORE_LANES;
    /* Intel's take 200 times as long as with the others: see there. */
    forms |= has_sha && !__builtin_cpu_is("intel") ? SHREDDER_STREAMS_AVX512 : 0;
  }
#endif
  return forms;
}

unsigned shredder_digest_forms(void) {
  /* Asked once: in a virtual machine, CPUID takes longer than a digest. */
  enum { ASKED = 1 << 16 };
  static atomic_uint known;
  unsigned forms = atomic_load_explicit(&known, memory_order_relaxed);
  if (forms == 0) {
    forms = ask_processor() | ASKED;
    atomic_store_explicit(&known, forms, memory_order_relaxed);
  }
  return forms & ~(unsigned)ASKED;
}

#if defined(__x86_64__)

enum {
  /** Lanes take as long as the longest, and one alone is slow; with so many full they draw level with streams. */
  LEVEL_WITH_STREAMS = 9,
  /** The same for 32 lanes and 16: a block in each of 32 takes half as long again as in each of 16, or more. */
  LEVEL_WITH_LANES = 25,
  /** The same for four streams, one of which has nothing to do, and three. */
  LEVEL_WITH_THREE = 3
};

/** How many of the longest messages have as many bytes as all together: so many lanes can be full to the end. */
static size_t longest_in_all(const sha256_queue *queue) {
  size_t total = 0;
  size_t longest = 1;
  for (size_t i = 0; i < queue->count; i++) {
    const size_t length = queue->messages[i].length;
    total += length;
    longest = length > longest ? length : longest;
  }
  return total / longest;
}

/** The form of a set that is fastest for the messages. */
static shredder_sha256_form *fastest(unsigned forms, const sha256_queue *queue) {
  const size_t full = queue->filled ? queue->count : longest_in_all(queue);
  const bool has_lanes = (forms & SHREDDER_LANES) != 0;
  const size_t for_more = queue->filled ? SHA256_MOST_LANES : has_lanes ? LEVEL_WITH_LANES : LEVEL_WITH_STREAMS;
  if (forms == SHREDDER_MORE_LANES || ((forms & SHREDDER_MORE_LANES) != 0 && full >= for_more)) {
    return shredder_sha256_more_lanes;
  }
  forms &= ~(unsigned)SHREDDER_MORE_LANES;
  const size_t for_lanes = queue->filled ? SHA256_LANES : LEVEL_WITH_STREAMS;
  if (forms == SHREDDER_LANES || (has_lanes && full >= for_lanes)) {
    return shredder_sha256_lanes;
  }
  forms &= ~(unsigned)SHREDDER_LANES;
  const size_t for_four = queue->filled ? SHA256_MOST_STREAMS : LEVEL_WITH_THREE;
  if (forms == SHREDDER_STREAMS_AVX512 || ((forms & SHREDDER_STREAMS_AVX512) != 0 && full >= for_four)) {
    return shredder_sha256_streams_avx512;
  }
  return shredder_sha256_streams;
}

static void take_all(unsigned forms, sha256_queue *queue) { fastest(forms, queue)(queue); }

#else

/** There are no forms, so nothing is left to be called with. */
static void take_all(unsigned forms, sha256_queue *queue) {
  (void)forms;
  (void)queue;
}

#endif

shredder_status shredder_sha256(unsigned forms, shredder_message *messages, size_t count, size_t most,
                                bool filled) {
  if (forms == 0 || (forms & ~shredder_digest_forms()) != 0) {
    return SHREDDER_BAD_ARGUMENT;
  }
  if (count == 0) {
    return SHREDDER_OK;
  }
  sha256_message *measured = count > SIZE_MAX / 64 ? NULL : malloc(count * (sizeof *measured + sizeof(size_t)));
  if (measured == NULL) {
    return SHREDDER_NO_MEMORY;
  }
  size_t *order = (size_t *)(void *)(measured + count);
  for (size_t i = 0; i < count; i++) {
    measured[i].of = &messages[i];
    measured[i].length = shredder_read_from(messages[i].first_piece, messages[i].pieces).rest;
  }
  if (filled) {
    keep_order(count, order);
  } else {
    sort(measured, count, order);
  }
  sha256_queue queue = {.messages = measured, .order = order, .count = count, .most = most, .filled = filled};
  take_all(forms, &queue);
  free(measured);
  return SHREDDER_OK;
}

#if defined(__x86_64__)

static uint64_t nanoseconds(void) {
  struct timespec now;
  (void)timespec_get(&now, TIME_UTC);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/** Each form so often, with so many messages of so many bytes: as many as the most lanes take. */
enum { TRIES = 10, TRIED = SHA256_MOST_LANES, TRIED_BYTES = 2048 };

/** How far messages are apart: not as far as would have all of them compete for the same places of a core's cache. */
enum { APART = TRIED_BYTES + 3 * SHA256_BLOCK };

/** How long a form takes. */
static uint64_t time_of(shredder_digest_form form, const uint8_t *bytes) {
  shredder_piece pieces[TRIED];
  shredder_message messages[TRIED];
  for (size_t i = 0; i < TRIED; i++) {
    pieces[i] = (shredder_piece){bytes + i * APART, TRIED_BYTES};
    messages[i] = (shredder_message){.first_piece = &pieces[i], .pieces = 1};
  }
  const uint64_t begin = nanoseconds();
  const shredder_status status = shredder_sha256(form, messages, TRIED, SIZE_MAX, false);
  const uint64_t time = nanoseconds() - begin;
  return status == SHREDDER_OK ? time : UINT64_MAX;
}

/** Measures the forms of a processor that has streams and lanes. By turns, so that what slows it down slows down all. */
static unsigned measured_forms(unsigned forms, const uint8_t *bytes) {
  static const shredder_digest_form tried[] = {SHREDDER_STREAMS, SHREDDER_STREAMS_AVX512, SHREDDER_LANES,
                                               SHREDDER_MORE_LANES};
  enum { FORMS = sizeof tried / sizeof *tried };
  uint64_t least[FORMS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  for (int t = 0; t < TRIES; t++) {
    for (size_t f = 0; f < FORMS; f++) {
      if ((forms & (unsigned)tried[f]) != 0) {
        const uint64_t time = time_of(tried[f], bytes);
        least[f] = time < least[f] ? time : least[f];
      }
    }
  }
  const bool four_streams = (forms & SHREDDER_STREAMS_AVX512) != 0 && least[1] <= least[0];
  /* Lanes are to save at least a fifth of the time, and more of them at least a tenth of what fewer take. */
  const uint64_t enough = least[four_streams ? 1 : 0] / 5 * 4;
  const bool lanes = least[2] <= enough;
  const bool more_lanes = least[3] <= enough && least[3] <= least[2] / 10 * 9;
  return SHREDDER_STREAMS | (four_streams ? SHREDDER_STREAMS_AVX512 : 0u) | (lanes ? SHREDDER_LANES : 0u) |
         (more_lanes ? SHREDDER_MORE_LANES : 0u);
}

unsigned shredder_worthwhile_digest_forms(void) {
  const unsigned forms = shredder_digest_forms();
  if ((forms & SHREDDER_STREAMS) == 0 || (forms & SHREDDER_LANES) == 0) {
    return forms & ~(unsigned)SHREDDER_MORE_LANES;
  }
  uint8_t *bytes = malloc(TRIED * APART);
  if (bytes == NULL) {
    return forms & ~(unsigned)(SHREDDER_LANES | SHREDDER_MORE_LANES);
  }
  memset(bytes, 0x55, TRIED * APART);
  const unsigned worthwhile = measured_forms(forms, bytes);
  free(bytes);
  return worthwhile;
}

#else

unsigned shredder_worthwhile_digest_forms(void) { return shredder_digest_forms(); }

#endif
