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

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.freshet.hdfs.format.FrameScan;

/**
 * How a file is sent. An immutable value.
 *
 * @param length of the file, in bytes
 * @param startsWithBom whether its first bytes are UTF-8's byte order mark
 * @param cuts where its chunks end
 * @param blockEnds where its blocks end that end before HDFS ends them, ascending
 * @param parts cover the file in order; an empty file has one
 */
record UploadPlan(
    long length, boolean startsWithBom, UploadCuts cuts, List<Long> blockEnds, List<Part> parts) {
  private static final int BOM_BYTES = 3;

  /** Bytes {@code from} to {@code to - 1}. */
  record Part(long from, long to) {
    long length() {
      return to - from;
    }
  }

  /**
   * Plans a file whose chunks are known. Parts end where chunks do; and where blocks do, if these
   * end with chunks, so that the joined file has the blocks that a single stream would have given
   * it.
   *
   * @param blockCuts which cuts end a block; empty if HDFS alone ends them
   * @param partBytes about how long a part is; a multiple of the block size
   */
  static UploadPlan of(
      Path file, long length, UploadCuts cuts, Optional<BlockCuts> blockCuts, long partBytes)
      throws IOException {
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      List<Long> blockEnds =
          blockCuts.isPresent() ? blockEnds(in, cuts, blockCuts.get()) : List.of();
      return new UploadPlan(
          length,
          startsWithBom(in, length),
          cuts,
          blockEnds,
          blockCuts.isPresent()
              ? partsOfBlocks(length, blockEnds, partBytes)
              : partsOfChunks(length, cuts.ends(), partBytes));
    }
  }

  private static List<Long> blockEnds(FileChannel in, UploadCuts cuts, BlockCuts blockCuts)
      throws IOException {
    if (cuts.container().isPresent()) {
      blockCuts.leaveOut(FrameScan.MARKER_BYTES);
    }
    List<Long> ends = new ArrayList<>();
    for (long cut : cuts.ends()) {
      byte[] before = read(in, Math.max(0, cut - BlockCuts.WINDOW), cut);
      // The last chunk may be shorter than a window, and there its block ends anyway.
      if (before.length == BlockCuts.WINDOW && blockCuts.endBlock(cut, before, before.length)) {
        ends.add(cut);
      }
    }
    return ends;
  }

  private static boolean startsWithBom(FileChannel in, long length) throws IOException {
    byte[] head = read(in, 0, Math.min(BOM_BYTES, length));
    return head.length == BOM_BYTES
        && (head[0] & 0xFF) == 0xEF
        && (head[1] & 0xFF) == 0xBB
        && (head[2] & 0xFF) == 0xBF;
  }

  private static byte[] read(FileChannel in, long from, long to) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) (to - from));
    while (bytes.hasRemaining()) {
      if (in.read(bytes, from + bytes.position()) < 0) {
        throw new EOFException("The file has become shorter than " + to + " bytes");
      }
    }
    return bytes.array();
  }

  /** Each part ends with the first block that makes it long enough. */
  private static List<Part> partsOfBlocks(long length, List<Long> blockEnds, long partBytes) {
    List<Part> parts = new ArrayList<>();
    long from = 0;
    for (long end : blockEnds) {
      if (end - from >= partBytes && end < length) {
        parts.add(new Part(from, end));
        from = end;
      }
    }
    parts.add(new Part(from, length));
    return List.copyOf(parts);
  }

  /** Each part ends with the last chunk that fits into its blocks. */
  private static List<Part> partsOfChunks(long length, List<Long> cuts, long partBytes) {
    List<Part> parts = new ArrayList<>();
    long from = 0;
    long last = 0;
    for (long cut : cuts) {
      if (cut - from > partBytes && last > from) {
        parts.add(new Part(from, last));
        from = last;
      }
      last = cut;
    }
    parts.add(new Part(from, length));
    return List.copyOf(parts);
  }

  /** The chunks of a part: where each ends. */
  List<Long> cutsOf(Part part) {
    return between(cuts.ends(), part);
  }

  /** Where blocks of a part end before HDFS ends them; not the last one, which ends with it. */
  List<Long> blockEndsOf(Part part) {
    List<Long> ends = between(blockEnds, part);
    boolean last = !ends.isEmpty() && ends.get(ends.size() - 1) == part.to();
    return last ? ends.subList(0, ends.size() - 1) : ends;
  }

  private static List<Long> between(List<Long> ascending, Part part) {
    return ascending.subList(firstAbove(ascending, part.from()), firstAbove(ascending, part.to()));
  }

  private static int firstAbove(List<Long> ascending, long value) {
    int index = Collections.binarySearch(ascending, value);
    return index < 0 ? -index - 1 : index + 1;
  }
}
