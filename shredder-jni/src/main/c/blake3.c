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

/* BLAKE3's trees: of many short messages at once, and of one that comes bit by bit. See blake3.h. */
#include "blake3.h"

#include "pieces.h"

/** So many nodes of a level lie in a row: what the first-level cache holds beside their bytes. */
enum { ROW = 512 };

/** How many nodes are computed at once, and by what; and the same if there are no more than a `few`. */
typedef struct form {
  size_t lanes;
  shredder_blake3_form *compute;
  size_t few;
  shredder_blake3_form *compute_few;
} form;

static form form_of(shredder_level level) {
#if defined(__x86_64__)
  if (level >= SHREDDER_AVX512) {
    return (form){32, shredder_blake3_avx512_groups, 16, shredder_blake3_avx512};
  }
  if (level >= SHREDDER_AVX2) {
    return (form){8, shredder_blake3_avx2, 8, shredder_blake3_avx2};
  }
#endif
  (void)level;
  return (form){4, shredder_blake3_portable, 4, shredder_blake3_portable};
}

/** The next bytes, where they lie or, if they do not lie together, in `room`. */
static const uint8_t *take(shredder_reader *from, size_t count, uint8_t *room) {
  if (count == 0) {
    return room;
  }
  shredder_find_piece(from);
  if (from->piece.length < count) {
    shredder_read(from, room, count);
    return room;
  }
  const uint8_t *at = from->piece.bytes;
  shredder_pass(from, count);
  return at;
}

/** A leaf's bytes if they must be put together, and its last block if it must be filled up. */
typedef struct leaf_room {
  uint8_t bytes[BLAKE3_LEAF];
  uint8_t last[BLAKE3_BLOCK];
} leaf_room;

/** Jobs that wait until all lanes have one. */
typedef struct queue {
  form form;
  size_t count;
  blake3_jobs jobs;
} queue;

/** Gives the next lane a job. */
static inline void put(queue *waiting, const uint8_t *bytes, size_t blocks, const uint8_t *last, size_t last_length,
                       uint32_t first_flags, uint32_t last_flags, uint64_t counter, uint8_t *to) {
  blake3_jobs *jobs = &waiting->jobs;
  const size_t l = waiting->count++;
  jobs->bytes[l] = bytes;
  jobs->blocks[l] = (uint32_t)blocks;
  jobs->last[l] = last;
  jobs->last_length[l] = (uint32_t)last_length;
  jobs->first_flags[l] = first_flags;
  jobs->last_flags[l] = last_flags;
  jobs->counter_low[l] = (uint32_t)counter;
  jobs->counter_high[l] = (uint32_t)(counter >> 32);
  jobs->to[l] = to;
}

/** Lanes without a job do the first one's as well, for nothing; so few jobs are for a form with fewer lanes. */
static void compute(queue *waiting) {
  const blake3_jobs *jobs = &waiting->jobs;
  if (waiting->count > 0) {
    const bool few = waiting->count <= waiting->form.few;
    while (waiting->count < (few ? waiting->form.few : waiting->form.lanes)) {
      const uint64_t counter = (uint64_t)jobs->counter_high[0] << 32 | jobs->counter_low[0];
      put(waiting, jobs->bytes[0], jobs->blocks[0], jobs->last[0], jobs->last_length[0], jobs->first_flags[0],
          jobs->last_flags[0], counter, jobs->to[0]);
    }
    (few ? waiting->form.compute_few : waiting->form.compute)(jobs);
    waiting->count = 0;
  }
}

static inline void compute_if_full(queue *waiting) {
  if (waiting->count == waiting->form.lanes) {
    compute(waiting);
  }
}

static size_t blocks_of(size_t length) { return length == 0 ? 1 : (length + BLAKE3_BLOCK - 1) / BLAKE3_BLOCK; }

