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
import java.util.List;
import java.util.Objects;

/**
 * Computes the digests of chunks. Many at once, because independent digests can be computed side by
 * side, even where one alone cannot be divided. Immutable and safe for use by several threads.
 */
public interface ChunkDigester {
  /**
   * Bytes of a chunk: those with index {@code from} to {@code to - 1} of a buffer, whose position
   * and limit are neither heeded nor changed.
   */
  record Piece(ByteBuffer bytes, int from, int to) {
    /**
     * @throws IndexOutOfBoundsException if the piece is not within the buffer's capacity
     */
    public Piece {
      Objects.checkFromToIndex(from, to, bytes.capacity());
    }

    /** In bytes. */
    public int length() {
      return to - from;
    }
  }

  /**
   * How many chunks have to be digested together to take the least time for each byte. 1 if they
   * can as well be digested one after the other.
   */
  int width();

  /** The same for chunks that have so many bytes in the mean; at most {@link #width()}. */
  default int width(double averageBytes) {
    return width();
  }

  /**
   * The next smaller number of chunks that is worth while, if there is no memory for so many.
   *
   * @param width more than 3, at most {@link #width()}
   */
  default int narrower(int width) {
    return 3;
  }

  /** Begins the digest of one chunk that comes bit by bit. */
  RunningDigest start();

  /** Digests chunks to their ends. */
  void digest(List<UnfinishedDigest> chunks);

  /**
   * Goes on with chunks, in their order, as long as at least {@code width} of them have not ended.
   * So they all take the least time; the rest of the last ones takes it together with others that
   * come after them.
   *
   * @param width not below 2 nor above {@link #width()}; fewer are not as fast, but there are fewer
   *     to wait for
   */
  default void digestSome(List<UnfinishedDigest> chunks, int width) {
    digest(chunks);
  }
}
