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
 * go on; the longest go first, so that the streams end at about the same time.
 */
#ifndef SHREDDER_SHA256_H
#define SHREDDER_SHA256_H

#include "shredder.h"

enum { SHA256_WORDS = 8, SHA256_BLOCK = 64, SHA256_DIGEST = 32 };

extern const uint32_t shredder_sha256_initial[SHA256_WORDS];
extern const uint32_t shredder_sha256_constants[64];

/** A message, and its length in bytes. */
typedef struct sha256_message {
  shredder_message of;
  size_t length;
} sha256_message;

/** Messages in the order in which they are begun. */
typedef struct sha256_queue {
  const sha256_message *messages;
  const size_t *order;
  size_t count;
  size_t begun;
} sha256_queue;

/** A message on its way through a stream. All zero is a stream before its first. */
typedef struct sha256_stream {
  size_t message;
  /** Blocks that follow each other and are still to be taken; SIZE_MAX in a stream that has nothing to do. */
  size_t left;
  /** Whether blocks of the message come after those. */
  bool goes_on;
  /** What of the message comes after those: the rest of a piece, the pieces behind it, and all their bytes. */
  shredder_piece piece;
  const shredder_piece *next_piece;
  size_t rest;
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

void shredder_sha256_write(const uint32_t state[SHA256_WORDS], uint8_t digest[SHA256_DIGEST]);

/** A form: digests all messages of the queue. */
typedef void shredder_sha256_form(sha256_queue *queue, uint8_t (*digests)[SHA256_DIGEST]);

#if defined(__x86_64__)
shredder_sha256_form shredder_sha256_streams;
shredder_sha256_form shredder_sha256_lanes;
#endif

#endif