static inline void add_leaf(queue *waiting, const uint8_t *bytes, size_t length, uint64_t number, bool is_root,
                            leaf_room *room, uint8_t *to) {
  const size_t blocks = blocks_of(length);
  const size_t before = (blocks - 1) * BLAKE3_BLOCK;
  const uint8_t *last = bytes + before;
  if (length - before < BLAKE3_BLOCK) {
    memset(room->last, 0, sizeof room->last);
    memcpy(room->last, last, length - before);
    last = room->last;
  }
  const uint32_t last_flags = is_root ? BLAKE3_CHUNK_END | BLAKE3_ROOT : BLAKE3_CHUNK_END;
  put(waiting, bytes, blocks, last, length - before, BLAKE3_CHUNK_START, last_flags, number, to);
  compute_if_full(waiting);
}

/** Adds the parent of the two nodes at `children`. */
static inline void add_parent(queue *waiting, const uint8_t *children, bool is_root, uint8_t *to) {
  const uint32_t flags = is_root ? BLAKE3_PARENT | BLAKE3_ROOT : BLAKE3_PARENT;
  put(waiting, children, 1, children, BLAKE3_BLOCK, 0, flags, 0, to);
  compute_if_full(waiting);
}

/** Messages whose leaves lie in one row, and where in it a message's nodes begin. */
typedef struct group {
  const shredder_message *messages;
  uint8_t (*digests)[BLAKE3_NODE];
  size_t count;
  size_t begins[ROW];
  size_t nodes[ROW];
} group;

static size_t leaves_of(size_t length) {
  return length == 0 ? 1 : (length - 1) / BLAKE3_LEAF + 1;
}

/** A leaf that is not full, and lies together. */
typedef struct shorter_leaf {
  const uint8_t *bytes;
  uint8_t *to;
  const struct shorter_leaf *next;
  uint32_t number;
  uint16_t length;
  bool is_root;
} shorter_leaf;

/** Such leaves, in lists of those that have as many blocks. */
typedef struct shorter_leaves {
  const shorter_leaf *with_blocks[BLAKE3_LEAF / BLAKE3_BLOCK + 1];
  size_t count;
  shorter_leaf leaves[ROW];
} shorter_leaves;

static void sort_in(shorter_leaves *into, shorter_leaf leaf) {
  const shorter_leaf **list = &into->with_blocks[blocks_of(leaf.length)];
  shorter_leaf *place = &into->leaves[into->count++];
  leaf.next = *list;
  *place = leaf;
  *list = place;
}

/**
 * Lanes take as long as the one with the most blocks. So the full leaves, which are the most, do not wait in one
 * queue with shorter ones, and these are taken in the order of their lengths.
 */
static void compute_leaves(form with, const group *of, uint8_t (*row)[BLAKE3_NODE]) {
  queue waiting = {.form = with};
  leaf_room rooms[BLAKE3_MOST_LANES];
  shorter_leaves shorter;
  memset(shorter.with_blocks, 0, sizeof shorter.with_blocks);
  shorter.count = 0;
  for (size_t i = 0; i < of->count; i++) {
    const bool is_root = of->nodes[i] == 1;
    shredder_reader from = shredder_read_from(of->messages[i].first_piece, of->messages[i].pieces);
    for (size_t n = 0; n < of->nodes[i]; n++) {
      const size_t length = from.rest < BLAKE3_LEAF ? from.rest : BLAKE3_LEAF;
      uint8_t *to = is_root ? of->digests[i] : row[of->begins[i] + n];
      leaf_room *room = &rooms[waiting.count];
      const uint8_t *bytes = take(&from, length, room->bytes);
      if (length < BLAKE3_LEAF && bytes != room->bytes) {
        sort_in(&shorter, (shorter_leaf){.bytes = bytes,
                                         .to = to,
                                         .number = (uint32_t)n,
                                         .length = (uint16_t)length,
                                         .is_root = is_root});
      } else {
        add_leaf(&waiting, bytes, length, n, is_root, room, to);
      }
    }
  }
  compute(&waiting);
  for (size_t blocks = 1; blocks <= BLAKE3_LEAF / BLAKE3_BLOCK; blocks++) {
    for (const shorter_leaf *s = shorter.with_blocks[blocks]; s != NULL; s = s->next) {
      add_leaf(&waiting, s->bytes, s->length, s->number, s->is_root, &rooms[waiting.count], s->to);
    }
  }
  compute(&waiting);
}

