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

import java.nio.ByteBuffer;

/** Segments of a source that is in memory already: windows of its buffer, nothing is copied. */
final class BufferFeed implements SegmentFeed {
  private final ByteBuffer bytes;
  private final int start;
  private final int end;
  private final int segmentBytes;
  private int at;

  /** The bytes between the buffer's position and its limit, as they are now. */
  BufferFeed(ByteBuffer bytes, int segmentBytes) {
    this.bytes = bytes.duplicate().clear();
    this.start = bytes.position();
    this.end = bytes.limit();
    this.segmentBytes = segmentBytes;
    this.at = start;
  }

  @Override
  public Load next() {
    if (at == end) {
      return null;
    }
    int from = at;
    int to = from + Math.min(segmentBytes, end - from);
    at = to;
    return () -> new Span(bytes, from, to, from - start, () -> {});
  }

  @Override
  public void close() {}
}
