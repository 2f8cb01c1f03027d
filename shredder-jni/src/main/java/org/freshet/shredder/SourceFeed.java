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

/**
 * Segments of a source that can be read from anywhere: each is read by whoever loads it, through a
 * reader of its own, so that several threads read at once.
 */
final class SourceFeed implements SegmentFeed {
  private final ByteSource source;
  private final long length;
  private final int segmentBytes;
  private final BlockingQueue<ByteBuffer> free;
  private long offset;

  /**
   * @param buffers how many segments there may be at a time
   */
  SourceFeed(ByteSource source, int segmentBytes, int buffers) {
    this.source = source;
    this.length = source.length();
    this.segmentBytes = segmentBytes;
    this.free = new ArrayBlockingQueue<>(buffers);
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
    ByteBuffer bytes = free.poll();
    if (bytes == null) {
      bytes = ByteBuffer.allocate(Chunker.HALO + segmentBytes);
    }
    int before = (int) Math.min(Chunker.HALO, at);
    int to = Chunker.HALO + (int) Math.min(segmentBytes, length - at);
    try (SourceReader reader = new SourceReader(source, at - before)) {
      reader.fill(bytes, Chunker.HALO - before, to);
    }
    return new Span(bytes, Chunker.HALO, to, at, releaseOf(bytes));
  }

  private Runnable releaseOf(ByteBuffer bytes) {
    return () -> free.add(bytes);
  }

  @Override
  public void close() {}
}
