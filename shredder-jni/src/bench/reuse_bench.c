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
 * What chunkers keep of an edited file, and how fast they cut: reuse OLD NEW [AVERAGE]
 *
 * Prints a line per chunker, tab-separated: name, chunks of NEW, their mean and standard deviation, percent
 * of NEW's bytes in chunks that OLD has, and GB/s in one thread (boundaries of NEW, best of several rounds,
 * in memory). Chunkers:
 *
 *   fixed         every AVERAGE bytes: what no content-defined chunker may be as bad as
 *   gear          Gear without a sieve: every position hashed, minimum AVERAGE / 2, maximum 4 AVERAGE
 *   gear-skip     the same cuts; the positions that the minimum rules out are not hashed
 *   sieved        sieved Gear, as the library has it by default, with AVX-512, AVX2 or neither
 *   seqcdc        S. Udayashankar, S. Al-Kiswany, "Vectorized sequence-based chunking for data
 *                 deduplication", 2025: a cut after a run of rising bytes, skipping where bytes mostly fall
 *   ram           R. Widodo, H. Lim, M. Atiquzzaman, "A new content-defined chunking algorithm for data
 *                 deduplication in cloud storage", FGCS 71, 2017, with the vectors of VectorCDC
 *                 (S. Udayashankar, A. Baba, S. Al-Kiswany, FAST 2025): the first byte not below all of a
 *                 window at the chunk's start
 *   mincdc        O. Peters, MinCDC (the crate mincdc): where, between a minimum of AVERAGE / 2 and a maximum of
 *                 3/2 AVERAGE, the hash of four bytes is least
 *
 * The last three are written after the authors' descriptions, SeqCDC and RAM with the parameters of their
 * authors' DedupBench for chunks of 8 KB. Those whose vectors this processor does not have are left out: sieved,
 * ram and mincdc without AVX-512 (and GFNI), sieved-avx2 without AVX2.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if !defined(__x86_64__)
int main(void) {
  fprintf(stderr, "The comparison is for x86-64.\n");
  return 1;
}
#else

#include <immintrin.h>

#include "../main/c/kernels.h"

typedef struct size_limits {
  size_t average;
  size_t min;
  size_t max;
} size_limits;

typedef struct cut_list {
  size_t *at;
  size_t count;
  size_t capacity;
} cut_list;

typedef void chunker(const uint8_t *bytes, size_t length, const size_limits *limits, cut_list *cuts);

static shredder_rule gear_rule;
static shredder_rule sieved_rule;

