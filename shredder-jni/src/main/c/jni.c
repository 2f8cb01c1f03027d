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
 * What org.freshet.shredder.nativ.NativeCalls declares. Arguments are checked here although the Java side
 * has checked them: memory is at stake, and the two are separate files.
 *
 * Arrays are taken with GetPrimitiveArrayCritical, which copies nothing but may hold up the garbage
 * collector. So they are given back after every PIECE bytes, about a millisecond. For how long digests hold
 * them the Java side decides, which knows how large the chunks are.
 */
#include <jni.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shredder.h"

enum { PIECE = 1 << 22 };

static void throw_new(JNIEnv *env, const char *type, const char *message) {
  jclass class = (*env)->FindClass(env, type);
  if (class != NULL) {
    (*env)->ThrowNew(env, class, message);
  }
}

static void throw_illegal(JNIEnv *env, const char *message) {
  throw_new(env, "java/lang/IllegalArgumentException", message);
}

static void throw_no_memory(JNIEnv *env) {
  throw_new(env, "java/lang/OutOfMemoryError", "No native memory for candidates or digests");
}

/** The memory for a rule behind a direct buffer, or NULL with an exception pending. */
static shredder_rule *rule_memory(JNIEnv *env, jobject buffer) {
  if (buffer == NULL) {
    throw_new(env, "java/lang/NullPointerException", "rule");
    return NULL;
  }
  void *memory = (*env)->GetDirectBufferAddress(env, buffer);
  if (memory == NULL || (*env)->GetDirectBufferCapacity(env, buffer) < (jlong)sizeof(shredder_rule) ||
      (uintptr_t)memory % _Alignof(shredder_rule) != 0) {
    throw_illegal(env, "A rule lies in a direct buffer of ruleBytes() bytes");
    return NULL;
  }
  return memory;
}

/** The prepared rule in a direct buffer, or NULL with an exception pending. */
static const shredder_rule *rule_in(JNIEnv *env, jobject buffer) {
  const shredder_rule *rule = rule_memory(env, buffer);
  if (rule != NULL && !shredder_is_rule(rule)) {
    throw_illegal(env, "The rule was never prepared");
    return NULL;
  }
  return rule;
}

static bool is_level(JNIEnv *env, jint level) {
  if (level < SHREDDER_SCALAR || level > (jint)shredder_best_level()) {
    throw_illegal(env, "This processor has no such level of instructions");
    return false;
  }
  return true;
}

static bool in_range(JNIEnv *env, const shredder_rule *rule, jint level, jlong length, jint from,
                     jint to) {
  if (!is_level(env, level)) {
    return false;
  }
  if (from < (jint)rule->window - 1 || to < from || to > length) {
    char message[160];
    snprintf(message, sizeof message,
             "Range %d to %d is not within %d, the bytes of the first window, and the length of %lld",
             (int)from, (int)to, (int)rule->window - 1, (long long)length);
    throw_new(env, "java/lang/IndexOutOfBoundsException", message);
    return false;
  }
  return true;
}

/** Whether an argument is missing; then an exception is pending. */
static bool is_null(JNIEnv *env, jobject argument, const char *name) {
  if (argument == NULL) {
    throw_new(env, "java/lang/NullPointerException", name);
  }
  return argument == NULL;
}

/** Where the bytes of a direct buffer are. False with an exception pending. */
static bool direct_bytes(JNIEnv *env, jobject bytes, const void **address, jlong *capacity) {
  if (is_null(env, bytes, "bytes")) {
    return false;
  }
  *address = (*env)->GetDirectBufferAddress(env, bytes);
  *capacity = (*env)->GetDirectBufferCapacity(env, bytes);
  if (*capacity < 0 || (*address == NULL && *capacity > 0)) {
    throw_illegal(env, "The bytes are not in a direct buffer");
    return false;
  }
  return true;
}

/** The positions as an int[], or NULL with an exception pending; frees them. */
static jintArray result(JNIEnv *env, shredder_status status, shredder_positions *found) {
  jintArray array = NULL;
  if (status == SHREDDER_NO_MEMORY) {
    throw_no_memory(env);
  } else if (status != SHREDDER_OK) {
    throw_illegal(env, "The search was refused");
  } else {
    /* There are no more positions than bytes in an array or buffer, so they can be counted in an int. */
    array = (*env)->NewIntArray(env, (jsize)found->count);
    if (array != NULL && found->count > 0) {
      (*env)->SetIntArrayRegion(env, array, 0, (jsize)found->count, found->at);
    }
  }
  shredder_positions_free(found);
  return array;
}

