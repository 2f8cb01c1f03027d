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

/**
 * Segments of a source that can be read from anywhere: each is read by whoever loads it, through a
 * reader of its own, so that several threads read at once.
 */
final class SourceFeed implements SegmentFeed {
  private final ByteSource source;
  private final long length;
  private final int segmentBytes;
  private final SpanBuffers buffers;
  private long offset;

  /**
   * @param direct whether segments lie outside the heap
   */
  SourceFeed(ByteSource source, int segmentBytes, boolean direct) {
    this.source = source;
    this.length = source.length();
    this.segmentBytes = segmentBytes;
    this.buffers = SpanBuffers.of(Chunker.HALO + segmentBytes, direct);
  }

  @Override
  public Load next() {
    if (offset == length) {
      return null;
    }
    long at = offset;
    offset += Math.min(segmentBytes, length - at);
    return () -> read(at);
  }

  private Span read(long at) throws IOException {
    SpanBuffers.Lease lease = buffers.take();
    ByteBuffer bytes = lease.bytes();
    int before = (int) Math.min(Chunker.HALO, at);
    int to = Chunker.HALO + (int) Math.min(segmentBytes, length - at);
    try (SourceReader reader = new SourceReader(source, at - before)) {
      reader.fill(bytes, Chunker.HALO - before, to);
    }
    return new Span(bytes, Chunker.HALO, to, at, lease::giveBack);
  }

  @Override
  public void close() {}
}
