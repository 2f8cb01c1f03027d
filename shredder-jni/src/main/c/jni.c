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
 * collector. So they are given back after every PIECE bytes, about a millisecond, or as many whole chunks as
 * lie within DIGEST_PIECE bytes: several large ones side by side, in a few milliseconds.
 */
#include <jni.h>

#include <stdio.h>
#include <stdlib.h>

#include "shredder.h"

enum { PIECE = 1 << 22, DIGEST_PIECE = 1 << 24 };

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

static bool in_range(JNIEnv *env, const shredder_rule *rule, jint level, jlong length, jint from,
                     jint to) {
  if (level < SHREDDER_SCALAR || level > (jint)shredder_best_level()) {
    throw_illegal(env, "This processor has no such level of instructions");
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

/** Chunks that follow each other in an array or buffer, and their digests. */
typedef struct digesting {
  jint *ends;
  jsize count;
  shredder_message *messages;
  uint8_t (*digests)[32];
} digesting;

static void end_digesting(digesting *d) {
  free(d->ends);
  free(d->messages);
  free(d->digests);
}

/** Takes over and checks the ends of the chunks. False with an exception pending. */
static bool begin_digesting(JNIEnv *env, jint forms, jlong length, jint from, jintArray ends,
                            digesting *d) {
  *d = (digesting){0};
  if (forms == 0 || ((unsigned)forms & ~shredder_digest_forms()) != 0) {
    throw_illegal(env, "This processor has no such form of digests");
    return false;
  }
  if (is_null(env, ends, "ends")) {
    return false;
  }
  d->count = (*env)->GetArrayLength(env, ends);
  const size_t room = d->count > 0 ? (size_t)d->count : 1;
  d->ends = calloc(room, sizeof *d->ends);
  d->messages = calloc(room, sizeof *d->messages);
  d->digests = calloc(room, sizeof *d->digests);
  if (d->ends == NULL || d->messages == NULL || d->digests == NULL) {
    end_digesting(d);
    throw_no_memory(env);
    return false;
  }
  (*env)->GetIntArrayRegion(env, ends, 0, d->count, d->ends);
  jint start = from;
  for (jsize i = 0; i < d->count && start >= 0 && start <= length; i++) {
    start = d->ends[i] >= start && d->ends[i] <= length ? d->ends[i] : -1;
  }
  if (start < 0 || start > length) {
    end_digesting(d);
    throw_new(env, "java/lang/IndexOutOfBoundsException",
              "The ends of chunks must ascend within the bytes");
    return false;
  }
  return true;
}

/** Digests chunks `first` to `last` - 1; `from` is where the first of all begins. */
static shredder_status digest_some(const digesting *d, jint forms, const uint8_t *bytes, jint from,
                                   jsize first, jsize last) {
  for (jsize i = first; i < last; i++) {
    const size_t start = (size_t)(i == 0 ? from : d->ends[i - 1]);
    d->messages[i] = (shredder_message){bytes + start, (size_t)d->ends[i] - start};
  }
  return shredder_sha256((unsigned)forms, d->messages + first, (size_t)(last - first),
                         d->digests + first);
}

/** The digests one after the other, or NULL with an exception pending; frees them. */
static jbyteArray digests(JNIEnv *env, shredder_status status, digesting *d) {
  jbyteArray array = NULL;
  if (status != SHREDDER_OK || d->count > INT32_MAX / 32) {
    throw_no_memory(env);
  } else {
    array = (*env)->NewByteArray(env, 32 * d->count);
    if (array != NULL && d->count > 0) {
      (*env)->SetByteArrayRegion(env, array, 0, 32 * d->count, (const jbyte *)d->digests);
    }
  }
  end_digesting(d);
  return array;
}

JNIEXPORT jbyteArray JNICALL Java_org_freshet_shredder_nativ_NativeCalls_digestArray(
    JNIEnv *env, jclass class, jint forms, jbyteArray bytes, jint from, jintArray ends) {
  (void)class;
  if (is_null(env, bytes, "bytes")) {
    return NULL;
  }
  digesting d;
  if (!begin_digesting(env, forms, (*env)->GetArrayLength(env, bytes), from, ends, &d)) {
    return NULL;
  }
  shredder_status status = SHREDDER_OK;
  jint start = from;
  for (jsize first = 0; first < d.count && status == SHREDDER_OK;) {
    jsize last = first + 1;
    while (last < d.count && d.ends[last] - start <= DIGEST_PIECE) {
      last++;
    }
    void *address = (*env)->GetPrimitiveArrayCritical(env, bytes, NULL);
    if (address == NULL) {
      status = SHREDDER_NO_MEMORY;
      break;
    }
    status = digest_some(&d, forms, address, from, first, last);
    (*env)->ReleasePrimitiveArrayCritical(env, bytes, address, JNI_ABORT);
    start = d.ends[last - 1];
    first = last;
  }
  return digests(env, status, &d);
}

JNIEXPORT jbyteArray JNICALL Java_org_freshet_shredder_nativ_NativeCalls_digestDirect(
    JNIEnv *env, jclass class, jint forms, jobject bytes, jint from, jintArray ends) {
  (void)class;
  const void *address;
  jlong capacity;
  if (!direct_bytes(env, bytes, &address, &capacity)) {
    return NULL;
  }
  digesting d;
  if (!begin_digesting(env, forms, capacity, from, ends, &d)) {
    return NULL;
  }
  return digests(env, digest_some(&d, forms, address, from, 0, d.count), &d);
}
