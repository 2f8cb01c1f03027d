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
package org.freshet.hdfs.io;

import java.io.IOException;
import java.util.List;
import org.freshet.hdfs.format.FrameScan;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;

/**
 * Finds the chunks of one file that comes in pieces. Is given the pieces in order, by one thread at
 * a time.
 */
interface PieceSearch {
  /**
   * Looks at the next piece.
   *
   * @param bytes not to be changed; before index {@code from} lie the {@link Chunker#HALO} bytes
   *     that come before it in the file, or as many as there are
   * @param offset where in the file the byte at {@code from} lies
   * @throws IOException if the file is not what it is searched as; there must be no further call
   */
  Found next(byte[] bytes, int from, int to, long offset) throws IOException;

  /**
   * Says that the file ends here.
   *
   * @throws IOException if the file is not what it was searched as
   */
  void end() throws IOException;

  /**
   * What is in a piece. Offsets are those of the file.
   *
   * @param cuts where chunks end, ascending
   * @param masked where random markers of {@value FrameScan#MARKER_BYTES} bytes end that lie within
   *     the piece or reach into it, ascending; they are digested as zeros
   * @param header the first chunk, if it ends here and has a digest of its own; or null
   */
  record Found(long[] cuts, List<Long> masked, Chunk header) {}
}
