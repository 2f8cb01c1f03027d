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
 * Content-defined chunking in C: which positions of a source may be cut. The same positions as the
 * Java library's, whatever the processor; org.freshet.shredder.CandidateRule says what they are.
 *
 * A position p lies between bytes[p - 1] and bytes[p]. Whether it is a candidate is a pure function
 * of the window bytes before it. Nothing here keeps state between calls, so any number of threads
 * may search with one rule.
 */
#ifndef SHREDDER_H
#define SHREDDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Changes whenever a signature below or in jni.c does: the Java side checks that it got its own. */
#define SHREDDER_VERSION 6

enum {
  /** Bytes that decide over a position in Gear: a byte's share is shifted out after as many steps. */
  SHREDDER_GEAR_WINDOW = 64,
  /** Sieved Gear: the low 16 bits of what a byte adds to the hash are those of its product with this. */
  SHREDDER_SIEVE_FACTOR = 0x9E37,
  /** Sieved Gear: bits of a candidate's hash ... */
  SHREDDER_SIEVE_MASK = 0xFFC0,
  /** ... and what they are. */
  SHREDDER_SIEVE_MARKER = 0x2A5 << 6,
  /** Largest window of a Rabin rule, in bytes. */
  SHREDDER_MAX_WINDOW = 64,
  SHREDDER_MIN_DEGREE = 9,
  SHREDDER_MAX_DEGREE = 56
};

/** Which instructions to use; each level includes those before it. */
typedef enum shredder_level {
  SHREDDER_SCALAR = 0,
  /** AVX2; for Rabin it takes GFNI on 256 bits, too. */
  SHREDDER_AVX2 = 1,
  /** AVX-512 (F, BW, VL, VBMI), BMI2 and GFNI on 512 bits. */
  SHREDDER_AVX512 = 2
} shredder_level;

typedef enum shredder_status {
  SHREDDER_OK = 0,
  SHREDDER_BAD_ARGUMENT = 1,
  SHREDDER_NO_MEMORY = 2
} shredder_status;

/** The best level that this processor and operating system can run. */
shredder_level shredder_best_level(void);

/** Which hash decides. The values are arbitrary, so that memory never prepared is not taken for a rule. */
typedef enum shredder_kind {
  SHREDDER_GEAR = 0x52414547,
  SHREDDER_SIEVED_GEAR = 0x56454953,
  SHREDDER_RABIN = 0x4e424152
} shredder_kind;

/**
 * A candidate rule with the tables made for it. Prepared once, read-only then; plain memory without
 * pointers, so whoever owns the memory owns the rule.
 */
typedef struct shredder_rule {
  uint32_t kind;
  /** Bytes before a position that decide over it. */
  uint32_t window;

  /* Gear: a candidate's hash, less `first`, is below `width`. Sieved Gear: the hash is; `first` is the marker. */
  uint64_t first;
  uint64_t width;
  /** What a byte adds to the hash less `first`, see gear.c. */
  uint64_t gear[256];

  /* Rabin: a candidate's fingerprint equals `marker` in the bits of `mask`. */
  uint64_t polynomial;
  uint64_t mask;
  uint64_t marker;
  uint32_t degree;
  uint32_t mask_bits;
  /** By the top byte of a fingerprint: what clears it and adds its remainder, after a shift by 8. */
  uint64_t reduce[256];
  /** By the byte that leaves the window: its share, once the fingerprint has taken the next byte. */
  uint64_t leave[256];
  /** By distance from a position: the map of a byte to the low 8 bits of its share, for GF2P8AFFINEQB. */
  uint64_t low[SHREDDER_MAX_WINDOW];
  /**
   * For bits 8 to 15 of a fingerprint, which bits of the window add to each. A window of 8 bytes or more is
   * taken as words of 8: [word][bit of the fingerprint - 8], see shredder_rabin_word.
   */
  uint64_t next[SHREDDER_MAX_WINDOW / 8][8];
} shredder_rule;

/** Prepares a Gear rule. Any `first` and `width` are legal; a width of 0 has no candidates. */
void shredder_prepare_gear(shredder_rule *rule, uint64_t first, uint64_t width);

/** Prepares a sieved Gear rule. Any `width` is legal; a width of 0 has no candidates. */
void shredder_prepare_sieved_gear(shredder_rule *rule, uint64_t width);

/**
 * Prepares a Rabin rule.
 *
 * @param polynomial of degree 9 to 56, its bits the coefficients; irreducible, or chunks are poor, which
 *     the Java side checks
 * @param window 1 to SHREDDER_MAX_WINDOW bytes
 * @param mask_bits how many low bits of the fingerprint decide: 1 to the degree
 * @param marker what they must be; below 2 to the power of mask_bits
 * @return SHREDDER_OK or SHREDDER_BAD_ARGUMENT
 */
shredder_status shredder_prepare_rabin(shredder_rule *rule, uint64_t polynomial, uint32_t window,
                                       uint32_t mask_bits, uint64_t marker);

/** Whether what lies at `rule` is a prepared rule, as far as memory safety depends on it. */
bool shredder_is_rule(const shredder_rule *rule);