JNIEXPORT jint JNICALL Java_org_freshet_shredder_nativ_NativeCalls_version(JNIEnv *env,
                                                                           jclass class) {
  (void)env;
  (void)class;
  return SHREDDER_VERSION;
}

JNIEXPORT jint JNICALL Java_org_freshet_shredder_nativ_NativeCalls_bestLevel(JNIEnv *env,
                                                                             jclass class) {
  (void)env;
  (void)class;
  return (jint)shredder_best_level();
}

JNIEXPORT jint JNICALL Java_org_freshet_shredder_nativ_NativeCalls_digestForms(JNIEnv *env,
                                                                               jclass class) {
  (void)env;
  (void)class;
  return (jint)shredder_digest_forms();
}

JNIEXPORT jint JNICALL Java_org_freshet_shredder_nativ_NativeCalls_worthwhileDigestForms(JNIEnv *env,
                                                                                         jclass class) {
  (void)env;
  (void)class;
  return (jint)shredder_worthwhile_digest_forms();
}

JNIEXPORT jint JNICALL Java_org_freshet_shredder_nativ_NativeCalls_ruleBytes(JNIEnv *env,
                                                                             jclass class) {
  (void)env;
  (void)class;
  return (jint)sizeof(shredder_rule);
}

JNIEXPORT void JNICALL Java_org_freshet_shredder_nativ_NativeCalls_prepareGear(
    JNIEnv *env, jclass class, jobject buffer, jlong first, jlong width) {
  (void)class;
  shredder_rule *rule = rule_memory(env, buffer);
  if (rule != NULL) {
    shredder_prepare_gear(rule, (uint64_t)first, (uint64_t)width);
  }
}

JNIEXPORT void JNICALL Java_org_freshet_shredder_nativ_NativeCalls_prepareSievedGear(
    JNIEnv *env, jclass class, jobject buffer, jlong width) {
  (void)class;
  shredder_rule *rule = rule_memory(env, buffer);
  if (rule != NULL) {
    shredder_prepare_sieved_gear(rule, (uint64_t)width);
  }
}

JNIEXPORT void JNICALL Java_org_freshet_shredder_nativ_NativeCalls_prepareRabin(
    JNIEnv *env, jclass class, jobject buffer, jlong polynomial, jint window, jint mask_bits,
    jlong marker) {
  (void)class;
  shredder_rule *rule = rule_memory(env, buffer);
  if (rule != NULL && shredder_prepare_rabin(rule, (uint64_t)polynomial, (uint32_t)window,
                                             (uint32_t)mask_bits, (uint64_t)marker) != SHREDDER_OK) {
    throw_illegal(env, "Not a Rabin rule: degree 9 to 56, window 1 to 64, mask bits 1 to the degree, "
                       "marker within the mask");
  }
}

JNIEXPORT jintArray JNICALL Java_org_freshet_shredder_nativ_NativeCalls_searchArray(
    JNIEnv *env, jclass class, jobject buffer, jint level, jbyteArray bytes, jint from, jint to) {
  (void)class;
  const shredder_rule *rule = rule_in(env, buffer);
  if (rule == NULL) {
    return NULL;
  }
  if (is_null(env, bytes, "bytes")) {
    return NULL;
  }
  if (!in_range(env, rule, level, (*env)->GetArrayLength(env, bytes), from, to)) {
    return NULL;
  }
  shredder_positions found = {0};
  shredder_status status = SHREDDER_OK;
  while (from < to && status == SHREDDER_OK) {
    const jint end = to - from < PIECE ? to : from + PIECE;
    void *address = (*env)->GetPrimitiveArrayCritical(env, bytes, NULL);
    if (address == NULL) {
      status = SHREDDER_NO_MEMORY;
      break;
    }
    status = shredder_search(rule, (shredder_level)level, address, (size_t)from, (size_t)end, &found);
    (*env)->ReleasePrimitiveArrayCritical(env, bytes, address, JNI_ABORT);
    from = end;
  }
  return result(env, status, &found);
}

