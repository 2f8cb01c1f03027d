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

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Brings the segments of one source into memory, in order. Asked by one thread. */
interface SegmentFeed extends Closeable {
  /**
   * Prepares the next segment. The caller sees to it that there are no more loads at a time than
   * the feed was made for.
   *
   * @return null after the last
   * @throws IOException if the source cannot be read
   */
  Load next() throws IOException;

  /** A segment that may still have to be read, by any one thread. */
  interface Load {
    /** Reads what has not been read. */
    Span read() throws IOException;
  }

  /**
   * Bytes {@code from} to {@code to - 1} of a buffer, in front of which lie the bytes that precede
   * them in the source, {@link Chunker#HALO} or as many as there are.
   *
   * @param offset where in the source the byte at {@code from} lies
   * @param release gives the buffer back
   */
  record Span(ByteBuffer bytes, int from, int to, long offset, Runnable release) {}
}