/**
 * Makes every message's nodes half as many. One without a neighbour goes up as it is, so that the tree is
 * BLAKE3's: left subtrees are complete.
 *
 * @return whether any message has more than one left
 */
static bool compute_parents(queue *waiting, group *of, uint8_t (*row)[BLAKE3_NODE]) {
  for (size_t i = 0; i < of->count; i++) {
    uint8_t(*nodes)[BLAKE3_NODE] = row + of->begins[i];
    for (size_t p = 0; p < of->nodes[i] / 2; p++) {
      const bool is_root = of->nodes[i] == 2;
      add_parent(waiting, nodes[2 * p], is_root, is_root ? of->digests[i] : nodes[p]);
    }
  }
  compute(waiting);
  bool goes_on = false;
  for (size_t i = 0; i < of->count; i++) {
    uint8_t(*nodes)[BLAKE3_NODE] = row + of->begins[i];
    const size_t pairs = of->nodes[i] / 2;
    if (of->nodes[i] % 2 == 1 && pairs > 0) {
      memmove(nodes[pairs], nodes[2 * pairs], BLAKE3_NODE);
    }
    of->nodes[i] -= pairs;
    goes_on |= of->nodes[i] > 1;
  }
  return goes_on;
}

static void compute_group(form with, group *of) {
  queue waiting = {.form = with};
  uint8_t row[ROW][BLAKE3_NODE];
  compute_leaves(with, of, row);
  while (compute_parents(&waiting, of, row)) {
  }
}

shredder_status shredder_blake3(shredder_level level, const shredder_message *messages, size_t count,
                                uint8_t (*digests)[SHREDDER_DIGEST_BYTES]) {
  if (level > shredder_best_level()) {
    return SHREDDER_BAD_ARGUMENT;
  }
  const form with = form_of(level);
  size_t next = 0;
  while (next < count) {
    group together = {.messages = messages + next, .digests = digests + next};
    size_t leaves = 0;
    while (next < count && leaves < ROW) {
      const size_t more = leaves_of(shredder_read_from(messages[next].first_piece, messages[next].pieces).rest);
      if (more > ROW - leaves) {
        break;
      }
      together.begins[together.count] = leaves;
      together.nodes[together.count++] = more;
      leaves += more;
      next++;
    }
    if (together.count > 0) {
      compute_group(with, &together);
    } else {
      shredder_blake3_state alone = {0};
      (void)shredder_blake3_update(level, &alone, messages[next].first_piece, messages[next].pieces);
      (void)shredder_blake3_end(level, &alone, digests[next]);
      next++;
    }
  }
  return SHREDDER_OK;
}

/** Complete subtrees, the largest first: one for each bit of the number of leaves. */
static size_t height_of_stack(uint64_t leaves) { return (size_t)__builtin_popcountll(leaves); }

/**
 * Nodes row[1] to row[count] follow those on the stack. Each that is a right child has its left one in front of
 * it, in the row or on the stack, and becomes their parent; what is left goes onto the stack.
 */
