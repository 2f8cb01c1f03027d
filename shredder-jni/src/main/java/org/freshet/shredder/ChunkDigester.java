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
 * side, which one alone cannot be divided into. Immutable and safe for use by several threads.
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

  /** Whether several chunks together take less time than one after the other. */
  boolean isFasterTogether();

  /**
   * The SHA-256 digest of each chunk.
   *
   * @param chunks the pieces of each, in order
   * @return as many digests as {@code chunks}, of 32 bytes
   */
  byte[][] digest(List<List<Piece>> chunks);
}
