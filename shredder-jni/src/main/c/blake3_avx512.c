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
 * given out by hand: the state has 0 to 15, the block's words 16 to 31. The four steps of a half round do not depend
 * on each other, and are taken side by side.
 */
#define Z(r) "%%zmm" #r
#define ADD(to, what) "vpaddd " Z(what) ", " Z(to) ", " Z(to) "\n\t"
#define XOR(to, what) "vpxord " Z(what) ", " Z(to) ", " Z(to) "\n\t"
#define TURN(what, by) "vprord $" #by ", " Z(what) ", " Z(what) "\n\t"
#define HALF(b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, m0, m1, m2, m3, m4, m5, m6, m7)       \
  ADD(0, m0) ADD(1, m2) ADD(2, m4) ADD(3, m6) ADD(0, b0) ADD(1, b1) ADD(2, b2) ADD(3, b3)          \
  XOR(d0, 0) XOR(d1, 1) XOR(d2, 2) XOR(d3, 3) TURN(d0, 16) TURN(d1, 16) TURN(d2, 16) TURN(d3, 16)  \
  ADD(c0, d0) ADD(c1, d1) ADD(c2, d2) ADD(c3, d3) XOR(b0, c0) XOR(b1, c1) XOR(b2, c2) XOR(b3, c3)  \
  TURN(b0, 12) TURN(b1, 12) TURN(b2, 12) TURN(b3, 12)                                              \
  ADD(0, m1) ADD(1, m3) ADD(2, m5) ADD(3, m7) ADD(0, b0) ADD(1, b1) ADD(2, b2) ADD(3, b3)          \
  XOR(d0, 0) XOR(d1, 1) XOR(d2, 2) XOR(d3, 3) TURN(d0, 8) TURN(d1, 8) TURN(d2, 8) TURN(d3, 8)      \
  ADD(c0, d0) ADD(c1, d1) ADD(c2, d2) ADD(c3, d3) XOR(b0, c0) XOR(b1, c1) XOR(b2, c2) XOR(b3, c3)  \
  TURN(b0, 7) TURN(b1, 7) TURN(b2, 7) TURN(b3, 7)
#define ROUND_OF(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15)             \
  HALF(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, m0, m1, m2, m3, m4, m5, m6, m7)                   \
  HALF(5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, m8, m9, m10, m11, m12, m13, m14, m15)
#define LOAD(r, from, offset) "vmovdqa64 " #offset "(%[" from "]), " Z(r) "\n\t"
#define SPREAD(r, offset) "vpbroadcastd " #offset "(%[initial]), " Z(r) "\n\t"
#define STORE(r, offset) "vmovdqa64 " Z(r) ", " #offset "(%[chain])\n\t"

#define COMPRESS
TARGET static inline void compress(vector chain[8], const vector words[16], const vector rest[4]) {
  __asm__(
      LOAD(0, "chain", 0) LOAD(1, "chain", 64) LOAD(2, "chain", 128) LOAD(3, "chain", 192)
      LOAD(4, "chain", 256) LOAD(5, "chain", 320) LOAD(6, "chain", 384) LOAD(7, "chain", 448)
      SPREAD(8, 0) SPREAD(9, 4) SPREAD(10, 8) SPREAD(11, 12)
      LOAD(12, "rest", 0) LOAD(13, "rest", 64) LOAD(14, "rest", 128) LOAD(15, "rest", 192)
      LOAD(16, "words", 0) LOAD(17, "words", 64) LOAD(18, "words", 128) LOAD(19, "words", 192)
      LOAD(20, "words", 256) LOAD(21, "words", 320) LOAD(22, "words", 384) LOAD(23, "words", 448)
      LOAD(24, "words", 512) LOAD(25, "words", 576) LOAD(26, "words", 640) LOAD(27, "words", 704)
      LOAD(28, "words", 768) LOAD(29, "words", 832) LOAD(30, "words", 896) LOAD(31, "words", 960)
      ROUND_OF(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
      ROUND_OF(18, 22, 19, 26, 23, 16, 20, 29, 17, 27, 28, 21, 25, 30, 31, 24)
      ROUND_OF(19, 20, 26, 28, 29, 18, 23, 30, 22, 21, 25, 16, 27, 31, 24, 17)
      ROUND_OF(26, 23, 28, 25, 30, 19, 29, 31, 20, 16, 27, 18, 21, 24, 17, 22)
      ROUND_OF(28, 29, 25, 27, 31, 26, 30, 24, 23, 18, 21, 19, 16, 17, 22, 20)
      ROUND_OF(25, 30, 27, 21, 24, 28, 31, 17, 29, 19, 16, 26, 18, 22, 20, 23)
      ROUND_OF(27, 31, 21, 16, 17, 25, 24, 22, 30, 26, 18, 28, 19, 20, 23, 29)
      XOR(0, 8) XOR(1, 9) XOR(2, 10) XOR(3, 11)
      XOR(4, 12) XOR(5, 13) XOR(6, 14) XOR(7, 15)
      STORE(0, 0) STORE(1, 64) STORE(2, 128) STORE(3, 192)
      STORE(4, 256) STORE(5, 320) STORE(6, 384) STORE(7, 448)
      : "+m"(*(vector(*)[8])chain)
      : [chain] "r"(chain), [words] "r"(words), [rest] "r"(rest), [initial] "r"(shredder_blake3_initial),
        "m"(*(const vector(*)[16])words), "m"(*(const vector(*)[4])rest),
        "m"(*(const uint32_t(*)[8])shredder_blake3_initial)
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