JNIEXPORT jintArray JNICALL Java_org_freshet_shredder_nativ_NativeCalls_searchDirect(
    JNIEnv *env, jclass class, jobject buffer, jint level, jobject bytes, jint from, jint to) {
  (void)class;
  const shredder_rule *rule = rule_in(env, buffer);
  if (rule == NULL) {
    return NULL;
  }
  const void *address;
  jlong capacity;
  if (!direct_bytes(env, bytes, &address, &capacity)) {
    return NULL;
  }
  if (!in_range(env, rule, level, capacity, from, to)) {
    return NULL;
  }
  shredder_positions found = {0};
  const shredder_status status =
      shredder_search(rule, (shredder_level)level, address, (size_t)from, (size_t)to, &found);
  return result(env, status, &found);
}

enum { STATE_WORDS = 8, BLOCK = 64 };

/** Chunks in several arrays and direct buffers, and how far their digests are. */
typedef struct digesting {
  /** For all of what follows. */
  void *room;
  jsize holders;
  jbyteArray *arrays;
  /** Where an array or buffer begins, while it is locked if it is an array, and how long it is. */
  const uint8_t **starts;
  jlong *lengths;
  /** Three numbers each: which array or buffer, from where, up to where. */
  jsize pieces;
  jint *places;
  shredder_piece *piece;
  /** How many pieces a chunk and those before it have. */
  jsize chunks;
  jint *ends;
  shredder_message *messages;
  /** What the caller knows of each chunk: its state, 8 words, and how much of it has been digested. */
  jint *states;
  jlong *done;
} digesting;

static void end_digesting(digesting *d) { free(d->room); }

/** Some of the room there is, which need not be all zero. */
static void *take_room(uint8_t **room, size_t bytes) {
  void *taken = *room;
  *room += bytes;
  return taken;
}

/** All in one allocation, as calls may be for few chunks; what needs the widest alignment comes first. */
static bool find_room(digesting *d) {
  const size_t holders = (size_t)d->holders;
  const size_t pieces = (size_t)d->pieces;
  const size_t chunks = (size_t)d->chunks;
  const uint64_t of_holder = sizeof *d->arrays + sizeof *d->starts + sizeof *d->lengths;
  const uint64_t of_piece = sizeof *d->piece + 3 * sizeof *d->places;
  const uint64_t of_chunk =
      sizeof *d->messages + sizeof *d->done + sizeof *d->ends + STATE_WORDS * sizeof *d->states;
  const uint64_t bytes = holders * of_holder + pieces * of_piece + chunks * of_chunk + 1;
  uint8_t *room = (size_t)bytes == bytes ? malloc((size_t)bytes) : NULL;
  d->room = room;
  if (room == NULL) {
    return false;
  }
  d->messages = take_room(&room, chunks * sizeof *d->messages);
  d->piece = take_room(&room, pieces * sizeof *d->piece);
  d->arrays = take_room(&room, holders * sizeof *d->arrays);
  d->starts = take_room(&room, holders * sizeof *d->starts);
  d->lengths = take_room(&room, holders * sizeof *d->lengths);
  d->done = take_room(&room, chunks * sizeof *d->done);
  d->states = take_room(&room, chunks * STATE_WORDS * sizeof *d->states);
  d->places = take_room(&room, pieces * 3 * sizeof *d->places);
  d->ends = take_room(&room, chunks * sizeof *d->ends);
  return true;
}

/** Asks for everything that can't be asked while arrays are locked. False with an exception pending. */
static bool find_holders(JNIEnv *env, jobjectArray arrays, jobjectArray buffers, digesting *d) {
  if ((*env)->EnsureLocalCapacity(env, d->holders + 8) != 0) {
    return false;
  }
  for (jsize h = 0; h < d->holders; h++) {
    d->arrays[h] = (*env)->GetObjectArrayElement(env, arrays, h);
    if (d->arrays[h] != NULL) {
      d->lengths[h] = (*env)->GetArrayLength(env, d->arrays[h]);
      continue;
    }
    jobject buffer = (*env)->GetObjectArrayElement(env, buffers, h);
    const void *address;
    if (!direct_bytes(env, buffer, &address, &d->lengths[h])) {
      return false;
    }
    d->starts[h] = address;
  }
  return true;
}

