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

/** A search on the thread that asks for the segments. */
final class CallerSearch implements SegmentSearch {
  private final SegmentFeed feed;
  private final CandidateFinder finder;

  /** Closes {@code feed} with itself. */
  CallerSearch(SegmentFeed feed, CandidateFinder finder) {
    this.feed = feed;
    this.finder = finder;
  }

  @Override
  public Segment next() throws IOException {
    SegmentFeed.Load load = feed.next();
    if (load == null) {
      return null;
    }
    SegmentFeed.Span span = load.read();
    return FoundSegment.of(span, finder, span.release());
  }

  @Override
  public void close() throws IOException {
    feed.close();
  }
}
