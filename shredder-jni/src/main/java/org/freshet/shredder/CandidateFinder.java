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

/**
 * Marks the positions at which a source may be cut. A pure function of the last {@link #window()}
 * bytes before a position and of nothing else: not of the offset, of the start of the search, or of
 * other candidates. So a source may be searched in pieces, in parallel and in any order.
 *
 * <p>Position {@code p} lies between byte {@code p - 1} and byte {@code p}, and is decided by bytes
 * {@code p - window()} to {@code p - 1}.
 *
 * <p>Implementations are immutable and safe for use by several threads.
 */
public interface CandidateFinder {
  /** Number of bytes before a position that decide over it. */
  int window();

  /**
   * The candidates in {@code (from, to]}, ascending.
   *
   * @param from at least {@code window() - 1}, so that every position has its whole window
   * @param to at least {@code from}, at most {@code bytes.length}
   * @throws IndexOutOfBoundsException if {@code from} or {@code to} is not in that range
   */
  int[] find(byte[] bytes, int from, int to);

  /**
   * The candidates in {@code (from, to]}, ascending. Indices are absolute; position and limit of
   * the buffer are neither heeded nor changed.
   *
   * @param bytes on the heap or direct
   * @param from at least {@code window() - 1}, so that every position has its whole window
   * @param to at least {@code from}, at most {@code bytes.capacity()}
   * @throws IndexOutOfBoundsException if {@code from} or {@code to} is not in that range
   */
  int[] find(ByteBuffer bytes, int from, int to);
}
