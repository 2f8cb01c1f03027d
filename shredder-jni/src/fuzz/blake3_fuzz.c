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
 * Fuzz target: BLAKE3 digests of many messages at once, and of each bit by bit, are those of a plain recursive
 * form, on every level; and no state of a message makes trouble.
 *
 * Input: a byte that seeds how messages are divided; pairs of bytes, each the length of a message, up to one of
 * 0xFFFF; then the messages' bytes, as far as they reach, repeated.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shredder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lengths are up to 65534 times 16: beyond a row of 512 leaves. */
enum { MOST = 24, PIECES = 6, SCALE = 16, SHORT = 1 << 13 };

static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void mix(uint32_t *v, int a, int b, int c, int d, uint32_t x, uint32_t y) {
  v[a] += v[b] + x;
  v[d] = turn(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = turn(v[b] ^ v[c], 12);
  v[a] += v[b] + y;
  v[d] = turn(v[d] ^ v[a], 8);
  v[c] += v[d];
  v[b] = turn(v[b] ^ v[c], 7);
}

/** One block, its words permuted after each round. */
static void block(uint32_t h[8], const uint8_t bytes[64], uint64_t counter, uint32_t length, uint32_t flags) {
  static const int order[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
  uint32_t m[16];
  for (int i = 0; i < 16; i++) {
    m[i] = (uint32_t)bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 | (uint32_t)bytes[4 * i + 2] << 16 |
           (uint32_t)bytes[4 * i + 3] << 24;
  }
  uint32_t v[16];
  memcpy(v, h, 32);
  memcpy(v + 8, initial, 16);
  v[12] = (uint32_t)counter;
  v[13] = (uint32_t)(counter >> 32);
  v[14] = length;
  v[15] = flags;
  for (int round = 0; round < 7; round++) {
    for (int i = 0; i < 4; i++) {
      mix(v, i, 4 + i, 8 + i, 12 + i, m[2 * i], m[2 * i + 1]);
    }
    for (int i = 0; i < 4; i++) {
      mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[8 + 2 * i], m[9 + 2 * i]);
    }
    uint32_t next[16];
    for (int i = 0; i < 16; i++) {
      next[i] = m[order[i]];
    }
    memcpy(m, next, sizeof m);
  }
  for (int i = 0; i < 8; i++) {
    h[i] = v[i] ^ v[8 + i];
  }
}

/** The node over some bytes, from leaf `number` on. */
static void node(const uint8_t *bytes, size_t length, uint64_t number, uint32_t root, uint8_t to[32]) {
  uint32_t h[8];
  memcpy(h, initial, sizeof h);
  if (length <= 1024) {
    size_t at = 0;
    do {
      const size_t some = length - at < 64 ? length - at : 64;
      uint8_t padded[64] = {0};
      if (some > 0) {
        memcpy(padded, bytes + at, some);
      }
      const uint32_t first = at == 0 ? 1 : 0;
      const uint32_t last = at + some == length ? 2 | root : 0;
      block(h, padded, number, (uint32_t)some, first | last);
      at += some;
    } while (at < length);
  } else {
    size_t left = 1024;
    while (2 * left < length) {
      left *= 2;
    }
    uint8_t children[64];
    node(bytes, left, number, 0, children);
    node(bytes + left, length - left, number + left / 1024, 0, children + 32);
    block(h, children, 0, 64, 4 | root);
  }
  for (int i = 0; i < 32; i++) {
    to[i] = (uint8_t)(h[i / 4] >> (8 * (i % 4)));
  }
}

/** In a block of exactly its size, so that the sanitizer sees what is read beyond. */
static uint8_t *exactly(size_t length) {
  uint8_t *bytes = malloc(length == 0 ? 1 : length);
  if (bytes == NULL) {
    abort();
  }
  return bytes;
}

static void require(bool holds, const char *what, unsigned level) {
  if (!holds) {
    fprintf(stderr, "level %u: %s\n", level, what);
    abort();
  }
}

static void check(shredder_level level, const shredder_message *messages, size_t count,
                  uint8_t (*expected)[SHREDDER_DIGEST_BYTES]) {
  const bool available = level <= shredder_best_level();
  uint8_t digests[MOST][SHREDDER_DIGEST_BYTES];
  const shredder_status status = shredder_blake3(level, messages, count, digests);
  require((status == SHREDDER_OK) == available, "status", level);
  if (!available) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    require(memcmp(digests[i], expected[i], SHREDDER_DIGEST_BYTES) == 0, "together", level);
    shredder_blake3_state state = {0};
    for (size_t p = 0; p < messages[i].pieces; p++) {
      require(shredder_blake3_update(level, &state, &messages[i].first_piece[p], 1) == SHREDDER_OK, "update",
              level);
    }
    uint8_t digest[SHREDDER_DIGEST_BYTES];
    require(shredder_blake3_end(level, &state, digest) == SHREDDER_OK, "end", level);
    require(memcmp(digest, expected[i], SHREDDER_DIGEST_BYTES) == 0, "bit by bit", level);
  }
}

