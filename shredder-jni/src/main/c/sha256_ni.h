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

/* The state of SHA-256 as the processor's SHA instructions take it. */
#ifndef SHREDDER_SHA256_NI_H
#define SHREDDER_SHA256_NI_H

#include "sha256.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

/** Words a, b, e and f, and c, d, g and h, each from the highest to the lowest. */
typedef struct sha256_ni_state {
  __m128i abef;
  __m128i cdgh;
} sha256_ni_state;

static inline sha256_ni_state shredder_sha256_ni_state(const uint32_t h[SHA256_WORDS]) {
  const sha256_ni_state state = {_mm_set_epi32((int)h[0], (int)h[1], (int)h[4], (int)h[5]),
                                 _mm_set_epi32((int)h[2], (int)h[3], (int)h[6], (int)h[7])};
  return state;
}

static inline void shredder_sha256_ni_store(sha256_ni_state state, shredder_message *message) {
  uint32_t feba[4];
  uint32_t hgdc[4];
  _mm_storeu_si128((__m128i *)(void *)feba, state.abef);
  _mm_storeu_si128((__m128i *)(void *)hgdc, state.cdgh);
  const uint32_t words[SHA256_WORDS] = {feba[3], feba[2], hgdc[3], hgdc[2],
                                        feba[1], feba[0], hgdc[1], hgdc[0]};
  memcpy(message->state, words, sizeof words);
}

#endif

#endif