static bool is_in_range(const digesting *d, const jint place[3]) {
  const jint holder = place[0];
  const jint from = place[1];
  const jint to = place[2];
  return holder >= 0 && holder < d->holders && from >= 0 && from <= to && to <= d->lengths[holder];
}

static bool check_places(JNIEnv *env, const digesting *d) {
  jint pieces = 0;
  for (jsize i = 0; i < d->chunks && pieces >= 0; i++) {
    pieces = d->ends[i] >= pieces && d->ends[i] <= d->pieces ? d->ends[i] : -1;
  }
  bool in_range = pieces >= 0;
  for (jsize p = 0; p < d->pieces && in_range; p++) {
    in_range = is_in_range(d, d->places + 3 * (size_t)p);
  }
  if (!in_range) {
    throw_new(env, "java/lang/IndexOutOfBoundsException",
              "Pieces of chunks must lie within their arrays and buffers");
  }
  return in_range;
}

static bool check_done(JNIEnv *env, const digesting *d) {
  for (jsize i = 0; i < d->chunks; i++) {
    if (d->done[i] < 0 || d->done[i] % BLOCK != 0) {
      throw_illegal(env, "What has been digested of a chunk must be some blocks of 64 bytes, or none");
      return false;
    }
  }
  return true;
}

/** What a call is about; see NativeCalls.digest. */
typedef struct digest_call {
  jobjectArray arrays;
  jobjectArray buffers;
  jintArray places;
  jintArray ends;
  jintArray states;
  jlongArray done;
} digest_call;

/** Whether there is for each chunk what `digest` needs to go on with it. */
static bool has_progress(JNIEnv *env, const digest_call *call, jsize chunks) {
  if (is_null(env, call->states, "states") || is_null(env, call->done, "done")) {
    return false;
  }
  if ((*env)->GetArrayLength(env, call->done) != chunks ||
      (*env)->GetArrayLength(env, call->states) / STATE_WORDS < chunks) {
    throw_illegal(env, "For each chunk, 8 words of its state and how much is done are needed");
    return false;
  }
  return true;
}

/**
 * Takes over and checks what is to be digested.
 *
 * @param goes_on whether chunks may have been begun; otherwise there are no states
 * @return false with an exception pending
 */
static bool begin_digesting(JNIEnv *env, const digest_call *call, bool goes_on, digesting *d) {
  *d = (digesting){0};
  if (is_null(env, call->arrays, "arrays") || is_null(env, call->buffers, "buffers") ||
      is_null(env, call->places, "places") || is_null(env, call->ends, "ends")) {
    return false;
  }
  d->holders = (*env)->GetArrayLength(env, call->arrays);
  const jsize numbers = (*env)->GetArrayLength(env, call->places);
  d->pieces = numbers / 3;
  d->chunks = (*env)->GetArrayLength(env, call->ends);
  if ((*env)->GetArrayLength(env, call->buffers) != d->holders || numbers % 3 != 0) {
    throw_illegal(env, "As many buffers as arrays, and three numbers for each piece, are needed");
    return false;
  }
  if (goes_on && !has_progress(env, call, d->chunks)) {
    return false;
  }
  if (!find_room(d)) {
    end_digesting(d);
    throw_no_memory(env);
    return false;
  }
  (*env)->GetIntArrayRegion(env, call->places, 0, numbers, d->places);
  (*env)->GetIntArrayRegion(env, call->ends, 0, d->chunks, d->ends);
  if (goes_on) {
    (*env)->GetIntArrayRegion(env, call->states, 0, STATE_WORDS * d->chunks, d->states);
    (*env)->GetLongArrayRegion(env, call->done, 0, d->chunks, d->done);
  } else {
    memset(d->states, 0, STATE_WORDS * sizeof *d->states * (size_t)d->chunks);
    memset(d->done, 0, sizeof *d->done * (size_t)d->chunks);
  }
  if (!find_holders(env, call->arrays, call->buffers, d) || !check_places(env, d) || !check_done(env, d)) {
    end_digesting(d);
    return false;
  }
  return true;
}

