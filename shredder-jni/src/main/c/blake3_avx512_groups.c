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

/* BLAKE3 in 32 lanes: two groups of the 16 that AVX-512's registers have. See blake3.h. */
#include "blake3.h"

#if defined(__x86_64__)

#include "blake3_avx512.h"

#define LANES 32
#define WIDTH 16
#define FORM shredder_blake3_avx512_groups

typedef uint32_t vector __attribute__((vector_size(4 * WIDTH)));

/*
 * A group's steps wait for each other. Those of the other fill the time, or what loads the other's next block: the
 * second group is two rounds behind the first. Both states together take all registers, 0 to 15 and 16 to 31, so that
 * these are given out by hand, and the words of the blocks are read from memory.
 */
#define A(r) r
#define B(r) SECOND_##r
#define SECOND_0 16
#define SECOND_1 17
#define SECOND_2 18
#define SECOND_3 19
#define SECOND_4 20
#define SECOND_5 21
#define SECOND_6 22
#define SECOND_7 23
#define SECOND_8 24
#define SECOND_9 25
#define SECOND_10 26
#define SECOND_11 27
#define SECOND_12 28
#define SECOND_13 29
#define SECOND_14 30
#define SECOND_15 31

/* What is a group's in memory. */
#define AT_A "0(%[at])"
#define AT_B "128(%[at])"
#define WORDS_A "0(%[words])"
#define WORDS_B "1024(%[words])"
#define CHAIN_A "0(%[chain])"
#define CHAIN_B "512(%[chain])"
#define REST_A "0(%[rest])"
#define REST_B "256(%[rest])"

#define ADD_WORD(to, from, w) "vpaddd 64*" #w "+" from ", " Z(to) ", " Z(to) "\n\t"
#define LOAD(r, from, i) "vmovdqa64 64*" #i "+" from ", " Z(r) "\n\t"
#define STORE(r, to, i) "vmovdqa64 " Z(r) ", 64*(" #i ")+" to "\n\t"

