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
import java.nio.ByteBuffer;

/**
 * Cuts a source that is handed over in pieces of any size, into the chunks that it would have as a
 * whole. To be had from {@link Chunker#stream}. For one thread.
 */
public final class ChunkStream {
  private final CandidateFinder finder;
  private final BoundarySelector selector;
  private final CutSink sink;

  /** {@link Chunker#HALO} bytes of the source, and behind them those not yet searched. */
  private final ByteBuffer span;

  /** Index in {@code span} behind the last byte. */
  private int to = Chunker.HALO;

  /** Where in the source the byte at {@code HALO} lies. */
  private long offset;

  private boolean finished;

  /**
   * Whether bytes are being passed on, or were when something was thrown: some may have been, and
   * not others.
   */
  private boolean broken;

  ChunkStream(ChunkerConfig config, CandidateFinder finder, int spanBytes, CutSink sink) {
    this.finder = finder;
    this.selector = new BoundarySelector(config);
    this.sink = sink;
    this.span = ByteBuffer.allocate(Chunker.HALO + spanBytes);
  }

  /** The source goes on with {@code bytes}. */
  public void update(byte[] bytes) {
    update(ByteBuffer.wrap(bytes));
  }

  /**
   * The source goes on with the bytes between a buffer's position and its limit; the position is
   * then there.
   *
   * @throws IllegalStateException if the source was said to be at its end, or an earlier call has
   *     thrown something
   */
  public void update(ByteBuffer bytes) {
    checkWhole();
    if (finished) {
      throw new IllegalStateException("The stream was finished at " + (offset + to - Chunker.HALO));
    }
    while (bytes.hasRemaining()) {
      int count = Math.min(bytes.remaining(), span.capacity() - to);
      span.put(to, bytes, bytes.position(), count);
      bytes.position(bytes.position() + count);
      to += count;
      if (to == span.capacity()) {
        search();
      }
    }
  }

  /**
   * The source is at its end. When this returns, the last chunk has been passed on.
   *
   * @return the source's length in bytes
   * @throws IllegalStateException if an earlier call has thrown something
   */
  public long finish() {
    checkWhole();
    if (!finished) {
      search();
      broken = true;
      selector.finish(offset, sink::cut);
      try {
        sink.finish();
      } catch (IOException e) {
        throw new UncheckedIOException("Nothing is read from anywhere", e);
      }
      broken = false;
      finished = true;
    }
    return offset;
  }

  private void checkWhole() {
    if (broken) {
      throw new IllegalStateException(
          "The stream ends at "
              + offset
              + ": an exception was thrown while what follows was passed on");
    }
  }

  private void search() {
    int end = to;
    if (end == Chunker.HALO) {
      return;
    }
    // The same bytes must not be searched, and digested, once more.
    broken = true;
    SegmentFeed.Span whole = new SegmentFeed.Span(span, Chunker.HALO, end, offset, () -> {});
    SegmentSearch.Segment segment = FoundSegment.of(whole, finder, whole.release());
    sink.begin(segment);
    selector.accept(span, Chunker.HALO, end, offset, segment.candidates(), sink::cut);
    sink.end();
    offset += end - Chunker.HALO;
    System.arraycopy(span.array(), end - Chunker.HALO, span.array(), 0, Chunker.HALO);
    to = Chunker.HALO;
    broken = false;
  }
}
