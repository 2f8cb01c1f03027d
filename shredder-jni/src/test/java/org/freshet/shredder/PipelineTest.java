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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A backend that drives the search itself, with direct buffers that go round. */
class PipelineTest {
  private static final ChunkerConfig CONFIG =
      ChunkerConfig.withAverage(1024).with(RecordAlignment.lines());

  private final byte[] content = Sources.bytes(Sources.lines(20_000, 4));
  private final List<Chunk> expected = new Chunker(CONFIG, new JavaBackend()).chunk(content);
  private final Ring ring = new Ring();
  private final ExecutorService threads = Executors.newFixedThreadPool(3);

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  @Test
  void itsSegmentsAreCutAndDigestedOnTheCallingThread() throws IOException {
    assertThat(new Chunker(CONFIG, ring).chunk(Sources.of(content))).isEqualTo(expected);
    assertThat(ring.held).hasValue(0);
    assertThat(ring.closed).isEqualTo(1);
  }

  @Test
  void itsSegmentsAreDigestedOnTheExecutorAndReleased() throws IOException {
    Chunker chunker = new Chunker(CONFIG, ring, new Chunker.Pieces(1000, 1000, 3, 5000, 0));

    assertThat(chunker.chunk(Sources.of(content), threads, 3)).isEqualTo(expected);
    assertThat(ring.held).hasValue(0);
    assertThat(ring.closed).isEqualTo(1);
  }

  /** No thread digests before as many parts have come as there is room for. */
  @ParameterizedTest
  @ValueSource(ints = {1, HoldingBackend.WIDTH})
  void digestingGoesOnBesideCuttingInAsManyPartsAsThereIsRoomFor(int width) throws Exception {
    CountDownLatch full = new CountDownLatch(1);
    List<Future<Boolean>> inTime = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      inTime.add(threads.submit(() -> full.await(20, TimeUnit.SECONDS)));
    }
    ring.width = width;
    ring.mostHeld = 5;
    ring.onNext =
        number -> {
          if (number == ring.mostHeld) {
            full.countDown();
          }
        };
    Chunker chunker = new Chunker(CONFIG, ring, new Chunker.Pieces(1000, 1000, 3, 5000, 0));

    assertThat(chunker.chunk(Sources.of(content), threads, 3)).isEqualTo(expected);

    for (Future<Boolean> wait : inTime) {
      assertThat(wait.get()).as("the fifth part is cut before the first is digested").isTrue();
    }
    assertThat(ring.mostSeen).isEqualTo(ring.mostHeld);
    assertThat(ring.held).hasValue(0);
  }

  @Test
  void itIsClosedOnlyWhenNoThreadLooksAtItsBuffersAnyMore() {
    Chunker chunker = new Chunker(CONFIG, ring, new Chunker.Pieces(1000, 1000, 3, 5000, 0));
    ring.failAfter = 5;

    assertThatThrownBy(() -> chunker.chunk(Sources.of(content), threads, 3))
        .isInstanceOf(IOException.class)
        .hasMessage("device lost");
    assertThat(ring.closed).isEqualTo(1);
    assertThat(ring.heldWhenClosed).isZero();
  }

  private static final class Ring implements Backend {
    private final AtomicInteger held = new AtomicInteger();
    private int failAfter = Integer.MAX_VALUE;
    private int closed;
    private int heldWhenClosed;
    private int width = 1;
    private int mostHeld = 1;
    private int mostSeen;
    private IntConsumer onNext = number -> {};

    @Override
    public String name() {
      return "ring";
    }

    @Override
    public String description() {
      return "ring: a test";
    }

    @Override
    public CandidateFinder finder(CandidateRule rule) {
      return new JavaBackend().finder(rule);
    }

    @Override
    public ChunkDigester digester(DigestAlgorithm algorithm) {
      return (width == 1 ? new JavaBackend() : new HoldingBackend()).digester(algorithm);
    }

    @Override
    public Optional<SegmentSearch.Factory> pipeline() {
      return Optional.of(Search::new);
    }

    private final class Search implements SegmentSearch {
      private static final int SEGMENT_BYTES = 70_000;

      private final SourceReader reader;
      private final CandidateFinder finder;
      private final byte[] tail = new byte[Chunker.HALO];
      private int segments;

      Search(ByteSource source, CandidateRule rule) throws IOException {
        reader = new SourceReader(source, 0);
        finder = finder(rule);
      }

      @Override
      public int mostHeld() {
        return mostHeld;
      }

      @Override
      public Segment next() throws IOException {
        mostSeen = Math.max(mostSeen, held.get());
        onNext.accept(segments);
        if (segments++ == failAfter) {
          throw new IOException("device lost");
        }
        int from = Chunker.HALO;
        ByteBuffer bytes = ByteBuffer.allocateDirect(from + SEGMENT_BYTES);
        bytes.put(0, tail);
        long offset = reader.position();
        int count = reader.fill(bytes, from, from + SEGMENT_BYTES);
        if (count == 0) {
          return null;
        }
        bytes.get(count, tail);
        held.incrementAndGet();
        SegmentFeed.Span span =
            new SegmentFeed.Span(
                bytes,
                from,
                from + count,
                offset,
                () -> {
                  // Whoever still looks at the segment now sees something else.
                  for (int i = 0; i < bytes.capacity(); i++) {
                    bytes.put(i, (byte) 0xAA);
                  }
                  held.decrementAndGet();
                });
        return FoundSegment.of(span, finder, span.release());
      }

      @Override
      public void close() throws IOException {
        heldWhenClosed = held.get();
        closed++;
        reader.close();
      }
    }
  }
}