/** Ascending positions, in memory that grows. Start with all zero; end with shredder_positions_free. */
typedef struct shredder_positions {
  int32_t *at;
  size_t count;
  size_t capacity;
} shredder_positions;

void shredder_positions_free(shredder_positions *positions);

/**
 * Appends the candidates in (from, to] to `found`, ascending.
 *
 * @param level at most shredder_best_level()
 * @param bytes holds at least `to` bytes; those from `from - (window - 1)` on are read
 * @param from at least window - 1
 * @param to at least `from`, at most INT32_MAX
 * @return SHREDDER_OK, SHREDDER_BAD_ARGUMENT (nothing was read), or SHREDDER_NO_MEMORY (`found` holds
 *     some of the candidates)
 */
shredder_status shredder_search(const shredder_rule *rule, shredder_level level,
                                const uint8_t *bytes, size_t from, size_t to,
                                shredder_positions *found);

typedef struct shredder_piece {
  const uint8_t *bytes;
  size_t length;
} shredder_piece;

/**
 * A message on its way to its digest: some bytes have been digested, and behind them come those of its pieces,
 * of which `pieces` many begin with `first_piece`.
 */
typedef struct shredder_message {
  const shredder_piece *first_piece;
  size_t pieces;
  /** How many bytes have been digested: a multiple of 64, unless it has ended. */
  uint64_t done;
  /** SHA-256's state after them, which is the digest when the message has ended; any if there are none. */
  uint32_t state[8];
  bool ended;
} shredder_message;

/** Ways to compute digests of several messages at once: bits, of which an unsigned int holds a set. */
typedef enum shredder_digest_form {
  /** Three interleaved streams of SHA instructions (with AVX2). Worth while from 2 messages on. */
  SHREDDER_STREAMS = 1,
  /** Sixteen lanes of AVX-512 (F, BW, VL). Faster, if there are messages enough to fill them. */
  SHREDDER_LANES = 2,
  /** Four streams of SHA instructions, with message schedules in lanes of AVX-512 (F, BW, VL). */
  SHREDDER_STREAMS_AVX512 = 4,
  /** Thirty-two lanes, in two registers each word. Faster again on some processors, with messages enough. */
  SHREDDER_MORE_LANES = 8
} shredder_digest_form;

/** The forms that this processor and operating system can run, as a set; 0 if none. */
unsigned shredder_digest_forms(void);

/**
 * Those of them that are worth using: lanes are left out where streams are about as fast, and more lanes where
 * fewer are, because they need more messages in memory, and four streams where three are faster. Some processors
 * with AVX-512 compute with half of its width at a time. Measures all, which takes less than a millisecond.
 */
unsigned shredder_worthwhile_digest_forms(void);

/**
 * Goes on with the SHA-256 digests of messages, several at once.
 *
 * A stream or lane that has no message left costs as much as one that has. So if more messages will come, those
 * that have begun can be left as they are until then.
 *
 * @param forms a set, not empty, of those in shredder_digest_forms(); the one that is faster for these
 *     messages is taken
 * @param messages none has ended
 * @param most after about so many bytes this returns
 * @param filled return, too, when a stream or lane of the form taken has nothing to do. Messages are then
 *     taken in their order
 * @return SHREDDER_OK, SHREDDER_BAD_ARGUMENT or SHREDDER_NO_MEMORY
 */
shredder_status shredder_sha256(unsigned forms, shredder_message *messages, size_t count, size_t most,
                                bool filled);

/** Of SHA-256 and of BLAKE3. */
enum { SHREDDER_DIGEST_BYTES = 32 };

/**
 * The BLAKE3 digests of whole messages, many leaves at once: full lanes need up to 32 KiB together, in one message
 * or in several.
 *
 * @param level at most shredder_best_level()
 * @param messages of which nothing has been digested: only their pieces are looked at
 * @param digests one for each
 * @return SHREDDER_OK or SHREDDER_BAD_ARGUMENT
 */
shredder_status shredder_blake3(shredder_level level, const shredder_message *messages, size_t count,
                                uint8_t (*digests)[SHREDDER_DIGEST_BYTES]);

/** 8 EiB of them: a message's length must fit into 64 bits. */
#define SHREDDER_BLAKE3_MOST_LEAVES (UINT64_MAX / 2048)

/** A message on its way to its BLAKE3 digest, of which not all bytes are at hand. Starts with all zero. */
typedef struct shredder_blake3_state {
  /** Leaves that the nodes on the stack stand for. */
  uint64_t leaves;
  uint32_t buffered;
  uint8_t buffer[1024];
  /** Of complete subtrees, the largest first: one for each bit of `leaves`. */
  uint8_t nodes[64][SHREDDER_DIGEST_BYTES];
} shredder_blake3_state;

/**
 * Goes on with a message.
 *
 * @param level at most shredder_best_level()
 * @param state any content is safe
 * @return SHREDDER_OK or SHREDDER_BAD_ARGUMENT
 */
shredder_status shredder_blake3_update(shredder_level level, shredder_blake3_state *state,
                                       const shredder_piece *pieces, size_t count);

/** The digest of a message that ends here. Results as above. */
shredder_status shredder_blake3_end(shredder_level level, const shredder_blake3_state *state,
                                    uint8_t digest[SHREDDER_DIGEST_BYTES]);

#endif
