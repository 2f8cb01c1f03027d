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
 * Speed of the inner loops, without JVM or files: chunking_bench [MEGABYTES [SECONDS]]
 *
 * Prints a line per measurement, tab-separated: name, level, threads, GB/s (10^9 bytes, the median of the
 * rounds), and the best round. Each thread works on memory of its own. memcpy and a sum over the bytes are
 * the limits of the memory.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../main/c/kernels.h"

enum { MOST_THREADS = 64, MOST_ROUNDS = 1000, CHUNK = 8192 };

typedef struct bench_job bench_job;

struct bench_job {
  const char *name;
  const char *level;
  void (*run)(const bench_job *job, const uint8_t *bytes, size_t length, uint8_t *scratch);
  shredder_kernel *kernel;
  const shredder_rule *rule;
};

typedef struct worker {
  const bench_job *job;
  const uint8_t *bytes;
  uint8_t *scratch;
  size_t length;
  pthread_barrier_t *barrier;
  double begin;
  double end;
} worker;

/** Keeps results alive. */
static volatile uint64_t sink;

static void run_memcpy(const bench_job *job, const uint8_t *bytes, size_t length, uint8_t *scratch) {
  (void)job;
  memcpy(scratch, bytes, length);
  sink += scratch[length / 2];
}

static void run_read(const bench_job *job, const uint8_t *bytes, size_t length, uint8_t *scratch) {
  (void)job;
  (void)scratch;
  uint64_t sum = 0;
  for (size_t i = 0; i + 8 <= length; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    sum += word;
  }
  sink += sum;
}

/** As shredder_search does it: tile by tile into a bitmap. */
static void run_kernel(const bench_job *job, const uint8_t *bytes, size_t length, uint8_t *scratch) {
  enum { TILE = 1 << 17 };
  (void)scratch;
  uint64_t bitmap[TILE / 64];
  uint64_t found = 0;
  for (size_t at = job->rule->window - 1; at < length; at += TILE) {
    const size_t n = length - at < TILE ? length - at : TILE;
    memset(bitmap, 0, sizeof bitmap);
    job->kernel(job->rule, bytes + at, 0, n, bitmap);
    for (size_t w = 0; w < TILE / 64; w++) {
      found += (uint64_t)__builtin_popcountll(bitmap[w]);
    }
  }
  sink += found;
}

enum { BATCH = 128 };

/** Messages with lengths from half to one and a half of the mean, each pair twice the mean. */
static void divide(const uint8_t *bytes, shredder_piece pieces[BATCH], shredder_message messages[BATCH]) {
  for (size_t i = 0; i < BATCH; i++) {
    const size_t less = (i / 2 * 5077) % CHUNK;
    const size_t chunk = i % 2 == 0 ? CHUNK / 2 + less : 3 * CHUNK / 2 - less;
    pieces[i] = (shredder_piece){bytes, chunk};
    messages[i] = (shredder_message){.first_piece = &pieces[i], .pieces = 1};
    bytes += chunk;
  }
}

static void digest(shredder_digest_form form, const uint8_t *bytes, size_t length) {
  shredder_piece pieces[BATCH];
  shredder_message messages[BATCH];
  for (size_t at = 0; at + BATCH * CHUNK <= length; at += BATCH * CHUNK) {
    divide(bytes + at, pieces, messages);
    shredder_sha256(form, messages, BATCH, SIZE_MAX, false);
    sink += messages[0].state[0];
  }
}

static void run_sha256_streams(const bench_job *job, const uint8_t *bytes, size_t length,
                               uint8_t *scratch) {
  (void)job;
  (void)scratch;
  digest(SHREDDER_STREAMS, bytes, length);
}

static void run_sha256_streams_avx512(const bench_job *job, const uint8_t *bytes, size_t length,
                                      uint8_t *scratch) {
  (void)job;
  (void)scratch;
  digest(SHREDDER_STREAMS_AVX512, bytes, length);
}

static void run_sha256_lanes(const bench_job *job, const uint8_t *bytes, size_t length,
                             uint8_t *scratch) {
  (void)job;
  (void)scratch;
  digest(SHREDDER_LANES, bytes, length);
}

static void run_sha256_more_lanes(const bench_job *job, const uint8_t *bytes, size_t length,
                                  uint8_t *scratch) {
  (void)job;
  (void)scratch;
  digest(SHREDDER_MORE_LANES, bytes, length);
}

static void digest_blake3(shredder_level level, const uint8_t *bytes, size_t length) {
  shredder_piece pieces[BATCH];
  shredder_message messages[BATCH];
  uint8_t digests[BATCH][SHREDDER_DIGEST_BYTES];
  for (size_t at = 0; at + BATCH * CHUNK <= length; at += BATCH * CHUNK) {
    divide(bytes + at, pieces, messages);
    (void)shredder_blake3(level, messages, BATCH, digests);
    sink += digests[0][0];
  }
}

static void run_blake3_scalar(const bench_job *job, const uint8_t *bytes, size_t length, uint8_t *scratch) {
  (void)job;
  (void)scratch;
  digest_blake3(SHREDDER_SCALAR, bytes, length);
}

#if defined(__x86_64__)
static void run_blake3_avx2(const bench_job *job, const uint8_t *bytes, size_t length, uint8_t *scratch) {
  (void)job;
  (void)scratch;
  digest_blake3(SHREDDER_AVX2, bytes, length);
}

