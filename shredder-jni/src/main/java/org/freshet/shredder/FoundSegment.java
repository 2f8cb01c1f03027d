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

/**
 * A segment searched by a finder.
 *
 * @param onRelease runs when the segment is released
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
record FoundSegment(
    ByteBuffer bytes, int from, int to, long offset, int[] candidates, Runnable onRelease)
    implements SegmentSearch.Segment {

  static FoundSegment of(SegmentFeed.Span span, CandidateFinder finder, Runnable onRelease) {
    // The source's first window ends one window in: what is in front of the source is not content.
    long missing = Math.max(0, finder.window() - 1 - span.offset());
    int first = (int) Math.min(span.to(), span.from() + missing);
    int[] candidates =
        first == span.to() ? new int[0] : finder.find(span.bytes(), first, span.to());
    return new FoundSegment(
        span.bytes(), span.from(), span.to(), span.offset(), candidates, onRelease);
  }

  @Override
  public void release() {
    onRelease.run();
  }
}
