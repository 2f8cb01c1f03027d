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

/* What the forms of BLAKE3 for AVX-512 have in common. Their registers are given out by hand. See blake3.h. */
#ifndef SHREDDER_BLAKE3_AVX512_H
#define SHREDDER_BLAKE3_AVX512_H

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))

#define Z(r) "%%zmm" #r
#define ADD(to, what) "vpaddd " Z(what) ", " Z(to) ", " Z(to) "\n\t"
#define XOR(to, what) "vpxord " Z(what) ", " Z(to) ", " Z(to) "\n\t"
#define TURN(what, by) "vprord $" #by ", " Z(what) ", " Z(what) "\n\t"
#define SPREAD(r, i) "vpbroadcastd 4*" #i "(%[initial]), " Z(r) "\n\t"

/** Within each 128-bit part, words of r0 to r3 change places: four words of one become one of each. */
#define TRANSPOSE(r0, r1, r2, r3, t0, t1, t2, t3)                                                    \
  PAIR("ldq", r0, r1, t0) PAIR("hdq", r0, r1, t1) PAIR("ldq", r2, r3, t2) PAIR("hdq", r2, r3, t3)    \
  PAIR("lqdq", t0, t2, r0) PAIR("hqdq", t0, t2, r1) PAIR("lqdq", t1, t3, r2) PAIR("hqdq", t1, t3, r3)
#define PAIR(how, a, b, to) "vpunpck" how " " Z(b) ", " Z(a) ", " Z(to) "\n\t"

#define ALL_REGISTERS                                               \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",   \
  "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",      \
  "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21",    \
  "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28",    \
  "xmm29", "xmm30", "xmm31"

/** Sanitizers do not see what instructions given by hand read. */
static inline void show_reads(const uint8_t *const *at, size_t lanes, size_t blocks) {
#ifdef SHREDDER_SANITIZED
  for (size_t l = 0; l < lanes; l++) {
    for (size_t b = 0; b < blocks * BLAKE3_BLOCK; b++) {
      (void)*(const volatile uint8_t *)(at[l] + b);
    }
  }
#else
  (void)at;
  (void)lanes;
  (void)blocks;
#endif
}

#endif
