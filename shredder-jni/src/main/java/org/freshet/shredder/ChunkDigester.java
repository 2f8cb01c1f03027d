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
 * Computes the digests of chunks that follow each other in a buffer. Many at once, because
 * independent digests can be computed side by side, which one alone cannot be divided into.
 * Immutable and safe for use by several threads.
 */
public interface ChunkDigester {
  /**
   * The SHA-256 digest of each chunk. Position and limit of the buffer are neither heeded nor
   * changed.
   *
   * @param from where in {@code bytes} the first chunk begins
   * @param ends where each chunk ends and the next begins, ascending
   * @return as many digests as {@code ends}, of 32 bytes
   * @throws IndexOutOfBoundsException if a chunk is not within the buffer's capacity
   */
  byte[][] digest(ByteBuffer bytes, int from, int[] ends);
}
