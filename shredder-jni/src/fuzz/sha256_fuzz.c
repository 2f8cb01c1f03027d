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
 * Fuzz target: digests of many messages at once are those of one after the other, in every form and in that
 * which is chosen.
 *
 * Input: pairs of bytes, each the length of a message, up to one of 0xFFFF; then the messages' bytes, as far
 * as they reach, repeated.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shredder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 64, LONGEST = 1 << 12, PIECES = 6 };

static uint32_t rotate(uint32_t x, int by) { return x >> by | x << (32 - by); }

/** The first 32 bits of the fractional part of a root of a prime, by integers: FIPS 180-4, 4.2.2. */
static uint32_t fraction_of_root(uint32_t prime, int root) {
  /* The greatest r with r^root <= prime * 2^(32 root), in 128 bits; 2^32 is what it is scaled by. */
  uint64_t r = 0;
  for (int bit = 35; bit >= 0; bit--) {
    const uint64_t trial = r | UINT64_C(1) << bit;
    const unsigned __int128 square = (unsigned __int128)trial * trial;
    bool fits;
    if (root == 2) {
      fits = square <= (unsigned __int128)prime << 64;
    } else {
      fits = square <= ((unsigned __int128)prime << 96) / trial;
    }
    r = fits ? trial : r;
  }
  return (uint32_t)r;
}

