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

/* BLAKE3 in the 16 lanes of AVX-512's registers. See blake3.h. */
#include "blake3.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LANES 16
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define FORM shredder_blake3_avx512

typedef uint32_t vector __attribute__((vector_size(4 * LANES)));

/*
 * State and block take all 32 registers, and what compilers make of it goes to memory in between. So registers are
 * given out by hand: the block's words have 0 to 15, as they are numbered, the state 16 to 31. The four steps of a half round do not depend
 * on each other, and are taken side by side.
 */
#define Z(r) "%%zmm" #r
#define ADD(to, what) "vpaddd " Z(what) ", " Z(to) ", " Z(to) "\n\t"
#define XOR(to, what) "vpxord " Z(what) ", " Z(to) ", " Z(to) "\n\t"
#define TURN(what, by) "vprord $" #by ", " Z(what) ", " Z(what) "\n\t"
#define HALF(b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, m0, m1, m2, m3, m4, m5, m6, m7)             \
  ADD(16, m0) ADD(17, m2) ADD(18, m4) ADD(19, m6) ADD(16, b0) ADD(17, b1) ADD(18, b2) ADD(19, b3)        \
  XOR(d0, 16) XOR(d1, 17) XOR(d2, 18) XOR(d3, 19) TURN(d0, 16) TURN(d1, 16) TURN(d2, 16) TURN(d3, 16)    \
  ADD(c0, d0) ADD(c1, d1) ADD(c2, d2) ADD(c3, d3) XOR(b0, c0) XOR(b1, c1) XOR(b2, c2) XOR(b3, c3)        \
  TURN(b0, 12) TURN(b1, 12) TURN(b2, 12) TURN(b3, 12)                                                    \
  ADD(16, m1) ADD(17, m3) ADD(18, m5) ADD(19, m7) ADD(16, b0) ADD(17, b1) ADD(18, b2) ADD(19, b3)        \
  XOR(d0, 16) XOR(d1, 17) XOR(d2, 18) XOR(d3, 19) TURN(d0, 8) TURN(d1, 8) TURN(d2, 8) TURN(d3, 8)        \
  ADD(c0, d0) ADD(c1, d1) ADD(c2, d2) ADD(c3, d3) XOR(b0, c0) XOR(b1, c1) XOR(b2, c2) XOR(b3, c3)        \
  TURN(b0, 7) TURN(b1, 7) TURN(b2, 7) TURN(b3, 7)
#define ROUND(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15)                      \
  HALF(20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, m0, m1, m2, m3, m4, m5, m6, m7)                   \
  HALF(21, 22, 23, 20, 26, 27, 24, 25, 31, 28, 29, 30, m8, m9, m10, m11, m12, m13, m14, m15)
#define LOAD(r, from, offset) "vmovdqa64 " #offset "(%[" from "]), " Z(r) "\n\t"
#define SPREAD(r, offset) "vpbroadcastd " #offset "(%[initial]), " Z(r) "\n\t"
#define STORE(r, offset) "vmovdqa64 " Z(r) ", " #offset "(%[chain])\n\t"

#define COMPRESS
TARGET static inline void compress(vector chain[8], const vector words[16], const vector rest[4]) {
  __asm__(
      LOAD(16, "chain", 0) LOAD(17, "chain", 64) LOAD(18, "chain", 128) LOAD(19, "chain", 192)
      LOAD(20, "chain", 256) LOAD(21, "chain", 320) LOAD(22, "chain", 384) LOAD(23, "chain", 448)
      SPREAD(24, 0) SPREAD(25, 4) SPREAD(26, 8) SPREAD(27, 12)
      LOAD(28, "rest", 0) LOAD(29, "rest", 64) LOAD(30, "rest", 128) LOAD(31, "rest", 192)
      LOAD(0, "words", 0) LOAD(1, "words", 64) LOAD(2, "words", 128) LOAD(3, "words", 192)
      LOAD(4, "words", 256) LOAD(5, "words", 320) LOAD(6, "words", 384) LOAD(7, "words", 448)
      LOAD(8, "words", 512) LOAD(9, "words", 576) LOAD(10, "words", 640) LOAD(11, "words", 704)
      LOAD(12, "words", 768) LOAD(13, "words", 832) LOAD(14, "words", 896) LOAD(15, "words", 960)
      BLAKE3_ROUNDS(ROUND)
      XOR(16, 24) XOR(17, 25) XOR(18, 26) XOR(19, 27)
      XOR(20, 28) XOR(21, 29) XOR(22, 30) XOR(23, 31)
      STORE(16, 0) STORE(17, 64) STORE(18, 128) STORE(19, 192)
      STORE(20, 256) STORE(21, 320) STORE(22, 384) STORE(23, 448)
      : "+m"(*(vector(*)[8])chain)
      : [chain] "r"(chain), [words] "r"(words), [rest] "r"(rest), [initial] "r"(shredder_sha256_initial),
        "m"(*(const vector(*)[16])words), "m"(*(const vector(*)[4])rest),
        "m"(*(const uint32_t(*)[8])shredder_sha256_initial)
      : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
        "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",
        "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}

/** 16 bytes of every fourth lane, from lane `first` on, in the quarters of a register. */
TARGET static inline __m512i load_quarters(const uint8_t *const at[LANES], int first, int offset) {
  const __m128i *const from[4] = {(const __m128i *)(const void *)(at[first] + offset),
                                  (const __m128i *)(const void *)(at[first + 4] + offset),
                                  (const __m128i *)(const void *)(at[first + 8] + offset),
                                  (const __m128i *)(const void *)(at[first + 12] + offset)};
  __m512i quarters = _mm512_castsi128_si512(_mm_loadu_si128(from[0]));
  quarters = _mm512_mask_broadcast_i32x4(quarters, 0x00F0, _mm_loadu_si128(from[1]));
  quarters = _mm512_mask_broadcast_i32x4(quarters, 0x0F00, _mm_loadu_si128(from[2]));
  return _mm512_mask_broadcast_i32x4(quarters, 0xF000, _mm_loadu_si128(from[3]));
}

/** Transposes 16 by 16 words: the quarters of registers when they are loaded, then within each quarter. */
TARGET static inline void load_blocks(const uint8_t *const at[LANES], vector words[16]) {
#pragma GCC unroll 4
  for (int w = 0; w < 16; w += 4) {
    const __m512i a = load_quarters(at, 0, 4 * w);
    const __m512i b = load_quarters(at, 1, 4 * w);
    const __m512i c = load_quarters(at, 2, 4 * w);
    const __m512i d = load_quarters(at, 3, 4 * w);
    const __m512i low_ab = _mm512_unpacklo_epi32(a, b);
    const __m512i high_ab = _mm512_unpackhi_epi32(a, b);
    const __m512i low_cd = _mm512_unpacklo_epi32(c, d);
    const __m512i high_cd = _mm512_unpackhi_epi32(c, d);
    words[w] = (vector)_mm512_unpacklo_epi64(low_ab, low_cd);
    words[w + 1] = (vector)_mm512_unpackhi_epi64(low_ab, low_cd);
    words[w + 2] = (vector)_mm512_unpacklo_epi64(high_ab, high_cd);
    words[w + 3] = (vector)_mm512_unpackhi_epi64(high_ab, high_cd);
  }
}

#include "blake3_lanes.h"

#endif