/* A fourth of a group's round: half of what becomes of each column, or diagonal, of its state. */
#define ADDS(G, a, b, c, d, p, q, r, s) ADD(G(a), G(p)) ADD(G(b), G(q)) ADD(G(c), G(r)) ADD(G(d), G(s))
#define XORS(G, a, b, c, d, p, q, r, s) XOR(G(a), G(p)) XOR(G(b), G(q)) XOR(G(c), G(r)) XOR(G(d), G(s))
#define TURNS(G, a, b, c, d, by) TURN(G(a), by) TURN(G(b), by) TURN(G(c), by) TURN(G(d), by)
#define WORDS(G, w0, w1, w2, w3)                                          \
  ADD_WORD(G(0), WORDS_##G, w0) ADD_WORD(G(1), WORDS_##G, w1)             \
  ADD_WORD(G(2), WORDS_##G, w2) ADD_WORD(G(3), WORDS_##G, w3)
#define ROWS_1_4_COLUMNS(G) ADDS(G, 0, 1, 2, 3, 4, 5, 6, 7) XORS(G, 12, 13, 14, 15, 0, 1, 2, 3)
#define ROWS_1_4_DIAGONALS(G) ADDS(G, 0, 1, 2, 3, 5, 6, 7, 4) XORS(G, 15, 12, 13, 14, 0, 1, 2, 3)
#define ROWS_3_2_COLUMNS(G) ADDS(G, 8, 9, 10, 11, 12, 13, 14, 15) XORS(G, 4, 5, 6, 7, 8, 9, 10, 11)
#define ROWS_3_2_DIAGONALS(G) ADDS(G, 10, 11, 8, 9, 15, 12, 13, 14) XORS(G, 5, 6, 7, 4, 10, 11, 8, 9)
#define FOURTH(G, LINES, by, then, w0, w1, w2, w3)                                                    \
  WORDS(G, w0, w1, w2, w3) ROWS_1_4_##LINES(G) TURNS(G, 12, 13, 14, 15, by)                           \
  ROWS_3_2_##LINES(G) TURNS(G, 4, 5, 6, 7, then)

/** A round of a group, with something else behind each fourth. */
#define ROUND(G, x0, x1, x2, x3, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15)  \
  FOURTH(G, COLUMNS, 16, 12, w0, w2, w4, w6) x0 FOURTH(G, COLUMNS, 8, 7, w1, w3, w5, w7) x1             \
  FOURTH(G, DIAGONALS, 16, 12, w8, w10, w12, w14) x2 FOURTH(G, DIAGONALS, 8, 7, w9, w11, w13, w15) x3

#define BOTH_FOURTHS(LINES, by, then, a0, a1, a2, a3, b0, b1, b2, b3)                                 \
  WORDS(A, a0, a1, a2, a3) WORDS(B, b0, b1, b2, b3) ROWS_1_4_##LINES(A) ROWS_1_4_##LINES(B)           \
  TURNS(A, 12, 13, 14, 15, by) TURNS(B, 12, 13, 14, 15, by) ROWS_3_2_##LINES(A) ROWS_3_2_##LINES(B)   \
  TURNS(A, 4, 5, 6, 7, then) TURNS(B, 4, 5, 6, 7, then)
/** A round of each. */
#define BOTH(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15,                    \
             b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15)                    \
  BOTH_FOURTHS(COLUMNS, 16, 12, a0, a2, a4, a6, b0, b2, b4, b6)                                       \
  BOTH_FOURTHS(COLUMNS, 8, 7, a1, a3, a5, a7, b1, b3, b5, b7)                                         \
  BOTH_FOURTHS(DIAGONALS, 16, 12, a8, a10, a12, a14, b8, b10, b12, b14)                               \
  BOTH_FOURTHS(DIAGONALS, 8, 7, a9, a11, a13, a15, b9, b11, b13, b15)

#define BEGIN(G)                                                                                      \
  LOAD(G(0), CHAIN_##G, 0) LOAD(G(1), CHAIN_##G, 1) LOAD(G(2), CHAIN_##G, 2) LOAD(G(3), CHAIN_##G, 3) \
  LOAD(G(4), CHAIN_##G, 4) LOAD(G(5), CHAIN_##G, 5) LOAD(G(6), CHAIN_##G, 6) LOAD(G(7), CHAIN_##G, 7) \
  SPREAD(G(8), 0) SPREAD(G(9), 1) SPREAD(G(10), 2) SPREAD(G(11), 3)                                   \
  LOAD(G(12), REST_##G, 0) LOAD(G(13), REST_##G, 1) LOAD(G(14), REST_##G, 2) LOAD(G(15), REST_##G, 3)
#define END(G)                                                                                        \
  XORS(G, 0, 1, 2, 3, 8, 9, 10, 11) XORS(G, 4, 5, 6, 7, 12, 13, 14, 15)                               \
  STORE(G(0), CHAIN_##G, 0) STORE(G(1), CHAIN_##G, 1) STORE(G(2), CHAIN_##G, 2)                       \
  STORE(G(3), CHAIN_##G, 3) STORE(G(4), CHAIN_##G, 4) STORE(G(5), CHAIN_##G, 5)                       \
  STORE(G(6), CHAIN_##G, 6) STORE(G(7), CHAIN_##G, 7)

/*
 * Loads a group's next block into the registers of its state, and its words into memory, transposed: one half of the
 * block, then the other. Of lanes i and i + 4 a register takes 32 bytes each; words change places within the 128-bit
 * parts, then parts.
 */
#define TWO_LANES(at, lane0, lane4, r, half)                                                          \
  "movq 8*" #lane0 "+" at ", %[from]\n\tvmovdqu32 32*" #half "(%[from],%[offset]), " Y(r) "\n\t"       \
  ASK_##half                                                                                          \
  "movq 8*" #lane4 "+" at ", %[from]\n\tvinserti64x4 $1, 32*" #half "(%[from],%[offset]), "            \
  Z(r) ", " Z(r) "\n\t" ASK_##half
#define LANES_OF(G, lane0, lane4, r, half) TWO_LANES(AT_##G, lane0, lane4, G(r), half)
/*
 * So many streams are too many for the processor to foresee. Into the first-level cache comes what is near; what the
 * lanes will most likely be given next, LANES leaves further, would drive that out, and comes into the second.
 */
#define ASK_0 "prefetcht0 %c[ahead](%[from],%[offset])\n\t"
#define ASK_1 "prefetcht1 %c[next](%[from],%[offset])\n\t"
#define Y(r) "%%ymm" #r
#define PARTS(a, b, to, which) "vshufi32x4 $" which ", " Z(b) ", " Z(a) ", " Z(to) "\n\t"
#define STORE_WORDS(G, a, b, t0, t4, half, i)                                                         \
  PARTS(G(a), G(b), G(t0), "0x88") PARTS(G(a), G(b), G(t4), "0xDD")                                   \
  STORE(G(t0), WORDS_##G, 8*half+i) STORE(G(t4), WORDS_##G, 8*half+i+4)
#define LOAD_1(G, half) \
  LANES_OF(G, 0, 4, 0, half) LANES_OF(G, 1, 5, 1, half) LANES_OF(G, 2, 6, 2, half) LANES_OF(G, 3, 7, 3, half)
#define LOAD_2(G, half) \
  LANES_OF(G, 8, 12, 4, half) LANES_OF(G, 9, 13, 5, half) LANES_OF(G, 10, 14, 6, half) LANES_OF(G, 11, 15, 7, half)
#define LOAD_3(G)                                                                                     \
  TRANSPOSE(G(0), G(1), G(2), G(3), G(8), G(9), G(10), G(11))                                         \
  TRANSPOSE(G(4), G(5), G(6), G(7), G(12), G(13), G(14), G(15))
#define LOAD_4(G, half)                                                                               \
  STORE_WORDS(G, 0, 4, 8, 12, half, 0) STORE_WORDS(G, 1, 5, 9, 13, half, 1)                           \
  STORE_WORDS(G, 2, 6, 10, 14, half, 2) STORE_WORDS(G, 3, 7, 11, 15, half, 3)
/** Two rounds of a group while the other's next block is loaded. */
#define ROUNDS_WHILE_LOADING(G, OF, first, second)                                                            \
  BLAKE3_EXPANDED(ROUND, G, LOAD_1(OF, 0), LOAD_2(OF, 0), LOAD_3(OF), LOAD_4(OF, 0), BLAKE3_ORDER_##first)    \
  BLAKE3_EXPANDED(ROUND, G, LOAD_1(OF, 1), LOAD_2(OF, 1), LOAD_3(OF), LOAD_4(OF, 1), BLAKE3_ORDER_##second)

#define COMPRESS
TARGET static void compress(vector chain[2][8], const uint8_t *const at[LANES], size_t blocks, vector rest[2][4]) {
  show_reads(at, LANES, blocks);
  vector words[2][16];
  const uint8_t *from;
  size_t offset = 0;
  __asm__ volatile(
      LOAD_1(A, 0) LOAD_2(A, 0) LOAD_3(A) LOAD_4(A, 0) LOAD_1(A, 1) LOAD_2(A, 1) LOAD_3(A) LOAD_4(A, 1)
      ".p2align 5\n1:\n\t"
      BEGIN(A)
      ROUNDS_WHILE_LOADING(A, B, 0, 1)
      BEGIN(B)
      BLAKE3_EXPANDED(BOTH, BLAKE3_ORDER_2, BLAKE3_ORDER_0) BLAKE3_EXPANDED(BOTH, BLAKE3_ORDER_3, BLAKE3_ORDER_1)
      BLAKE3_EXPANDED(BOTH, BLAKE3_ORDER_4, BLAKE3_ORDER_2) BLAKE3_EXPANDED(BOTH, BLAKE3_ORDER_5, BLAKE3_ORDER_3)
      BLAKE3_EXPANDED(BOTH, BLAKE3_ORDER_6, BLAKE3_ORDER_4)
      END(A)
      "addq %[block], %[offset]\n\tsubq $1, %[blocks]\n\tjz 2f\n\t"
      ROUNDS_WHILE_LOADING(B, A, 5, 6)
      END(B)
      "jmp 1b\n2:\n\t"
      BLAKE3_EXPANDED(ROUND, B, , , , , BLAKE3_ORDER_5) BLAKE3_EXPANDED(ROUND, B, , , , , BLAKE3_ORDER_6)
      END(B)
      : [blocks] "+&r"(blocks), [offset] "+&r"(offset), [from] "=&r"(from)
      : [chain] "r"(chain), [at] "r"(at), [words] "r"(words), [rest] "r"(rest),
        [initial] "r"(shredder_sha256_initial), [block] "i"(BLAKE3_BLOCK), [ahead] "i"(4 * BLAKE3_BLOCK),
        [next] "i"(LANES * BLAKE3_LEAF)
      : "memory", "cc", ALL_REGISTERS);
}

#include "blake3_lanes.h"

#endif
