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
  /**
   * Candidates are looked for in so many bytes at a time, at least: with fewer, a native finder's
   * calls and the beginnings of its streams would cost as much as is saved.
   */
  private static final int LEAST_STEP = 16 << 10;

  /** And at most, since what is searched behind a cut is searched in vain. */
  private static final int MOST_STEP = 128 << 10;

  private static final int STEPS_PER_GAP = 16;

  private final int minSize;
  private final long maxSize;
  private final int step;
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
    double part = config.rule().meanGap() / STEPS_PER_GAP;
    this.step = (int) Math.max(LEAST_STEP, Math.min(MOST_STEP, part));
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
    select(bytes, from, to, offset, new Given(candidates), cuts);
  }

  /**
   * Takes the next bytes of the source, looks for candidates where one could end a chunk, and
   * reports the same cuts in {@code (from, to]} as if it had been given them all. What a chunk has
   * up to the minimum is not searched; with the usual minimum of half the average, that is nearly
   * half of all bytes, provided that chunks are large beside the {@value #LEAST_STEP} bytes that
   * are searched at a time.
   *
   * @param bytes as with candidates; besides, {@code finder.window() - 1} bytes lie before {@code
   *     from}
   * @param offset where in the source the byte at {@code from} lies
   * @param cuts is given each cut, as an offset in the source, ascending
   * @throws IllegalStateException if the record alignment finds a boundary where it cannot be
   */
  public void accept(
      ByteBuffer bytes, int from, int to, long offset, CandidateFinder finder, LongConsumer cuts) {
    select(bytes, from, to, offset, new LookedFor(finder, bytes, from, step), cuts);
  }

  private void select(
      ByteBuffer bytes, int from, int to, long offset, Candidates candidates, LongConsumer cuts) {
    long origin = offset - from;
    int searchFrom = from;
    while (true) {
      if (search == null) {
        long target = maxSize <= Long.MAX_VALUE - start ? start + maxSize : Long.MAX_VALUE;
        long most = Math.min(target, origin + to);
        if (start + minSize <= most) {
          long least = Math.max(origin + from, start + minSize);
          int candidate = candidates.first((int) (least - origin), (int) (most - origin));
          target = candidate >= 0 ? origin + candidate : target;
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

  /** The candidates among the bytes of one call, asked for with ascending bounds. */
  private interface Candidates {
    /** The first candidate from {@code least} to {@code most}, as an index; -1 if there is none. */
    int first(int least, int most);
  }

  private static final class Given implements Candidates {
    private final int[] candidates;
    private int next;

    Given(int[] candidates) {
      this.candidates = candidates;
    }

    @Override
    public int first(int least, int most) {
      while (next < candidates.length && candidates[next] < least) {
        next++;
      }
      return next < candidates.length && candidates[next] <= most ? candidates[next] : -1;
    }
  }

  private static final class LookedFor implements Candidates {
    private final CandidateFinder finder;
    private final ByteBuffer bytes;
    private final int step;

    /** What has been found last, and the index up to which. */
    private Given found = new Given(new int[0]);

    private int searched;

    LookedFor(CandidateFinder finder, ByteBuffer bytes, int from, int step) {
      this.finder = finder;
      this.bytes = bytes;
      this.searched = from;
      this.step = step;
    }

    @Override
    public int first(int least, int most) {
      int candidate = found.first(least, most);
      int from = Math.max(searched, least - 1);
      while (candidate < 0 && from < most) {
        int to = Math.min(most, from + step);
        found = new Given(finder.find(bytes, from, to));
        searched = to;
        candidate = found.first(least, most);
        from = to;
      }
      return candidate;
    }
  }
}