static void compress(uint32_t h[8], const uint32_t k[64], const uint8_t *block) {
  uint32_t w[64];
  for (int t = 0; t < 16; t++) {
    w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
           (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
  }
  for (int t = 16; t < 64; t++) {
    const uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  uint32_t v[8];
  memcpy(v, h, sizeof v);
  for (int t = 0; t < 64; t++) {
    const uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
    const uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[t] + w[t];
    const uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
    const uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) {
    h[i] += v[i];
  }
}

static void digest_one(const uint8_t *bytes, size_t length, uint8_t digest[32]) {
  static uint32_t initial[8];
  static uint32_t k[64];
  for (uint32_t n = 2, primes = 0; k[63] == 0; n++) {
    bool prime = true;
    for (uint32_t d = 2; d * d <= n; d++) {
      prime &= n % d != 0;
    }
    if (prime) {
      if (primes < 8) {
        initial[primes] = fraction_of_root(n, 2);
      }
      k[primes++] = fraction_of_root(n, 3);
    }
  }
  uint32_t h[8];
  memcpy(h, initial, sizeof h);
  size_t at = 0;
  for (; at + 64 <= length; at += 64) {
    compress(h, k, bytes + at);
  }
  uint8_t last[128] = {0};
  const size_t rest = length - at;
  if (rest > 0) {
    memcpy(last, bytes + at, rest);
  }
  last[rest] = 0x80;
  const size_t padded = rest + 9 <= 64 ? 64 : 128;
  for (size_t i = 0; i < 8; i++) {
    last[padded - 1 - i] = (uint8_t)((uint64_t)length * 8 >> (8 * i));
  }
  for (size_t i = 0; i < padded; i += 64) {
    compress(h, k, last + i);
  }
  for (size_t i = 0; i < 32; i++) {
    digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
  }
}

/** A message whole, and in pieces. */
typedef struct fuzz_message {
  uint8_t *bytes;
  size_t length;
  shredder_piece pieces[PIECES];
  uint8_t digest[32];
} fuzz_message;

/** In a block of exactly its size, so that the sanitizer sees what is read beyond. */
static uint8_t *exactly(size_t length) {
  uint8_t *bytes = malloc(length == 0 ? 1 : length);
  if (bytes == NULL) {
    abort();
  }
  return bytes;
}

/** Divides a message at places that depend on `seed`; pieces may be empty. */
static void divide(fuzz_message *m, uint32_t seed) {
  size_t at = 0;
  for (size_t p = 0; p < PIECES; p++) {
    seed = seed * 1664525U + 1013904223U;
    /* Many about as long as a block, which is where they are put together. */
    const size_t wish = (seed >> 9 & 1) != 0 ? (seed >> 16) % 140 : (seed >> 16) % LONGEST;
    const size_t rest = m->length - at;
    const size_t length = p == PIECES - 1 || wish > rest ? rest : wish;
    uint8_t *bytes = exactly(length);
    memcpy(bytes, m->bytes + at, length);
    m->pieces[p] = (shredder_piece){bytes, length};
    at += length;
  }
}

/** Leaves of a message's pieces those bytes that have not been digested. */
static void go_on(shredder_message *message, uint64_t before, shredder_piece *rest) {
  size_t taken = (size_t)(message->done - before);
  size_t kept = 0;
  for (size_t p = 0; p < message->pieces; p++) {
    const shredder_piece piece = message->first_piece[p];
    const size_t skip = taken < piece.length ? taken : piece.length;
    taken -= skip;
    if (skip < piece.length) {
      rest[kept++] = (shredder_piece){piece.bytes + skip, piece.length - skip};
    }
  }
  if (taken > 0 || message->done % 64 != 0) {
    fprintf(stderr, "a message went on to byte %llu\n", (unsigned long long)message->done);
    abort();
  }
  message->first_piece = rest;
  message->pieces = kept;
}

/** `most` bytes at a time; at first only while the form is filled, if `filled`. */
static void check(unsigned forms, const fuzz_message *of, const shredder_message *messages,
                  size_t count, size_t most, bool filled) {
  shredder_message now[MOST];
  shredder_message left[MOST];
  size_t which[MOST];
  shredder_piece rest[MOST][PIECES];
  const bool available = forms != 0 && (forms & ~shredder_digest_forms()) == 0;
  for (size_t i = 0; i < count; i++) {
    now[i] = messages[i];
    left[i] = messages[i];
    which[i] = i;
  }
  size_t many = count;
  for (int calls = 0; many > 0 || calls == 0; calls++) {
    uint64_t before[MOST];
    for (size_t i = 0; i < many; i++) {
      before[i] = left[i].done;
    }
    if (shredder_sha256(forms, left, many, most, filled && calls < 3) !=
        (available ? SHREDDER_OK : SHREDDER_BAD_ARGUMENT)) {
      fprintf(stderr, "forms %u: status\n", forms);
      abort();
    }
    if (!available) {
      return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < many; i++) {
      now[which[i]] = left[i];
      if (!left[i].ended) {
        go_on(&left[i], before[i], rest[which[i]]);
        which[kept] = which[i];
        left[kept++] = left[i];
      }
    }
    many = kept;
  }
  for (size_t i = 0; i < count; i++) {
    uint8_t digest[32];
    for (size_t b = 0; b < 32; b++) {
      digest[b] = (uint8_t)(now[i].state[b / 4] >> (24 - 8 * (b % 4)));
    }
    if (memcmp(of[i].digest, digest, 32) != 0) {
      fprintf(stderr, "forms %u, message %zu of %zu, %zu bytes in %zu pieces, %zu at a time: another digest\n",
              forms, i, count, of[i].length, messages[i].pieces, most);
      abort();
    }
  }
}

static void check_all_forms(const fuzz_message *of, const shredder_message *messages, size_t count,
                            size_t most) {
  for (unsigned forms = 0; forms <= 2 * SHREDDER_MORE_LANES; forms++) {
    check(forms, of, messages, count, SIZE_MAX, false);
    check(forms, of, messages, count, most, true);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_message of[MOST];
  size_t count = 0;
  while (size >= 2 && count < MOST) {
    const size_t length = data[0] | (size_t)data[1] << 8;
    data += 2;
    size -= 2;
    if (length == 0xFFFF) {
      break;
    }
    of[count++].length = length % LONGEST;
  }
  shredder_piece whole[MOST];
  shredder_message in_one[MOST] = {0};
  shredder_message in_pieces[MOST] = {0};
  for (size_t i = 0; i < count; i++) {
    of[i].bytes = exactly(of[i].length);
    for (size_t b = 0; b < of[i].length; b++) {
      of[i].bytes[b] = size == 0 ? (uint8_t)i : data[(b + 7 * i) % size];
    }
    digest_one(of[i].bytes, of[i].length, of[i].digest);
    divide(&of[i], (uint32_t)(i + size + of[i].length + (size == 0 ? 0U : data[i % size])));
    whole[i] = (shredder_piece){of[i].bytes, of[i].length};
    in_one[i] = (shredder_message){.first_piece = &whole[i], .pieces = of[i].length == 0 ? 0 : 1};
    in_pieces[i] = (shredder_message){.first_piece = of[i].pieces, .pieces = PIECES};
  }
  const size_t most = 1 + (size * 2654435761U + count) % (4 * LONGEST);
  check_all_forms(of, in_one, count, most);
  check_all_forms(of, in_pieces, count, most);
  for (size_t i = 0; i < count; i++) {
    free(of[i].bytes);
    for (size_t p = 0; p < PIECES; p++) {
      free((void *)(uintptr_t)of[i].pieces[p].bytes);
    }
  }
  return 0;
}
