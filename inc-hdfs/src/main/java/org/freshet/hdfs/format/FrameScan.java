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
package org.freshet.hdfs.format;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;
import org.freshet.shredder.Chunk;

/**
 * Follows one container file whose bytes come in pieces of any size: finds the end of its header,
 * and masks the random markers behind that. For one thread at a time.
 */
public final class FrameScan {
  /** Length of the random marker in bytes, with which each header and nearly each chunk ends. */
  public static final int MARKER_BYTES = Frames.MARKER_BYTES;

  private final FramedFormat format;
  private final LongConsumer boundaries;

  /** What has come of the header; null when it is complete. */
  private ByteArrayOutputStream head = new ByteArrayOutputStream();

  /** The header can't be complete before it has so many bytes: a reader said so that saw less. */
  private long headNeeded;

  private Chunk header;
  private Frames frames;

  /**
   * At a file's first byte.
   *
   * @param boundaries is told of each boundary behind the header, as an offset in the file,
   *     ascending, before {@link #accept} returns from the bytes in front of it
   */
  FrameScan(FramedFormat format, LongConsumer boundaries) {
    this.format = format;
    this.boundaries = boundaries;
  }

  void goOn(byte[] wholeHeader, long start) throws IOException {
    accept(wholeHeader.clone(), 0, wholeHeader.length);
    if (header == null || header.end() != wholeHeader.length) {
      throw new NotCuttableException("it has another header");
    }
    frames.goOn(start, start > header.end());
  }

  /**
   * Looks at the next bytes, and sets those to zero that belong to markers behind the header.
   *
   * @throws NotCuttableException if they are not what a file of the format has there
   */
  public void accept(byte[] bytes, int from, int to) throws IOException {
    int body = header == null ? acceptHeader(bytes, from, to) : from;
    if (header != null) {
      frames.accept(bytes, body, to);
    }
  }

  /** Returns the index of the first byte behind the header, or {@code to}. */
  private int acceptHeader(byte[] bytes, int from, int to) throws IOException {
    head.write(bytes, from, to - from);
    if (head.size() < headNeeded) {
      return to;
    }
    HeaderReader in = new HeaderReader(new ByteArrayInputStream(head.toByteArray()));
    try {
      frames = format.header(in, boundaries);
    } catch (NotCuttableException e) {
      if (in.needed() == 0) {
        throw e;
      }
      headNeeded = in.needed();
      return to;
    }
    header = FramedFormat.chunk(in);
    frames.goOn(header.end(), false);
    int behind = head.size() - (int) header.end();
    head = null;
    return to - behind;
  }

  /**
   * Says that the file ends here.
   *
   * @throws NotCuttableException if it must not, or has no records
   */
  public void end() throws IOException {
    if (header == null) {
      throw new NotCuttableException("it ends within its header");
    }
    frames.end();
    if (frames.position() == header.end()) {
      throw new NotCuttableException("it has no records");
    }
  }

  /** The header as a chunk, digested with its marker masked; null while it is not complete. */
  public Chunk header() {
    return header;
  }

  /**
   * Where the markers end, in the file, of which the last {@link #accept} masked bytes, ascending;
   * the last one's end may be still to come. To be read before the next call.
   */
  public List<Long> masked() {
    return header == null ? List.of() : frames.masked();
  }
}
