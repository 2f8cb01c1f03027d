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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.freshet.shredder.ChunkDigester;
import org.freshet.shredder.DigestAlgorithm;
import org.freshet.shredder.RunningDigest;
import org.freshet.shredder.UnfinishedDigest;

/**
 * BLAKE3 digests, of which even one fills the lanes if the chunk has 32 KiB, and smaller ones do so
 * together.
 */
final class NativeBlake3 implements ChunkDigester {
  /**
   * Arrays are locked while they are read, which may hold up the garbage collector. So it is for no
   * more bytes at a time, which take 1 to 3 milliseconds.
   */
  private static final int MOST_AT_A_TIME = 8 << 20;

  /** 128 leaves, 8 for each of the lanes. */
  private static final int LONG = 128 << 10;

  private final int level;
  private final int mostAtATime;

  NativeBlake3(InstructionLevel level) {
    this(level, MOST_AT_A_TIME);
  }

  NativeBlake3(InstructionLevel level, int mostAtATime) {
    this.level = level.code();
    this.mostAtATime = mostAtATime;
  }

  /** A chunk that is cut off by the end of what has been read is better digested with others. */
  @Override
  public int width() {
    return 2;
  }

  /** Unless it is long enough to fill the lanes many times, whatever comes of it at a time. */
  @Override
  public int width(double averageBytes) {
    return averageBytes < LONG ? width() : 1;
  }

  @Override
  public void digest(List<UnfinishedDigest> chunks) {
    List<UnfinishedDigest> together = new ArrayList<>(chunks.size());
    long bytes = 0;
    for (UnfinishedDigest chunk : chunks) {
      if (chunk.done() > 0) {
        throw new IllegalArgumentException("BLAKE3 can't go on with a digest that others began");
      }
      long length = 0;
      for (int i = 0; i < chunk.pieces(); i++) {
        Piece piece = chunk.piece(i);
        length += piece.length();
      }
      if (length > mostAtATime || !Pieces.areWithinReach(chunk)) {
        RunningDigest running = start();
        for (int i = 0; i < chunk.pieces(); i++) {
          running.update(chunk.piece(i));
        }
        chunk.end(running.end());
        continue;
      }
      if (bytes + length > mostAtATime) {
        inLibrary(together);
        together.clear();
        bytes = 0;
      }
      together.add(chunk);
      bytes += length;
    }
    inLibrary(together);
  }

  private void inLibrary(List<UnfinishedDigest> chunks) {
    if (chunks.isEmpty()) {
      return;
    }
    Pieces pieces = Pieces.of(chunks.toArray(new UnfinishedDigest[0]));
    byte[] digests = new byte[DigestAlgorithm.BYTES * chunks.size()];
    NativeCalls.blake3(
        level, pieces.arrays(), pieces.buffers(), pieces.places(), pieces.ends(), digests);
    for (int i = 0; i < chunks.size(); i++) {
      int from = DigestAlgorithm.BYTES * i;
      chunks.get(i).end(Arrays.copyOfRange(digests, from, from + DigestAlgorithm.BYTES));
    }
  }

  @Override
  public RunningDigest start() {
    return new Running();
  }

  private final class Running implements RunningDigest {
    private final byte[] state = new byte[NativeCalls.blake3StateBytes()];

    @Override
    public void update(Piece piece) {
      if (!Pieces.isWithinReach(piece)) {
        update(copy(piece));
        return;
      }
      ByteBuffer bytes = piece.bytes();
      byte[] array = bytes.isDirect() ? null : bytes.array();
      int offset = array == null ? 0 : bytes.arrayOffset();
      ByteBuffer buffer = array == null ? bytes : null;
      for (int at = piece.from(), to; at < piece.to(); at = to) {
        to = at + Math.min(mostAtATime, piece.to() - at);
        NativeCalls.blake3Update(level, state, array, buffer, offset + at, offset + to);
      }
    }

    private static Piece copy(Piece piece) {
      ByteBuffer copy = ByteBuffer.allocate(piece.length());
      copy.put(0, piece.bytes(), piece.from(), piece.length());
      return new Piece(copy, 0, piece.length());
    }

    @Override
    public byte[] end() {
      byte[] digest = new byte[DigestAlgorithm.BYTES];
      NativeCalls.blake3End(level, state, digest);
      Arrays.fill(state, (byte) 0);
      return digest;
    }
  }
}
