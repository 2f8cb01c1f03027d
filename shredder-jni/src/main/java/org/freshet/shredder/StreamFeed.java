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

import java.io.IOException;
import java.nio.ByteBuffer;

/** Segments of a source read from its first byte to its last, by the thread that asks for them. */
final class StreamFeed implements SegmentFeed {
  private final SourceReader reader;
  private final int segmentBytes;
  private final SpanBuffers buffers;
  private final byte[] tail = new byte[Chunker.HALO];
  private long offset;

  /**
   * @param reader at the source's first byte; closed with the feed
   * @param direct whether segments lie outside the heap
   */
  StreamFeed(SourceReader reader, int segmentBytes, boolean direct) {
    this.reader = reader;
    this.segmentBytes = segmentBytes;
    this.buffers = SpanBuffers.of(Chunker.HALO + segmentBytes, direct);
  }

  @Override
  public Load next() throws IOException {
    SpanBuffers.Lease lease = buffers.take();
    ByteBuffer bytes = lease.bytes();
    bytes.put(0, tail);
    int count = reader.fill(bytes, Chunker.HALO, Chunker.HALO + segmentBytes);
    if (count == 0) {
      lease.giveBack();
      return null;
    }
    bytes.get(count, tail);
    Span span = new Span(bytes, Chunker.HALO, Chunker.HALO + count, offset, lease::giveBack);
    offset += count;
    return () -> span;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