/** A state that nothing has led to: refused or gone on with. */
static void check_any_state(shredder_level level, const uint8_t *data, size_t size, const shredder_piece *piece) {
  shredder_blake3_state state = {0};
  memcpy(&state, data, size < sizeof state ? size : sizeof state);
  uint8_t digest[SHREDDER_DIGEST_BYTES];
  for (int bounded = 0; bounded < 2; bounded++) {
    if (shredder_blake3_update(level, &state, piece, 1) == SHREDDER_OK) {
      require(shredder_blake3_end(level, &state, digest) == SHREDDER_OK, "end of any state", level);
    }
    state.buffered %= 1025;
    state.leaves %= SHREDDER_BLAKE3_MOST_LEAVES;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) {
    return 0;
  }
  uint32_t seed = data[0];
  size_t lengths[MOST];
  size_t count = 0;
  size_t at = 1;
  while (at + 2 <= size && count < MOST) {
    const size_t length = (size_t)data[at] << 8 | data[at + 1];
    at += 2;
    if (length == 0xFFFF) {
      break;
    }
    /* A long message in one input of 16, for time's sake. */
    lengths[count] = count == 0 && data[0] % 16 == 0 ? length * SCALE : length % SHORT;
    count++;
  }
  const uint8_t *content = data + at;
  const size_t content_length = size - at;
  static shredder_piece pieces[MOST][PIECES];
  shredder_message messages[MOST];
  uint8_t expected[MOST][SHREDDER_DIGEST_BYTES];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    uint8_t *whole = exactly(lengths[i]);
    for (size_t b = 0; b < lengths[i]; b++) {
      whole[b] = content_length == 0 ? 0 : content[used++ % content_length];
    }
    node(whole, lengths[i], 0, 8, expected[i]);
    size_t done = 0;
    for (size_t p = 0; p < PIECES; p++) {
      seed = seed * 1664525U + 1013904223U;
      const size_t wish = (seed >> 9 & 1) != 0 ? (seed >> 16) % 1100 : (seed >> 16) * 4;
      const size_t rest = lengths[i] - done;
      const size_t length = p == PIECES - 1 || wish > rest ? rest : wish;
      uint8_t *bytes = exactly(length);
      memcpy(bytes, whole + done, length);
      pieces[i][p] = (shredder_piece){bytes, length};
      done += length;
    }
    free(whole);
    messages[i] = (shredder_message){.first_piece = pieces[i], .pieces = PIECES};
  }
  for (unsigned level = SHREDDER_SCALAR; level <= SHREDDER_AVX512 + 1; level++) {
    check((shredder_level)level, messages, count, expected);
  }
  if (count > 0) {
    check_any_state(SHREDDER_SCALAR, content, content_length, &pieces[0][0]);
    check_any_state(shredder_best_level(), content, content_length, &pieces[0][PIECES - 1]);
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t p = 0; p < PIECES; p++) {
      free((void *)(uintptr_t)pieces[i][p].bytes);
    }
  }
  return 0;
}
