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
package org.freshet.shredder;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.Objects;
import org.freshet.shredder.ChunkDigester.Piece;

/**
 * A chunk on its way to its digest: how many of its bytes have been digested, with what state, and
 * those that come behind them. What is said of states and blocks is for SHA-256. Can be finished
 * only by the {@link ChunkDigester} that has begun it. For one thread at a time.
 */
public final class UnfinishedDigest {
  /** SHA-256 goes on from one state to the next by so many bytes. */
  private static final int BLOCK_BYTES = 64;

  private static final int STATE_WORDS = 8;

  private static final int DIGEST_BYTES = 32;

  private final Deque<Piece> rest;

  /** Null if nothing has been digested. */
  private int[] state;

  private long done;
  private byte[] digest;

  /** A chunk of which nothing has been digested, with its pieces in order. */
  public UnfinishedDigest(Collection<Piece> pieces) {
    rest = new ArrayDeque<>(pieces);
  }

  /** What has not been digested, in order. */
  public Collection<Piece> rest() {
    return Collections.unmodifiableCollection(rest);
  }

  /** How many bytes have been digested. */
  public long done() {
    return done;
  }

  /** Puts SHA-256's state, 8 words, into an array, if anything is done. */
  public void copyState(int[] to, int at) {
    if (state != null) {
      System.arraycopy(state, 0, to, at, STATE_WORDS);
    }
  }

  /**
   * More of the chunk has been digested.
   *
   * @param doneNow how many of its bytes: not fewer than before, and whole blocks of 64
   * @param states holds SHA-256's state after them, 8 words from {@code at} on
   */
  public void advance(long doneNow, int[] states, int at) {
    if (doneNow < done || doneNow % BLOCK_BYTES != 0) {
      throw new IllegalArgumentException(
          "From " + done + " bytes a chunk's digest can't go on to " + doneNow);
    }
    long taken = doneNow - done;
    while (taken > 0) {
      Piece first = rest.remove();
      if (first.length() > taken) {
        rest.push(new Piece(first.bytes(), first.from() + (int) taken, first.to()));
        taken = 0;
      } else {
        taken -= first.length();
      }
    }
    done = doneNow;
    if (state == null) {
      state = new int[STATE_WORDS];
    }
    System.arraycopy(states, at, state, 0, STATE_WORDS);
  }

  /**
   * All of the chunk has been digested.
   *
   * @param states holds SHA-256's last state, 8 words from {@code at} on
   */
  public void end(int[] states, int at) {
    ByteBuffer bytes = ByteBuffer.allocate(DIGEST_BYTES);
    for (int i = 0; i < STATE_WORDS; i++) {
      bytes.putInt(states[at + i]);
    }
    end(bytes.array());
  }

  /** All of the chunk has been digested, with 32 bytes as the result. */
  public void end(byte[] result) {
    digest = Objects.requireNonNull(result, "result");
    for (Piece piece : rest) {
      done += piece.length();
    }
    rest.clear();
  }

  /** Whether all of the chunk has been digested. */
  public boolean hasEnded() {
    return digest != null;
  }

  /** The digest, 32 bytes; null unless the chunk {@link #hasEnded}. */
  public byte[] digest() {
    return digest;
  }
}
