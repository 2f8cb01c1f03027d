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
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Segments of a source read from its first byte to its last, by the thread that asks for them. */
final class StreamFeed implements SegmentFeed {
  private final SourceReader reader;
  private final int segmentBytes;
  private final BlockingQueue<ByteBuffer> free;
  private final byte[] tail = new byte[Chunker.HALO];
  private long offset;

  /**
   * @param reader at the source's first byte; closed with the feed
   * @param buffers how many segments there may be at a time
   */
  StreamFeed(SourceReader reader, int segmentBytes, int buffers) {
    this.reader = reader;
    this.segmentBytes = segmentBytes;
    this.free = new ArrayBlockingQueue<>(buffers);
  }

  @Override
  public Load next() throws IOException {
    ByteBuffer bytes = free.poll();
    if (bytes == null) {
      bytes = ByteBuffer.allocate(Chunker.HALO + segmentBytes);
    }
    bytes.put(0, tail);
    int count = reader.fill(bytes, Chunker.HALO, Chunker.HALO + segmentBytes);
    if (count == 0) {
      return null;
    }
    bytes.get(count, tail);
    Span span = new Span(bytes, Chunker.HALO, Chunker.HALO + count, offset, releaseOf(bytes));
    offset += count;
    return () -> span;
  }

  private Runnable releaseOf(ByteBuffer bytes) {
    return () -> free.add(bytes);
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
