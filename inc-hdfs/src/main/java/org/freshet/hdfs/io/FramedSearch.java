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
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.freshet.hdfs.format.FrameScan;
import org.freshet.hdfs.format.FramedFormat;
import org.freshet.hdfs.format.MarkBoundaries;
import org.freshet.shredder.Backend;
import org.freshet.shredder.BoundarySelector;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;

/** Finds the chunks of a container file: those that {@link FramedFormat#chunks} finds. */
final class FramedSearch implements PieceSearch {
  /*
   * Markers are masked in a copy of each piece, since the piece itself goes to the target as it is.
   * Searches follow each other, so one copy at a time is enough. It keeps the masked bytes before the
   * piece, which the search looks back to; those of the header don't matter, because no chunk behind
   * it ends within a window.
   */
  private final CandidateFinder finder;
  private final ChunkerConfig config;
  private final FrameScan scan;

  /** Null within the header. */
  private BoundarySelector selector;

  private byte[] masked = new byte[Chunker.HALO];

  private FramedSearch(
      ChunkerConfig sizes,
      Backend backend,
      MarkBoundaries boundaries,
      FrameScan scan,
      BoundarySelector selector) {
    this.finder = backend.finder(sizes.rule());
    this.config = sizes.with(boundaries);
    this.scan = scan;
    this.selector = selector;
  }

  /** Of a new file. */
  static FramedSearch of(FramedFormat format, ChunkerConfig sizes, Backend backend) {
    MarkBoundaries boundaries = new MarkBoundaries(format.name());
    return new FramedSearch(sizes, backend, boundaries, format.scan(boundaries::add), null);
  }

  /**
   * Of a file from a chunk behind its header on.
   *
   * @param header all bytes of the file's header
   * @param start where that chunk begins
   * @throws IOException if that is no header of the format
   */
  static FramedSearch from(
      FramedFormat format, ChunkerConfig sizes, Backend backend, byte[] header, long start)
      throws IOException {
    MarkBoundaries boundaries = new MarkBoundaries(format.name());
    FrameScan scan = format.scan(header, start, boundaries::add);
    BoundarySelector selector = new BoundarySelector(sizes.with(boundaries), start);
    return new FramedSearch(sizes, backend, boundaries, scan, selector);
  }

  @Override
  public Found next(byte[] bytes, int from, int to, long offset) throws IOException {
    int length = to - from;
    int maskedTo = Chunker.HALO + length;
    if (masked.length < maskedTo) {
      masked = Arrays.copyOf(masked, maskedTo);
    }
    System.arraycopy(bytes, from, masked, Chunker.HALO, length);
    scan.accept(masked, Chunker.HALO, maskedTo);
    Found found = search(offset, maskedTo);
    System.arraycopy(masked, length, masked, 0, Chunker.HALO);
    return found;
  }

  private Found search(long offset, int maskedTo) {
    if (scan.header() == null) {
      return new Found(new long[0], List.of(), null);
    }
    Chunk header = null;
    int from = Chunker.HALO;
    if (selector == null) {
      header = scan.header();
      selector = new BoundarySelector(config, header.end());
      from += (int) (header.end() - offset);
    }
    long start = offset + from - Chunker.HALO;
    long[] cuts = AlignedSearch.cuts(finder, selector, masked, from, maskedTo, start);
    if (header != null) {
      cuts = LongStream.concat(LongStream.of(header.end()), LongStream.of(cuts)).toArray();
    }
    return new Found(cuts, List.copyOf(scan.masked()), header);
  }

  @Override
  public void end() throws IOException {
    scan.end();
  }
}
