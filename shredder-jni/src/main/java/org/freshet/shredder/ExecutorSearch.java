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
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;

/**
 * The published host-side parallel form: the source is divided, the parts are searched by several
 * threads at once, and neighbours are merged where they meet. Each part is searched together with
 * the window in front of it, so that merging is putting the candidates one behind the other;
 * minimum and maximum are applied to the whole by the {@link BoundarySelector}.
 *
 * <p>Source: P. Bhatotia, R. Rodrigues, A. Verma: "Shredder: GPU-accelerated incremental storage
 * and computation", FAST 2012, section 5.1.
 */
final class ExecutorSearch implements SegmentSearch {
  private final SegmentFeed feed;
  private final CandidateFinder finder;
  private final ExecutorService executor;

  /** One permit for each segment that is neither being searched nor with the consumer. */
  private final Semaphore idle;

  private final Deque<CompletableFuture<Segment>> searching = new ArrayDeque<>();
  private boolean fed;

  /** Set when no result is wanted any more; segments not yet read are then left unread. */
  private volatile boolean abandoned;

  /**
   * Closes {@code feed} with itself.
   *
   * @param segments how many may be in memory at a time
   */
  ExecutorSearch(SegmentFeed feed, CandidateFinder finder, ExecutorService executor, int segments) {
    this.feed = feed;
    this.finder = finder;
    this.executor = executor;
    this.idle = new Semaphore(segments);
  }

  @Override
  public Segment next() throws IOException {
    while (!fed && idle.tryAcquire()) {
      submit();
    }
    if (!fed && searching.isEmpty()) {
      Waiting.forPermit(idle, executor);
      submit();
    }
    CompletableFuture<Segment> oldest = searching.poll();
    return oldest == null ? null : Waiting.forResult(oldest, executor);
  }

  private void submit() throws IOException {
    SegmentFeed.Load load = feed.next();
    if (load == null) {
      fed = true;
    } else {
      searching.add(Waiting.submit(() -> search(load), executor));
    }
  }

  /** Runs on the executor. */
  private Segment search(SegmentFeed.Load load) {
    if (abandoned) {
      throw new CancellationException("The search was closed");
    }
    try {
      SegmentFeed.Span span = load.read();
      return FoundSegment.of(
          span,
          finder,
          () -> {
            span.release().run();
            idle.release();
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    abandoned = true;
    for (CompletableFuture<Segment> search : searching) {
      Waiting.uninterruptiblyForEnd(search, executor);
    }
    feed.close();
  }
}
