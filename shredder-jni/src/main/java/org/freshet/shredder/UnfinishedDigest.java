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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.freshet.shredder.ChunkDigester.Piece;

/**
 * A chunk on its way to its digest: how many of its bytes have been digested, with what state, and
 * those that come behind them. What is said of states and blocks is for SHA-256. Can be finished
 * only by the {@link ChunkDigester} that has begun it. For one thread at a time.
 */
public class UnfinishedDigest {
  /** SHA-256 goes on from one state to the next by so many bytes. */
  private static final int BLOCK_BYTES = 64;

  private static final int STATE_WORDS = 8;

  private static final int DIGEST_BYTES = 32;

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  /*
   * What comes first of the rest is kept here, for most chunks have one piece. All chunks under way are looked
   * at whenever one goes on, by when they have left the processor's caches, so it matters how much that is.
   */
  private ByteBuffer bytes;
  private int from;
  private int to;

  /** The pieces behind the first; of those, {@code passed} have been first since. */
  private List<Piece> later = List.of();

  private int passed;

  /** How many are left. */
  private int pieces;

  /** Null if nothing has been digested. */
  private int[] state;

  private long done;

  /** Of all its pieces. */
  private long length;

  private byte[] digest;

  /** A chunk of which nothing has been digested, with its pieces in order. */
  public UnfinishedDigest(Collection<Piece> pieces) {
    pieces.forEach(this::add);
  }

  /** One whose pieces are {@linkplain #add added} one by one. */
  UnfinishedDigest() {}

  private void add(Piece piece) {
    add(piece.bytes(), piece.from(), piece.to());
  }

  /** Adds a {@link Piece}, which is made only if it is not the first. */
  final void add(ByteBuffer in, int begin, int end) {
    Objects.checkFromToIndex(begin, end, in.capacity());
    if (pieces++ == 0) {
      putFirst(in, begin, end);
    } else {
      later = later.isEmpty() ? new ArrayList<>() : later;
      later.add(new Piece(in, begin, end));
    }
    length += end - begin;
  }

  private void putFirst(ByteBuffer in, int begin, int end) {
    bytes = in;
    from = begin;
    to = end;
  }

  /** Takes those away that have not been digested. */
  final List<Piece> take() {
    List<Piece> taken = new ArrayList<>();
    for (int i = 0; i < pieces; i++) {
      taken.add(piece(i));
    }
    removeAll();
    return taken;
  }

  private void removeAll() {
    bytes = null;
    later = List.of();
    passed = 0;
    pieces = 0;
  }

  /** How many pieces have not been digested, or not as a whole. */
  public final int pieces() {
    return pieces;
  }

  /**
   * What has not been digested of one of them.
   *
   * @param index in the chunk's order, from 0 to {@code pieces() - 1}
   */
  public final Piece piece(int index) {
    Objects.checkIndex(index, pieces);
    return index == 0 ? new Piece(bytes, from, to) : later.get(passed + index - 1);
  }

  /** How many bytes have been digested. */
  public final long done() {
    return done;
  }

  /** Puts SHA-256's state, 8 words, into an array, if anything is done. */
  public final void copyState(int[] to, int at) {
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
  public final void advance(long doneNow, int[] states, int at) {
    if (doneNow < done || doneNow > length || doneNow % BLOCK_BYTES != 0) {
      throw new IllegalArgumentException(
          "From " + done + " bytes a chunk's digest can't go on to " + doneNow);
    }
    long taken = doneNow - done;
    while (taken >= to - from && pieces > 1) {
      taken -= to - from;
      Piece next = later.get(passed++);
      putFirst(next.bytes(), next.from(), next.to());
      pieces--;
    }
    from += (int) taken;
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
  public final void end(int[] states, int at) {
    byte[] bytes = new byte[DIGEST_BYTES];
    // No loop: the C2 compiler of JDK 17.0.15 makes one of these that ends after four words, if it
    // compiles it as a part of the caller's loop while that runs (on-stack replacement).
    BIG_ENDIAN.set(bytes, 0, states[at]);
    BIG_ENDIAN.set(bytes, 4, states[at + 1]);
    BIG_ENDIAN.set(bytes, 8, states[at + 2]);
    BIG_ENDIAN.set(bytes, 12, states[at + 3]);
    BIG_ENDIAN.set(bytes, 16, states[at + 4]);
    BIG_ENDIAN.set(bytes, 20, states[at + 5]);
    BIG_ENDIAN.set(bytes, 24, states[at + 6]);
    BIG_ENDIAN.set(bytes, 28, states[at + 7]);
    end(bytes);
  }

  /** All of the chunk has been digested, with 32 bytes as the result. */
  public final void end(byte[] result) {
    digest = Objects.requireNonNull(result, "result");
    done = length;
    removeAll();
  }

  /** Whether all of the chunk has been digested. */
  public final boolean hasEnded() {
    return digest != null;
  }

  /** The digest, 32 bytes; null unless the chunk {@link #hasEnded}. */
  public final byte[] digest() {
    return digest;
  }
}
