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

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;
import org.freshet.shredder.Backend;
import org.freshet.shredder.BoundarySelector;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.ChunkerConfig;

/** Finds the chunks of text, and of all else whose bytes are digested as they are. */
final class AlignedSearch implements PieceSearch {
  private final CandidateFinder finder;
  private final BoundarySelector selector;

  /**
   * @param start offset in the file of the first byte, where a chunk begins
   */
  AlignedSearch(ChunkerConfig config, Backend backend, long start) {
    this.finder = backend.finder(config.rule());
    this.selector = new BoundarySelector(config, start);
  }

  @Override
  public Found next(byte[] bytes, int from, int to, long offset) {
    return new Found(cuts(finder, selector, bytes, from, to, offset), List.of(), null);
  }

  static long[] cuts(
      CandidateFinder finder,
      BoundarySelector selector,
      byte[] bytes,
      int from,
      int to,
      long offset) {
    LongStream.Builder cuts = LongStream.builder();
    selector.accept(ByteBuffer.wrap(bytes), from, to, offset, finder, cuts::add);
    return cuts.build().toArray();
  }

  @Override
  public void end() {}
}
