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

/**
 * The segments of one source in order, each with its candidates. A search goes on ahead of its
 * consumer as far as its buffers reach: a fixed number of them goes round, so that a source of any
 * length needs the same memory. For use by one thread.
 */
public interface SegmentSearch extends Closeable {
  /**
   * The next segment; waits for it. The consumer need not have released the ones before, but a
   * search may wait for that if it has no buffer left.
   *
   * @return null after the last segment, which ends where the source does
   * @throws SourceChangedException if the source is not as long as it says
   * @throws java.io.InterruptedIOException if the calling thread is interrupted; it stays so
   * @throws IOException if the source cannot be read
   */
  Segment next() throws IOException;

  /**
   * How many segments the consumer may hold when it asks for the next one, and be sure that {@link
   * #next} does not have to wait until it releases one of them. At least 1.
   */
  default int mostHeld() {
    return 1;
  }

  /**
   * Ends the search, wherever it is. When this returns, no thread of the search reads the source
   * any more, and segments not yet released are invalid.
   */
  @Override
  void close() throws IOException;

  /** Begins searches. Safe for use by several threads. */
  interface Factory {
    /**
     * Begins the search of {@code source} from its first byte.
     *
     * @throws IOException if the source cannot be opened
     */
    SegmentSearch open(ByteSource source, CandidateRule rule) throws IOException;
  }

  /**
   * A part of the source, in front of which lie the bytes that precede it there, {@link
   * Chunker#HALO} or as many as there are.
   */
  interface Segment extends SourcePart {
    /**
     * All candidates in {@code (from(), to()]}, ascending, as indices into {@code bytes()}; never
     * to be written to.
     */
    int[] candidates();
  }
}