static void add_row(form with, shredder_blake3_state *state, uint8_t (*row)[BLAKE3_NODE], size_t count) {
  enum { MOST_LEVELS = 10 };
  uint8_t left[MOST_LEVELS + 64][BLAKE3_NODE];
  size_t kept = 0;
  size_t height = height_of_stack(state->leaves);
  uint64_t number = state->leaves;
  state->leaves += count;
  queue waiting = {.form = with};
  while (count > 0) {
    size_t first = 1;
    if (number % 2 == 1) {
      memcpy(row[0], state->nodes[--height], BLAKE3_NODE);
      first = 0;
      count++;
    }
    const size_t pairs = count / 2;
    if (count % 2 == 1) {
      memcpy(left[kept++], row[first + 2 * pairs], BLAKE3_NODE);
    }
    for (size_t p = 0; p < pairs; p++) {
      add_parent(&waiting, row[first + 2 * p], false, row[1 + p]);
    }
    compute(&waiting);
    count = pairs;
    number /= 2;
  }
  while (kept > 0) {
    memcpy(state->nodes[height++], left[--kept], BLAKE3_NODE);
  }
}

/** Leaves behind which there are more, from the buffer and what is read. */
static void compute_row(form with, shredder_blake3_state *state, shredder_reader *from, size_t count) {
  uint8_t row[1 + ROW][BLAKE3_NODE];
  leaf_room rooms[BLAKE3_MOST_LANES];
  queue waiting = {.form = with};
  for (size_t n = 0; n < count; n++) {
    leaf_room *room = &rooms[waiting.count];
    const uint8_t *bytes;
    if (state->buffered > 0) {
      memcpy(room->bytes, state->buffer, state->buffered);
      shredder_read(from, room->bytes + state->buffered, BLAKE3_LEAF - state->buffered);
      state->buffered = 0;
      bytes = room->bytes;
    } else {
      bytes = take(from, BLAKE3_LEAF, room->bytes);
    }
    add_leaf(&waiting, bytes, BLAKE3_LEAF, state->leaves + n, false, room, row[1 + n]);
  }
  compute(&waiting);
  add_row(with, state, row, count);
}

/* That the stack has a place for each subtree, and the buffer its bytes, is all that memory safety depends on. */
static bool is_usable(shredder_level level, const shredder_blake3_state *state) {
  return level <= shredder_best_level() && state->buffered <= BLAKE3_LEAF &&
         state->leaves <= SHREDDER_BLAKE3_MOST_LEAVES;
}

shredder_status shredder_blake3_update(shredder_level level, shredder_blake3_state *state,
                                       const shredder_piece *pieces, size_t count) {
  if (!is_usable(level, state)) {
    return SHREDDER_BAD_ARGUMENT;
  }
  const form with = form_of(level);
  shredder_reader from = shredder_read_from(pieces, count);
  /* No byte makes more than one leaf, so that what is accepted can also be ended. */
  if (from.rest > SHREDDER_BLAKE3_MOST_LEAVES - state->leaves) {
    return SHREDDER_BAD_ARGUMENT;
  }
  /* The last leaf, even a full one, waits for what comes behind it, since it may be the root. */
  while (from.rest + state->buffered > BLAKE3_LEAF) {
    const size_t full = (from.rest + state->buffered - 1) / BLAKE3_LEAF;
    compute_row(with, state, &from, full < ROW ? full : ROW);
  }
  const size_t rest = from.rest;
  shredder_read(&from, state->buffer + state->buffered, rest);
  state->buffered += (uint32_t)rest;
  return SHREDDER_OK;
}

shredder_status shredder_blake3_end(shredder_level level, const shredder_blake3_state *state,
                                    uint8_t digest[SHREDDER_DIGEST_BYTES]) {
  if (!is_usable(level, state)) {
    return SHREDDER_BAD_ARGUMENT;
  }
  leaf_room room;
  uint8_t pair[2][BLAKE3_NODE];
  size_t height = height_of_stack(state->leaves);
  queue waiting = {.form = form_of(level)};
  add_leaf(&waiting, state->buffer, state->buffered, state->leaves, height == 0, &room,
           height == 0 ? digest : pair[1]);
  compute(&waiting);
  while (height > 0) {
    memcpy(pair[0], state->nodes[--height], BLAKE3_NODE);
    add_parent(&waiting, pair[0], height == 0, height == 0 ? digest : pair[1]);
    compute(&waiting);
  }
  return SHREDDER_OK;
}
