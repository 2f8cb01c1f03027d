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
 * SHA-256 of several messages at once, FIPS 180-4: what all forms of it have in common.
 *
 * One message is a chain: each round waits for the one before, so even with the processor's own SHA
 * instructions a core leaves much of its time unused. Independent messages fill it, and chunks are
 * independent. A form has several streams. A stream whose message ends takes the next one, while the others
 * go on. If all messages are to end, the longest go first, so that the streams end at about the same time.
 */
#ifndef SHREDDER_SHA256_H
#define SHREDDER_SHA256_H

#include "pieces.h"

enum { SHA256_WORDS = 8, SHA256_BLOCK = 64, SHA256_MOST_STREAMS = 4, SHA256_LANES = 16, SHA256_MOST_LANES = 32 };

extern const uint32_t shredder_sha256_initial[SHA256_WORDS];
extern const uint32_t shredder_sha256_constants[64];

/** A message, and how many bytes its pieces have. */
typedef struct sha256_message {
  shredder_message *of;
  size_t length;
} sha256_message;

/** Messages in the order in which they are begun. */
typedef struct sha256_queue {
  const sha256_message *messages;
  const size_t *order;
  size_t count;
  size_t begun;
  /** After so many bytes no more are to be taken. */
  size_t most;
  /** Nor when a stream has nothing to do. */
  bool filled;
} sha256_queue;

/** A message on its way through a stream. A stream before its first has no blocks left and does not go on. */
typedef struct sha256_stream {
  size_t message;
  /** Blocks that follow each other and are still to be taken; SIZE_MAX in a stream that has nothing to do. */
  size_t left;
  /** Whether blocks of the message come after those. */
  bool goes_on;
  /** What of the message comes after those. */
  shredder_reader from;
  /**
   * Blocks put together, across pieces or with the padding. In turns, because a form may load what it was
   * given last while it asks what comes next.
   */
  uint8_t together[2][2 * SHA256_BLOCK];
  int turn;
} sha256_stream;

/**
 * Where a stream goes on that has no blocks left: at the next blocks of its message, at the next message, or,
 * where `left` becomes SIZE_MAX, at a block that means nothing.
 */
const uint8_t *shredder_sha256_go_on(sha256_stream *stream, sha256_queue *queue);

/** Whether a stream that has no blocks left has come to the end of its message. */
static inline bool shredder_sha256_ended(const sha256_stream *stream) {
  return stream->left == 0 && !stream->goes_on;
}

/** The state with which the stream's message begins, or goes on. */
const uint32_t *shredder_sha256_state(const sha256_stream *stream, const sha256_queue *queue);

/** Blocks that are taken together: no more than each of some streams has, of which `least` is the least. */
size_t shredder_sha256_together(const sha256_queue *queue, size_t least, size_t streams);

/** So many blocks of each of some streams have been taken. */
void shredder_sha256_taken(sha256_queue *queue, size_t blocks, size_t streams);

/**
 * Whether a stream's message can be left as it is: not when the padding is about to be taken, or some of it has
 * been.
 */
static inline bool shredder_sha256_can_stay(const sha256_stream *stream) {
  return stream->left == SIZE_MAX || stream->goes_on;
}

/** Leaves the stream's message as it is, but for its state. */
void shredder_sha256_leave(const sha256_stream *stream, const sha256_queue *queue);

/** Asks for what lies so many blocks ahead, maybe behind the message: as a number, and that does no harm. */
static inline void shredder_sha256_ask(const uint8_t *at, size_t blocks) {
  __builtin_prefetch((const void *)((uintptr_t)at + blocks * SHA256_BLOCK));
}

/** A form: takes the messages of the queue. */
typedef void shredder_sha256_form(sha256_queue *queue);

#if defined(__x86_64__)
shredder_sha256_form shredder_sha256_streams;
shredder_sha256_form shredder_sha256_streams_avx512;
shredder_sha256_form shredder_sha256_lanes;
shredder_sha256_form shredder_sha256_more_lanes;
#endif

#endif