/** What is done with the chunks when all arrays are locked. */
typedef struct digest_work {
  bool is_blake3;
  /** For SHA-256. */
  unsigned forms;
  size_t most;
  bool filled;
  /** For BLAKE3. */
  shredder_level level;
  uint8_t (*digests)[SHREDDER_DIGEST_BYTES];
} digest_work;

static shredder_status digest_some(digesting *d, const digest_work *work) {
  for (jsize p = 0; p < d->pieces; p++) {
    const jint *place = d->places + 3 * (size_t)p;
    d->piece[p] = (shredder_piece){d->starts[place[0]] + place[1], (size_t)(place[2] - place[1])};
  }
  jint first = 0;
  for (jsize i = 0; i < d->chunks; i++) {
    shredder_message *message = &d->messages[i];
    *message = (shredder_message){.first_piece = d->piece + first,
                                  .pieces = (size_t)(d->ends[i] - first),
                                  .done = (uint64_t)d->done[i]};
    memcpy(message->state, d->states + STATE_WORDS * (size_t)i, sizeof message->state);
    first = d->ends[i];
  }
  return work->is_blake3
             ? shredder_blake3(work->level, d->messages, (size_t)d->chunks, work->digests)
             : shredder_sha256(work->forms, d->messages, (size_t)d->chunks, work->most, work->filled);
}

/** With all arrays locked. */
static shredder_status digest_locked(JNIEnv *env, digesting *d, const digest_work *work) {
  shredder_status status = SHREDDER_OK;
  jsize locked = 0;
  for (; locked < d->holders && status == SHREDDER_OK; locked++) {
    if (d->arrays[locked] != NULL) {
      d->starts[locked] = (*env)->GetPrimitiveArrayCritical(env, d->arrays[locked], NULL);
      status = d->starts[locked] != NULL ? SHREDDER_OK : SHREDDER_NO_MEMORY;
    }
  }
  if (status == SHREDDER_OK) {
    status = digest_some(d, work);
  }
  while (locked-- > 0) {
    if (d->arrays[locked] != NULL && d->starts[locked] != NULL) {
      (*env)->ReleasePrimitiveArrayCritical(env, d->arrays[locked],
                                            (void *)(uintptr_t)d->starts[locked], JNI_ABORT);
    }
  }
  return status;
}

/** Tells the caller how far the chunks are. */
static void tell_done(JNIEnv *env, const digest_call *call, digesting *d) {
  for (jsize i = 0; i < d->chunks; i++) {
    const shredder_message *message = &d->messages[i];
    d->done[i] = message->ended ? -1 : (jlong)message->done;
    memcpy(d->states + STATE_WORDS * (size_t)i, message->state, sizeof message->state);
  }
  (*env)->SetIntArrayRegion(env, call->states, 0, STATE_WORDS * d->chunks, d->states);
  (*env)->SetLongArrayRegion(env, call->done, 0, d->chunks, d->done);
}

JNIEXPORT void JNICALL Java_org_freshet_shredder_nativ_NativeCalls_digest(
    JNIEnv *env, jclass class, jint forms, jlong most, jboolean filled, jobjectArray arrays,
    jobjectArray buffers, jintArray places, jintArray ends, jintArray states, jlongArray done) {
  (void)class;
  if (most < 0) {
    throw_illegal(env, "Fewer than no bytes can't be digested");
    return;
  }
  if (forms == 0 || ((unsigned)forms & ~shredder_digest_forms()) != 0) {
    throw_illegal(env, "This processor has no such form of digests");
    return;
  }
  const digest_call call = {arrays, buffers, places, ends, states, done};
  digesting d;
  if (!begin_digesting(env, &call, true, &d)) {
    return;
  }
  const digest_work work = {.forms = (unsigned)forms, .most = (size_t)most, .filled = filled == JNI_TRUE};
  if (digest_locked(env, &d, &work) == SHREDDER_OK) {
    tell_done(env, &call, &d);
  } else {
    throw_no_memory(env);
  }
  end_digesting(&d);
}

