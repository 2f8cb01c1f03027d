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
 * Prints a text with some of its lines edited, as a person would: edit FILE SEED EDITS
 *
 * Each edit takes a line at random and deletes it, writes it twice, inserts a word, or overwrites a few of
 * its characters. Equal arguments make an equal text.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t next_random(void) {
  state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static void edit(const char *line, size_t length) {
  const uint64_t kind = next_random() % 4;
  const size_t at = next_random() % length;
  switch (kind) {
    case 0:
      break;
    case 1:
      fwrite(line, 1, length, stdout);
      fwrite(line, 1, length, stdout);
      break;
    case 2:
      fwrite(line, 1, at, stdout);
      printf("word%llu ", (unsigned long long)(next_random() % 1000));
      fwrite(line + at, 1, length - at, stdout);
      break;
    default:
      for (size_t i = 0; i < length; i++) {
        const int changed = i >= at && i < at + 5 && line[i] != '\n';
        putchar(changed ? 'a' + (int)(next_random() % 26) : line[i]);
      }
  }
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s FILE SEED EDITS\n", argv[0]);
    return 2;
  }
  FILE *in = fopen(argv[1], "rb");
  if (in == NULL || fseek(in, 0, SEEK_END) != 0) {
    perror(argv[1]);
    return 1;
  }
  const size_t length = (size_t)ftell(in);
  rewind(in);
  char *text = malloc(length + 1);
  if (text == NULL || fread(text, 1, length, in) != length) {
    perror(argv[1]);
    return 1;
  }
  fclose(in);
  state = strtoull(argv[2], NULL, 10);
  const uint64_t edits = strtoull(argv[3], NULL, 10);
  uint64_t lines = 0;
  for (size_t i = 0; i < length; i++) {
    lines += text[i] == '\n';
  }
  for (size_t at = 0; at < length;) {
    const char *end = memchr(text + at, '\n', length - at);
    const size_t line = end == NULL ? length - at : (size_t)(end - (text + at)) + 1;
    if (lines > 0 && next_random() % lines < edits) {
      edit(text + at, line);
    } else {
      fwrite(text + at, 1, line, stdout);
    }
    at += line;
  }
  free(text);
  return 0;
}