static void add(cut_list *cuts, size_t at) {
  if (cuts->count == cuts->capacity) {
    cuts->capacity = 2 * cuts->capacity + 1024;
    cuts->at = realloc(cuts->at, cuts->capacity * sizeof *cuts->at);
    if (cuts->at == NULL) {
      abort();
    }
  }
  cuts->at[cuts->count++] = at;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void fixed(const uint8_t *bytes, size_t length, const size_limits *limits, cut_list *cuts) {
  (void)bytes;
  for (size_t at = 0; at < length;) {
    at = least(length, at + limits->average);
    add(cuts, at);
  }
}

/** The library's way: all candidates first, then a selection among them. */
static void select_all(const shredder_rule *rule, shredder_kernel *kernel, const uint8_t *bytes,
                       size_t length, const size_limits *limits, cut_list *cuts) {
  enum { TILE = 1 << 17 };
  uint64_t bitmap[TILE / 64];
  size_t start = 0;
  for (size_t tile = SHREDDER_GEAR_WINDOW - 1; tile < length; tile += TILE) {
    const size_t n = least(TILE, length - tile);
    memset(bitmap, 0, sizeof bitmap);
    kernel(rule, bytes + tile, 0, n, bitmap);
    for (size_t w = 0; w < TILE / 64; w++) {
      for (uint64_t bits = bitmap[w]; bits != 0; bits &= bits - 1) {
        const size_t candidate = tile + 64 * w + (size_t)__builtin_ctzll(bits) + 1;
        while (candidate > start + limits->max) {
          start += limits->max;
          add(cuts, start);
        }
        if (candidate >= start + limits->min) {
          start = candidate;
          add(cuts, start);
        }
      }
    }
  }
  while (length > start + limits->max) {
    start += limits->max;
    add(cuts, start);
  }
  if (start < length) {
    add(cuts, length);
  }
}

static void gear(const uint8_t *bytes, size_t length, const size_limits *limits, cut_list *cuts) {
  select_all(&gear_rule, shredder_gear_scalar, bytes, length, limits, cuts);
}

static void sieved(const uint8_t *bytes, size_t length, const size_limits *limits, cut_list *cuts) {
  select_all(&sieved_rule, shredder_sieved_gear_avx512, bytes, length, limits, cuts);
}

static void sieved_avx2(const uint8_t *bytes, size_t length, const size_limits *limits, cut_list *cuts) {
  select_all(&sieved_rule, shredder_sieved_gear_avx2, bytes, length, limits, cuts);
}

static void sieved_scalar(const uint8_t *bytes, size_t length, const size_limits *limits, cut_list *cuts) {
  select_all(&sieved_rule, shredder_sieved_gear_scalar, bytes, length, limits, cuts);
}

static size_t gear_first(const shredder_rule *rule, const uint8_t *bytes, size_t begin, size_t end) {
  uint64_t x = 0;
  for (size_t i = begin - (SHREDDER_GEAR_WINDOW - 1); i < begin; i++) {
    x = (x << 1) + rule->gear[bytes[i]];
  }
  for (size_t i = begin; i < end; i++) {
    x = (x << 1) + rule->gear[bytes[i]];
    if (x < rule->width) {
      return i;
    }
  }
  return end;
}

static void gear_skip(const uint8_t *bytes, size_t length, const size_limits *limits, cut_list *cuts) {
  for (size_t start = 0; start < length;) {
    const size_t end = least(length, start + limits->max);
    const size_t begin = start + limits->min - 1;
    const size_t i = begin < end ? gear_first(&gear_rule, bytes, begin, end) : end;
    start = i < end ? i + 1 : end;
    add(cuts, start);
  }
}

static void seqcdc(const uint8_t *bytes, size_t length, const size_limits *limits, cut_list *cuts) {
  /* The paper's parameters for chunks of 8 KB. */
  enum { RUN = 5, TRIGGER = 50, SKIP = 256 };
  for (size_t start = 0; start < length;) {
    const size_t end = least(length, start + limits->max);
    size_t rising = 1;
    size_t falling = 0;
    size_t i = start + limits->min - RUN + 1;
    size_t cut = end;
    while (i < end) {
      if (bytes[i] > bytes[i - 1]) {
        if (++rising == RUN) {
          cut = i + 1;
          break;
        }
      } else {
        rising = 1;
        if (bytes[i] < bytes[i - 1] && ++falling == TRIGGER) {
          falling = 0;
          i += SKIP;
        }
      }
      i++;
    }
    start = cut;
    add(cuts, cut);
  }
}

__attribute__((target("avx512f,avx512bw"))) static void ram(const uint8_t *bytes, size_t length,
                                                            const size_limits *limits, cut_list *cuts) {
  const size_t window = limits->average - 256;
  for (size_t start = 0; start < length;) {
    const size_t end = least(length, start + limits->max);
    size_t cut = end;
    if (start + window < end) {
      __m512i most = _mm512_setzero_si512();
      size_t i = start;
      for (; i + 64 <= start + window; i += 64) {
        most = _mm512_max_epu8(most, _mm512_loadu_si512(bytes + i));
      }
      uint8_t lanes[64];
      _mm512_storeu_si512(lanes, most);
      uint8_t extreme = 0;
      for (int l = 0; l < 64; l++) {
        extreme = lanes[l] > extreme ? lanes[l] : extreme;
      }
      const __m512i all = _mm512_set1_epi8((char)extreme);
      for (; i < end; i += 64) {
        const uint64_t valid = end - i >= 64 ? UINT64_MAX : (UINT64_C(1) << (end - i)) - 1;
        const uint64_t hit =
            _mm512_mask_cmpge_epu8_mask(valid, _mm512_maskz_loadu_epi8(valid, bytes + i), all);
        if (hit != 0) {
          cut = i + (size_t)__builtin_ctzll(hit) + 1;
          break;
        }
      }
    }
    start = cut;
    add(cuts, cut);
  }
}

__attribute__((target("avx512f,avx512bw"))) static void mincdc(const uint8_t *bytes, size_t length,
                                                               const size_limits *limits, cut_list *cuts) {
  const __m512i factor = _mm512_set1_epi32((int)0x9E3779B1);
  const __m512i term = _mm512_set1_epi32((int)0x7F4A7C15);
  const size_t max = limits->average + limits->average / 2;
  for (size_t start = 0; start < length;) {
    size_t cut = length;
    if (start + max + 64 < length) {
      /* Windows of four bytes that end with a chunk's byte min to max; whole vectors of them. */
      const size_t from = start + limits->min - 4;
      const size_t windows = (max - limits->min) / 64 * 64;
      __m512i minimum = _mm512_set1_epi32(-1);
      for (size_t i = 0; i < windows; i += 64) {
#pragma GCC unroll 4
        for (size_t o = 0; o < 4; o++) {
          const __m512i words = _mm512_loadu_si512(bytes + from + i + o);
          minimum = _mm512_min_epu32(minimum, _mm512_add_epi32(_mm512_mullo_epi32(words, factor), term));
        }
      }
      const uint32_t value = _mm512_reduce_min_epu32(minimum);
      size_t i = from;
      while (true) {
        uint32_t word;
        memcpy(&word, bytes + i, 4);
        if (word * 0x9E3779B1U + 0x7F4A7C15U == value) {
          break;
        }
        i++;
      }
      cut = i + 4;
    } else if (start + max < length) {
      cut = start + max;
    }
    start = cut;
    add(cuts, cut);
  }
}

/** FNV-1a with a final mix over words: chunks are told apart, nothing more is asked of it. */
static uint64_t name_of(const uint8_t *bytes, size_t length) {
  uint64_t name = UINT64_C(0xcbf29ce484222325) ^ length;
  for (size_t i = 0; i < length; i++) {
    name = (name ^ bytes[i]) * UINT64_C(0x100000001b3);
    name ^= name >> 29;
  }
  return name | 1;
}

static int by_value(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a;
  const uint64_t y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint64_t *names(const uint8_t *bytes, const cut_list *cuts) {
  uint64_t *all = malloc((cuts->count + 1) * sizeof *all);
  if (all == NULL) {
    abort();
  }
  size_t start = 0;
  for (size_t i = 0; i < cuts->count; i++) {
    all[i] = name_of(bytes + start, cuts->at[i] - start);
    start = cuts->at[i];
  }
  return all;
}

typedef struct content {
  uint8_t *bytes;
  size_t length;
} content;

static content read_file(const char *name) {
  FILE *in = fopen(name, "rb");
  if (in == NULL || fseek(in, 0, SEEK_END) != 0) {
    perror(name);
    exit(1);
  }
  content f = {.length = (size_t)ftell(in)};
  rewind(in);
  f.bytes = malloc(f.length + 64);
  if (f.bytes == NULL || fread(f.bytes, 1, f.length, in) != f.length) {
    perror(name);
    exit(1);
  }
  fclose(in);
  return f;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double root(double square) {
  double x = square > 1 ? square : 1;
  for (int i = 0; i < 60; i++) {
    x = (x + square / x) / 2;
  }
  return x;
}

static void report(const char *name, chunker *chunk, const content *old, const content *new,
                   const size_limits *limits) {
  cut_list before = {0};
  cut_list after = {0};
  chunk(old->bytes, old->length, limits, &before);
  double best = 1e9;
  for (int round = 0; round < 9; round++) {
    after.count = 0;
    const double begin = now();
    chunk(new->bytes, new->length, limits, &after);
    const double seconds = now() - begin;
    best = seconds < best ? seconds : best;
  }
  uint64_t *known = names(old->bytes, &before);
  uint64_t *asked = names(new->bytes, &after);
  qsort(known, before.count, sizeof *known, by_value);
  double reused = 0;
  double squares = 0;
  const double mean = (double)new->length / (double)after.count;
  for (size_t i = 0, start = 0; i < after.count; i++) {
    const double length = (double)(after.at[i] - start);
    if (bsearch(&asked[i], known, before.count, sizeof *known, by_value) != NULL) {
      reused += length;
    }
    squares += (length - mean) * (length - mean);
    start = after.at[i];
  }
  printf("%s\t%zu\t%.0f\t%.0f\t%.2f\t%.2f\n", name, after.count, mean,
         root(squares / (double)after.count), 100 * reused / (double)new->length,
         (double)new->length / best / 1e9);
  free(known);
  free(asked);
  free(before.at);
  free(after.at);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s OLD NEW [AVERAGE]\n", argv[0]);
    return 2;
  }
  const shredder_level best = shredder_best_level();
  const content old = read_file(argv[1]);
  const content new = read_file(argv[2]);
  const size_t average = argc > 3 ? strtoul(argv[3], NULL, 10) : 8192;
  if (average < 4096) {
    fprintf(stderr, "AVERAGE must be at least 4096 bytes.\n");
    return 2;
  }
  const size_limits limits = {average, average / 2, 4 * average};
  const uint64_t gap = average - average / 2;
  shredder_prepare_gear(&gear_rule, 0, UINT64_MAX / gap);
  shredder_prepare_sieved_gear(&sieved_rule, UINT64_MAX / gap * 1024);
  printf("chunker\tchunks\tmean\tdeviation\treused %%\tGB/s\n");
  report("fixed", fixed, &old, &new, &limits);
  report("gear", gear, &old, &new, &limits);
  report("gear-skip", gear_skip, &old, &new, &limits);
  if (best >= SHREDDER_AVX512) {
    report("sieved", sieved, &old, &new, &limits);
  }
  if (best >= SHREDDER_AVX2) {
    report("sieved-avx2", sieved_avx2, &old, &new, &limits);
  }
  report("sieved-scalar", sieved_scalar, &old, &new, &limits);
  report("seqcdc", seqcdc, &old, &new, &limits);
  if (best >= SHREDDER_AVX512) {
    report("ram", ram, &old, &new, &limits);
    report("mincdc", mincdc, &old, &new, &limits);
  }
  free(old.bytes);
  free(new.bytes);
  return 0;
}

#endif
