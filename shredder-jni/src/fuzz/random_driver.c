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
 * Runs a fuzz target without a fuzzer's engine: on the files named, or else on random inputs for a number
 * of seconds. No coverage guides it, so it is for machines without clang only.
 *
 * usage: target SECONDS [SEED]   or   target FILE...
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 12 };

static uint64_t state;

static uint64_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void run_file(const char *name) {
  static uint8_t input[1 << 20];
  FILE *file = fopen(name, "rb");
  if (file == NULL) {
    perror(name);
    exit(1);
  }
  const size_t size = fread(input, 1, sizeof input, file);
  fclose(file);
  LLVMFuzzerTestOneInput(input, size);
}

/** Noise in which some bytes repeat others, after a header of noise, zeros or ones. */
static size_t make(uint8_t *input) {
  const size_t size = 24 + next_random() % (next_random() % 4 == 0 ? MOST - 24 : 300);
  const unsigned values = 1u << next_random() % 9;
  for (size_t i = 0; i < size; i++) {
    const bool copy = i > 24 && next_random() % 8 == 0;
    input[i] = copy ? input[i - 1] : (uint8_t)(next_random() % (i < 24 ? 256 : values));
  }
  if (next_random() % 2 == 0) {
    /* A dense rule: few bits in the mask, a wide range. */
    input[2] %= 12;
    memset(input + 16, next_random() % 2 == 0 ? 0 : 0x1F, 8);
  }
  return size;
}

int main(int argc, char **argv) {
  char *end = NULL;
  const long seconds = argc > 1 ? strtol(argv[1], &end, 10) : 0;
  if (argc < 2) {
    fprintf(stderr, "usage: %s SECONDS [SEED] | FILE...\n", argv[0]);
    return 2;
  }
  if (*end != '\0') {
    for (int i = 1; i < argc; i++) {
      run_file(argv[i]);
    }
    return 0;
  }
  const time_t start = time(NULL);
  state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : (uint64_t)start * 2 + 1;
  printf("seed %llu\n", (unsigned long long)state);
  fflush(stdout);
  uint8_t *input = malloc(MOST);
  if (input == NULL) {
    return 1;
  }
  unsigned long long runs = 0;
  while (time(NULL) - start < seconds) {
    const size_t size = make(input);
    LLVMFuzzerTestOneInput(input, size);
    runs++;
  }
  free(input);
  printf("%llu inputs in %ld s, no difference\n", runs, seconds);
  return 0;
}
