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
package org.freshet.shredder.nativ;

import java.nio.ByteBuffer;

/**
 * The entry points of libshredder.so, in jni.c. A rule is a direct buffer of {@link #ruleBytes()}
 * bytes without pointers, so the garbage collector alone decides how long it lives.
 *
 * <p>Every call checks its arguments: {@link NullPointerException}, {@link
 * IllegalArgumentException} for what is no rule and no level or form of this processor, {@link
 * IndexOutOfBoundsException} for a range, {@link OutOfMemoryError}. Safe for use by several
 * threads, but for preparing one rule.
 */
final class NativeCalls {
  /** Must be the library's own. */
  static final int VERSION = 6;

  private NativeCalls() {}

  static native int version();

  /** Number of the best {@link InstructionLevel} of this processor. */
  static native int bestLevel();

  /** The bits of the {@link DigestForm}s that this processor has. */
  static native int digestForms();

  /** Those of them that are worth using on it; measured, in about half a millisecond. */
  static native int worthwhileDigestForms();

  static native int ruleBytes();

  static native void prepareGear(ByteBuffer rule, long first, long width);

  static native void prepareSievedGear(ByteBuffer rule, long width);

  static native void prepareRabin(
      ByteBuffer rule, long polynomial, int window, int maskBits, long marker);

  static native int[] searchArray(ByteBuffer rule, int level, byte[] bytes, int from, int to);

  static native int[] searchDirect(ByteBuffer rule, int level, ByteBuffer bytes, int from, int to);

  /**
   * Goes on with the SHA-256 digests of chunks that consist of pieces. Locks the arrays for as long
   * as it takes.
   *
   * @param forms bits of the {@link DigestForm}s that may be used; at least one
   * @param most after about so many bytes this returns
   * @param filled return, too, when the form that is used has fewer chunks than it can work on at a
   *     time: {@link DigestForm#width}
   * @param arrays where pieces lie; null where it is a direct buffer
   * @param buffers of the same length
   * @param places three numbers for each piece: the index of its array or buffer, from where, and
   *     up to where
   * @param ends how many pieces each chunk and those before it have; ascending
   * @param states 8 words for each chunk: SHA-256's state after the bytes in front of the pieces;
   *     becomes that after those digested
   * @param done how many bytes of each chunk have been digested, in front of the pieces; becomes
   *     how many have been now, or -1 if the chunk has ended and its state is its digest
   */
  static native void digest(
      int forms,
      long most,
      boolean filled,
      byte[][] arrays,
      ByteBuffer[] buffers,
      int[] places,
      int[] ends,
      int[] states,
      long[] done);

  /**
   * Computes the BLAKE3 digests of chunks that consist of pieces. Locks the arrays for as long as
   * it takes. Arrays, buffers, places and ends are those of {@link #digest}.
   *
   * @param level number of an {@link InstructionLevel} of this processor
   * @param digests 32 bytes for each chunk
   */
  static native void blake3(
      int level, byte[][] arrays, ByteBuffer[] buffers, int[] places, int[] ends, byte[] digests);

  /** How many bytes a state of BLAKE3 has; all zeros is that of a chunk not begun. */
  static native int blake3StateBytes();

  /**
   * Goes on with the BLAKE3 digest of one chunk.
   *
   * @param array where its next bytes lie; null if that is a direct buffer
   */
  static native void blake3Update(
      int level, byte[] state, byte[] array, ByteBuffer buffer, int from, int to);

  /** Writes the digest, 32 bytes, of a chunk that ends here. */
  static native void blake3End(int level, byte[] state, byte[] digest);
}
