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
import java.util.function.LongConsumer;

/**
 * Chooses the cuts of one source from its candidates: the first candidate that leaves a chunk of
 * the minimum size, or else the maximum size, then moved forward to a record boundary. Every
 * backend's candidates go through this class, so that equal candidates mean equal chunks.
 *
 * <p>Fed with the source's bytes in order; for one source and one thread.
 */
public final class BoundarySelector {
  private final int minSize;
  private final long maxSize;
  private final RecordAlignment alignment;

  /** Offset at which the chunk begins whose end is looked for. */
  private long start;

  /** Search for the record boundary of a cut already decided on; null while none is. */
  private RecordAlignment.Search search;

  /** A selector at the start of a source. */
  public BoundarySelector(ChunkerConfig config) {
    this(config, 0);
  }

  /**
   * A selector that goes on where another one made a cut: it makes the cuts that the other would
   * have made from there on.
   *
   * @param start where in the source a chunk begins, 0 or more
   */
  public BoundarySelector(ChunkerConfig config, long start) {
    if (start < 0) {
      throw new IllegalArgumentException("start must be 0 or more, not " + start);
    }
    this.start = start;
    this.minSize = config.minSize();
    this.maxSize = config.maxSize();
    this.alignment = config.alignment();
  }

  /**
   * Takes the next bytes of the source and reports the cuts in {@code (from, to]}.
   *
   * @param bytes its limit is {@code to} or above it; holds, by absolute index, the bytes at {@code
   *     from} to {@code to - 1}, and before them as many of the source as there are, up to {@link
   *     RecordAlignment#MAX_LOOK_BEHIND}
   * @param offset where in the source the byte at {@code from} lies
   * @param candidates all candidates in {@code (from, to]}, ascending, as indices into {@code
   *     bytes}
   * @param cuts is given each cut, as an offset in the source, ascending
   * @throws IllegalStateException if the record alignment finds a boundary where it cannot be
   */
  public void accept(
      ByteBuffer bytes, int from, int to, long offset, int[] candidates, LongConsumer cuts) {
    long origin = offset - from;
    int next = 0;
    int searchFrom = from;
    while (true) {
      if (search == null) {
        while (next < candidates.length && origin + candidates[next] < start + minSize) {
          next++;
        }
        long target = maxSize <= Long.MAX_VALUE - start ? start + maxSize : Long.MAX_VALUE;
        if (next < candidates.length) {
          target = Math.min(target, origin + candidates[next]);
        }
        if (target > origin + to) {
          return;
        }
        search = alignment.searchFrom(target);
        searchFrom = (int) (Math.max(0, target - alignment.lookBehind()) - origin);
      }
      int boundary = search.next(bytes, searchFrom, to);
      if (boundary < 0) {
        return;
      }
      if (boundary > to || origin + boundary <= start) {
        throw new IllegalStateException(
            "%s found a boundary at %d, not in %d to %d"
                .formatted(alignment.name(), origin + boundary, start + 1, origin + to));
      }
      search = null;
      start = origin + boundary;
      cuts.accept(start);
    }
  }

  /**
   * Says that the source ends at {@code length}: what is left is the last chunk, whatever its size.
   */
  public void finish(long length, LongConsumer cuts) {
    if (start < length) {
      start = length;
      cuts.accept(length);
    }
  }
}
