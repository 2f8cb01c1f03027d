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

/* A message's bytes, across the pieces in which they lie. */
#ifndef SHREDDER_PIECES_H
#define SHREDDER_PIECES_H

#include <string.h>

#include "shredder.h"

/** What has not been read of a message: the rest of a piece, the pieces behind it, and all their bytes. */
typedef struct shredder_reader {
  shredder_piece piece;
  const shredder_piece *next_piece;
  size_t rest;
} shredder_reader;

static inline shredder_reader shredder_read_from(const shredder_piece *pieces, size_t count) {
  shredder_reader from = {.next_piece = pieces};
  for (size_t p = 0; p < count; p++) {
    from.rest += pieces[p].length;
  }
  return from;
}

/** Goes on to a piece that has bytes; there must be one. */
static inline void shredder_find_piece(shredder_reader *from) {
  while (from->piece.length == 0) {
    from->piece = *from->next_piece++;
  }
}

/** Passes over bytes of the piece. */
static inline void shredder_pass(shredder_reader *from, size_t count) {
  from->piece.bytes += count;
  from->piece.length -= count;
  from->rest -= count;
}

/** Copies bytes of the message, of which there must be as many. */
static inline void shredder_read(shredder_reader *from, uint8_t *to, size_t count) {
  while (count > 0) {
    shredder_find_piece(from);
    const size_t some = count < from->piece.length ? count : from->piece.length;
    memcpy(to, from->piece.bytes, some);
    shredder_pass(from, some);
    to += some;
    count -= some;
  }
}

#endif
