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

/* BLAKE3 in four lanes, with what every processor for which this is compiled has. See blake3.h. */
#include "blake3.h"

#define LANES 4
#define WIDTH LANES
#define TARGET
#define FORM shredder_blake3_portable

typedef uint32_t vector __attribute__((vector_size(4 * WIDTH)));

static inline void load_blocks(const uint8_t *const at[LANES], size_t offset, vector words[16]) {
  for (int w = 0; w < 16; w++) {
    for (int l = 0; l < LANES; l++) {
      words[w][l] = shredder_blake3_word(at[l] + offset + 4 * w);
    }
  }
}

#include "blake3_lanes.h"