static void run_blake3_avx512(const bench_job *job, const uint8_t *bytes, size_t length, uint8_t *scratch) {
  (void)job;
  (void)scratch;
  digest_blake3(SHREDDER_AVX512, bytes, length);
}
#endif

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *work(void *argument) {
  worker *w = argument;
  pthread_barrier_wait(w->barrier);
  w->begin = now();
  w->job->run(w->job, w->bytes, w->length, w->scratch);
  w->end = now();
  return NULL;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const bench_job *job, int threads, uint8_t **bytes, uint8_t **scratch, size_t length,
                    double seconds) {
  static double rates[MOST_ROUNDS];
  int rounds = 0;
  const double start = now();
  do {
    pthread_barrier_t barrier;
    pthread_t thread[MOST_THREADS];
    worker workers[MOST_THREADS];
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++) {
      workers[t] = (worker){job, bytes[t], scratch[t], length, &barrier, 0, 0};
      if (pthread_create(&thread[t], NULL, work, &workers[t]) != 0) {
        perror("pthread_create");
        exit(1);
      }
    }
    double begin = 1e300;
    double end = 0;
    for (int t = 0; t < threads; t++) {
      pthread_join(thread[t], NULL);
      begin = workers[t].begin < begin ? workers[t].begin : begin;
      end = workers[t].end > end ? workers[t].end : end;
    }
    rates[rounds++] = (double)threads * (double)length / (end - begin) / 1e9;
    pthread_barrier_destroy(&barrier);
  } while (rounds < MOST_ROUNDS && now() - start < seconds);
  qsort(rates, (size_t)rounds, sizeof *rates, ascending);
  printf("%s\t%s\t%d\t%.2f\t%.2f\n", job->name, job->level, threads, rates[rounds / 2],
         rates[rounds - 1]);
  fflush(stdout);
}

static uint8_t *random_bytes(size_t length, uint64_t seed) {
  uint8_t *bytes = aligned_alloc(64, length);
  if (bytes == NULL) {
    perror("aligned_alloc");
    exit(1);
  }
  for (size_t i = 0; i < length; i += 8) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    memcpy(bytes + i, &seed, 8);
  }
  return bytes;
}

/** Whether this processor has the instructions. */
static bool can_run(const char *level) {
  const shredder_level best = shredder_best_level();
  if (strncmp(level, "avx512", strlen("avx512")) == 0) {
    return best >= SHREDDER_AVX512;
  }
  if (strcmp(level, "avx2") == 0) {
    return best >= SHREDDER_AVX2;
  }
#if SHREDDER_X86
  if (strcmp(level, "avx2-gfni") == 0) {
    return best >= SHREDDER_AVX2 && __builtin_cpu_supports("gfni");
  }
#endif
  if (strcmp(level, "sha") == 0) {
    return (shredder_digest_forms() & SHREDDER_STREAMS) != 0;
  }
  if (strcmp(level, "sha-avx512") == 0) {
    return (shredder_digest_forms() & SHREDDER_STREAMS_AVX512) != 0;
  }
  return true;
}

int main(int argc, char **argv) {
  const size_t length = (argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 20;
  const double seconds = argc > 2 ? strtod(argv[2], NULL) : 1;
  if (length == 0 || seconds <= 0) {
    fprintf(stderr, "usage: %s [MEGABYTES [SECONDS]]\n", argv[0]);
    return 2;
  }
  shredder_rule *gear = malloc(sizeof *gear);
  shredder_rule *rabin = malloc(sizeof *rabin);
  shredder_rule *sieved = malloc(sizeof *sieved);
  if (gear == NULL || rabin == NULL || sieved == NULL) {
    return 1;
  }
  shredder_prepare_gear(gear, 0, UINT64_MAX / 4096);
  shredder_prepare_sieved_gear(sieved, UINT64_MAX / 4096 * 1024);
  shredder_prepare_rabin(rabin, UINT64_C(0x3DA3358B4DC173), 48, 13, 0x78);
  const bench_job jobs[] = {
      {"memcpy", "-", run_memcpy, NULL, NULL},
      {"read", "-", run_read, NULL, NULL},
      {"gear", "scalar", run_kernel, shredder_gear_scalar, gear},
      {"sieved-gear", "scalar", run_kernel, shredder_sieved_gear_scalar, sieved},
      {"rabin48", "scalar", run_kernel, shredder_rabin_scalar, rabin},
#if SHREDDER_X86
      {"sieved-gear", "avx2", run_kernel, shredder_sieved_gear_avx2, sieved},
      {"sieved-gear", "avx512", run_kernel, shredder_sieved_gear_avx512, sieved},
      {"rabin48", "avx2-gfni", run_kernel, shredder_rabin_avx2, rabin},
      {"rabin48", "avx512", run_kernel, shredder_rabin_avx512, rabin},
      {"sha256", "sha", run_sha256_streams, NULL, NULL},
      {"sha256", "sha-avx512", run_sha256_streams_avx512, NULL, NULL},
      {"sha256", "avx512", run_sha256_lanes, NULL, NULL},
      {"sha256", "avx512x2", run_sha256_more_lanes, NULL, NULL},
      {"blake3", "avx2", run_blake3_avx2, NULL, NULL},
      {"blake3", "avx512", run_blake3_avx512, NULL, NULL},
#endif
      {"blake3", "scalar", run_blake3_scalar, NULL, NULL},
  };
  uint8_t *bytes[2];
  uint8_t *scratch[2];
  for (int t = 0; t < 2; t++) {
    bytes[t] = random_bytes(length, 88172645463325252 + (uint64_t)t);
    scratch[t] = random_bytes(length, 1);
  }
  printf("name\tlevel\tthreads\tGB/s\tbest\n");
  for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
    if (!can_run(jobs[j].level)) {
      continue;
    }
    for (int threads = 1; threads <= 2; threads++) {
      measure(&jobs[j], threads, bytes, scratch, length, seconds);
    }
  }
  for (int t = 0; t < 2; t++) {
    free(bytes[t]);
    free(scratch[t]);
  }
  free(gear);
  free(rabin);
  free(sieved);
  return 0;
}
