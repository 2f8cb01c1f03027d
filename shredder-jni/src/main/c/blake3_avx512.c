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

/* BLAKE3 in the 16 lanes of AVX-512's registers, for few nodes. See blake3.h. */
#include "blake3.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "blake3_avx512.h"

#define LANES 16
#define WIDTH LANES
#define FORM shredder_blake3_avx512

typedef uint32_t vector __attribute__((vector_size(4 * WIDTH)));

/*
 * State and block take all 32 registers, and what compilers make of it goes to memory in between. So registers are
 * given out by hand: the block's words have 0 to 15, as they are numbered, the state 16 to 31, of which 16 to 23 hold
 * the chaining values between blocks. The four steps of a half round do not depend on each other, and are taken side
 * by side.
 */
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
#define STORE(r, offset) "vmovdqa64 " Z(r) ", " #offset "(%[chain])\n\t"

/*
 * Transposes 16 by 16 words. Each fourth of a lane's block goes into the same quarter of another register, which takes
 * no more than loads; then words change places within each quarter. `ahead` is what ask_ahead asks for.
 */
#define FIND(lane) \
  "movq 8*" #lane "(%[at]), %[from]\n\taddq %[offset], %[from]\n\tprefetcht0 %c[ahead](%[from])\n\t"
#define FIRST_QUARTER(lane, r0, r1, r2, r3)                                              \
  FIND(lane) "vmovdqu (%[from]), %%xmm" #r0 "\n\tvmovdqu 16(%[from]), %%xmm" #r1 "\n\t"  \
             "vmovdqu 32(%[from]), %%xmm" #r2 "\n\tvmovdqu 48(%[from]), %%xmm" #r3 "\n\t"
#define INTO(mask, offset, r) "vbroadcasti32x4 " #offset "(%[from]), " Z(r) "%{%[" mask "]%}\n\t"
#define QUARTER(lane, mask, r0, r1, r2, r3) \
  FIND(lane) INTO(mask, 0, r0) INTO(mask, 16, r1) INTO(mask, 32, r2) INTO(mask, 48, r3)
#define QUARTERS(lane0, lane1, lane2, lane3, r0, r1, r2, r3)                     \
  FIRST_QUARTER(lane0, r0, r1, r2, r3) QUARTER(lane1, "second", r0, r1, r2, r3)  \
  QUARTER(lane2, "third", r0, r1, r2, r3) QUARTER(lane3, "fourth", r0, r1, r2, r3)

#define COMPRESS
TARGET static inline void compress(vector chain[][8], const uint8_t *const at[LANES], size_t blocks,
                                   vector rest[][4]) {
  show_reads(at, LANES, blocks);
  const uint8_t *from;
  size_t offset = 0;
  __asm__ volatile(
      LOAD(16, "chain", 0) LOAD(17, "chain", 64) LOAD(18, "chain", 128) LOAD(19, "chain", 192)
      LOAD(20, "chain", 256) LOAD(21, "chain", 320) LOAD(22, "chain", 384) LOAD(23, "chain", 448)
      ".p2align 5\n1:\n\t"
      QUARTERS(0, 4, 8, 12, 0, 4, 8, 12) QUARTERS(1, 5, 9, 13, 1, 5, 9, 13)
      QUARTERS(2, 6, 10, 14, 2, 6, 10, 14) QUARTERS(3, 7, 11, 15, 3, 7, 11, 15)
      TRANSPOSE(0, 1, 2, 3, 24, 25, 26, 27) TRANSPOSE(4, 5, 6, 7, 28, 29, 30, 31)
      TRANSPOSE(8, 9, 10, 11, 24, 25, 26, 27) TRANSPOSE(12, 13, 14, 15, 28, 29, 30, 31)
      SPREAD(24, 0) SPREAD(25, 1) SPREAD(26, 2) SPREAD(27, 3)
      LOAD(28, "rest", 0) LOAD(29, "rest", 64) LOAD(30, "rest", 128) LOAD(31, "rest", 192)
      BLAKE3_ROUNDS(ROUND)
      XOR(16, 24) XOR(17, 25) XOR(18, 26) XOR(19, 27)
      XOR(20, 28) XOR(21, 29) XOR(22, 30) XOR(23, 31)
      "addq %[block], %[offset]\n\tsubq $1, %[blocks]\n\tjnz 1b\n\t"
      STORE(16, 0) STORE(17, 64) STORE(18, 128) STORE(19, 192)
      STORE(20, 256) STORE(21, 320) STORE(22, 384) STORE(23, 448)
      : [blocks] "+&r"(blocks), [offset] "+&r"(offset), [from] "=&r"(from)
      : [chain] "r"(chain), [at] "r"(at), [rest] "r"(rest), [initial] "r"(shredder_sha256_initial),
        [second] "Yk"((__mmask16)0x00F0), [third] "Yk"((__mmask16)0x0F00), [fourth] "Yk"((__mmask16)0xF000),
        [block] "i"(BLAKE3_BLOCK), [ahead] "i"(LANES * BLAKE3_LEAF)
      : "memory", "cc", ALL_REGISTERS);
}

#include "blake3_lanes.h"

#endif