JNIEXPORT void JNICALL Java_org_freshet_shredder_nativ_NativeCalls_blake3(
    JNIEnv *env, jclass class, jint level, jobjectArray arrays, jobjectArray buffers, jintArray places,
    jintArray ends, jbyteArray digests) {
  (void)class;
  if (!is_level(env, level) || is_null(env, digests, "digests")) {
    return;
  }
  const digest_call call = {.arrays = arrays, .buffers = buffers, .places = places, .ends = ends};
  digesting d;
  if (!begin_digesting(env, &call, false, &d)) {
    return;
  }
  digest_work work = {.is_blake3 = true, .level = (shredder_level)level};
  if ((*env)->GetArrayLength(env, digests) / SHREDDER_DIGEST_BYTES < d.chunks) {
    throw_illegal(env, "For each chunk, 32 bytes for its digest are needed");
  } else if ((work.digests = calloc((size_t)d.chunks + 1, sizeof *work.digests)) == NULL ||
             digest_locked(env, &d, &work) != SHREDDER_OK) {
    throw_no_memory(env);
  } else {
    (*env)->SetByteArrayRegion(env, digests, 0, SHREDDER_DIGEST_BYTES * d.chunks,
                               (const jbyte *)work.digests);
  }
  free(work.digests);
  end_digesting(&d);
}

JNIEXPORT jint JNICALL Java_org_freshet_shredder_nativ_NativeCalls_blake3StateBytes(JNIEnv *env,
                                                                                  jclass class) {
  (void)env;
  (void)class;
  return sizeof(shredder_blake3_state);
}

/** Copies a state out of its array. False with an exception pending. */
static bool get_state(JNIEnv *env, jbyteArray array, shredder_blake3_state *state) {
  if (is_null(env, array, "state")) {
    return false;
  }
  if ((*env)->GetArrayLength(env, array) != (jsize)sizeof *state) {
    throw_illegal(env, "A state of BLAKE3 must have the bytes that blake3StateBytes says");
    return false;
  }
  (*env)->GetByteArrayRegion(env, array, 0, sizeof *state, (jbyte *)state);
  return true;
}

JNIEXPORT void JNICALL Java_org_freshet_shredder_nativ_NativeCalls_blake3Update(
    JNIEnv *env, jclass class, jint level, jbyteArray state, jbyteArray array, jobject buffer, jint from,
    jint to) {
  (void)class;
  shredder_blake3_state now;
  if (!is_level(env, level) || !get_state(env, state, &now)) {
    return;
  }
  const void *address = NULL;
  jlong length = 0;
  if (array != NULL) {
    length = (*env)->GetArrayLength(env, array);
  } else if (!direct_bytes(env, buffer, &address, &length)) {
    return;
  }
  if (from < 0 || from > to || to > length) {
    throw_new(env, "java/lang/IndexOutOfBoundsException", "A piece must lie within its array or buffer");
    return;
  }
  if (array != NULL) {
    address = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    if (address == NULL) {
      throw_no_memory(env);
      return;
    }
  }
  const shredder_piece piece = {(const uint8_t *)address + from, (size_t)(to - from)};
  const shredder_status status = shredder_blake3_update((shredder_level)level, &now, &piece, 1);
  if (array != NULL) {
    (*env)->ReleasePrimitiveArrayCritical(env, array, (void *)(uintptr_t)address, JNI_ABORT);
  }
  if (status != SHREDDER_OK) {
    throw_illegal(env, "This is no state of BLAKE3");
    return;
  }
  (*env)->SetByteArrayRegion(env, state, 0, sizeof now, (const jbyte *)&now);
}

JNIEXPORT void JNICALL Java_org_freshet_shredder_nativ_NativeCalls_blake3End(JNIEnv *env, jclass class,
                                                                           jint level, jbyteArray state,
                                                                           jbyteArray digest) {
  (void)class;
  shredder_blake3_state now;
  if (!is_level(env, level) || !get_state(env, state, &now) || is_null(env, digest, "digest")) {
    return;
  }
  if ((*env)->GetArrayLength(env, digest) != SHREDDER_DIGEST_BYTES) {
    throw_illegal(env, "A digest has 32 bytes");
    return;
  }
  uint8_t bytes[SHREDDER_DIGEST_BYTES];
  if (shredder_blake3_end((shredder_level)level, &now, bytes) != SHREDDER_OK) {
    throw_illegal(env, "This is no state of BLAKE3");
    return;
  }
  (*env)->SetByteArrayRegion(env, digest, 0, sizeof bytes, (const jbyte *)bytes);
}
