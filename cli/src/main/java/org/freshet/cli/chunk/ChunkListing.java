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
package org.freshet.cli.chunk;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.freshet.shredder.Chunk;

/**
 * The chunks of one file. An immutable value.
 *
 * @param file as the user named it
 * @param chunks in order
 * @param seconds that chunking took, reading included
 * @param statistics of the chunks
 */
public record ChunkListing(
    String file, List<Line> chunks, double seconds, ChunkStatistics statistics) {
  /**
   * One chunk.
   *
   * @param digest in hexadecimal digits; null if it was not asked for
   */
  public record Line(long offset, long length, String digest) {}

  /** The listing of chunks with digests. */
  public static ChunkListing of(String file, List<Chunk> chunks, double seconds) {
    HexFormat hex = HexFormat.of();
    ChunkCounter counter = new ChunkCounter(true);
    List<Line> lines = new ArrayList<>(chunks.size());
    for (Chunk chunk : chunks) {
      String digest = hex.formatHex(chunk.digest());
      counter.add(chunk.length(), digest);
      lines.add(new Line(chunk.offset(), chunk.length(), digest));
    }
    return new ChunkListing(file, lines, seconds, counter.statistics());
  }

  /** The listing of chunks that end at these offsets, ascending. */
  public static ChunkListing ofEnds(String file, List<Long> ends, double seconds) {
    ChunkCounter counter = new ChunkCounter(false);
    List<Line> lines = new ArrayList<>(ends.size());
    long start = 0;
    for (long end : ends) {
      counter.add(end - start, null);
      lines.add(new Line(start, end - start, null));
      start = end;
    }
    return new ChunkListing(file, lines, seconds, counter.statistics());
  }
}
