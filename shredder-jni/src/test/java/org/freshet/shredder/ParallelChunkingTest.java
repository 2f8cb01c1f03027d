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

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParallelChunkingTest {
  private static final ChunkerConfig SMALL = ChunkerConfig.withAverage(512);

  private static ExecutorService threads;

  @BeforeAll
  @BeforeContainer
  static void startThreads() {
    threads = Executors.newFixedThreadPool(3);
  }

  @AfterAll
  @AfterContainer
  static void stopThreads() {
    threads.shutdownNow();
  }

  private static Chunker inSegmentsOf(int bytes) {
    return inSegmentsOf(bytes, 0, RecordAlignment.none());
  }

  private static Chunker inSegmentsOf(int bytes, int held, RecordAlignment alignment) {
    return new Chunker(
        SMALL.with(alignment),
        new HoldingBackend(),
        new Chunker.Pieces(1 << 20, bytes, HoldingBackend.WIDTH, held * bytes, 0));
  }

  @Property(tries = 120)
  void givesTheSequentialChunks(
      @ForAll long seed,
      @ForAll @IntRange(max = 400) int lineCount,
      @ForAll @IntRange(min = 1, max = 20_000) int segmentBytes,
      @ForAll @IntRange(max = 7) int held,
      @ForAll @IntRange(min = 2, max = 5) int parallelism,
      @ForAll boolean lines)
      throws IOException {
    ByteSource source = Sources.of(Sources.bytes(Sources.lines(lineCount, seed)));
    RecordAlignment alignment = lines ? RecordAlignment.lines() : RecordAlignment.none();

    Chunker chunker =
        inSegmentsOf(Math.max(segmentBytes, (int) (source.length() / 500)), held, alignment);
    List<Chunk> sequential = new Chunker(SMALL.with(alignment), new JavaBackend()).chunk(source);

    assertThat(chunker.chunk(source, threads, parallelism)).isEqualTo(sequential);

    List<Chunk> ofStream = new ArrayList<>();
    chunker.chunk(source.open(0), threads, parallelism, ofStream::add);
    assertThat(ofStream).isEqualTo(sequential);

    List<Chunk> inMemory = new ArrayList<>();
    byte[] bytes = source.open(0).readAllBytes();
    chunker.chunk(ByteBuffer.wrap(bytes), threads, parallelism, inMemory::add);
    assertThat(inMemory).isEqualTo(sequential);

    List<Long> boundaries = new ArrayList<>();
    chunker.boundaries(source, threads, parallelism, boundaries::add);
    assertThat(boundaries).isEqualTo(sequential.stream().map(Chunk::end).toList());
  }

  @Test
  void cutsARecordOfManySegmentsAsOneChunk() throws IOException {
    byte[] content = new byte[300_000];
    content[200_000] = '\n';
    ByteSource source = Sources.of(content);

    List<Chunk> parallel = inSegmentsOf(1000, 3, RecordAlignment.lines()).chunk(source, threads, 3);

    assertThat(parallel).hasSize(2);
    assertThat(parallel).isEqualTo(new Chunker(SMALL.with(RecordAlignment.lines())).chunk(source));
  }

  @Test
  void usesTheExecutorForLargeSourcesOnly() throws IOException {
    Chunker chunker = new Chunker(SMALL);
    ByteSource source = Sources.of(Sources.random(1 << 20, 1));

    assertThat(chunker.chunk(source, null, 8)).isEqualTo(chunker.chunk(source));
    assertThatThrownBy(() -> chunker.chunk(source, threads, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 0");
  }

  @Test
  void noticesASourceThatIsShorterOrLongerThanItSays() {
    byte[] content = Sources.random(50_000, 5);
    for (long length : new long[] {49_999, 50_001, 50_065, 80_000, 200_000}) {
      assertThatThrownBy(
              () -> inSegmentsOf(8_000).chunk(Sources.claiming(content, length), threads, 3))
          .as("claimed length %d", length)
          .isInstanceOf(SourceChangedException.class)
          .hasMessageContaining(String.valueOf(length));
    }
  }

  @Test
  void passesOnAReadErrorAndLeavesNoStreamOpen() {
    Tracked source = new Tracked(Sources.of(Sources.random(200_000, 6)));
    source.failAt = 96_000;

    assertThatThrownBy(() -> inSegmentsOf(8_000).chunk(source, threads, 3))
        .isInstanceOf(IOException.class)
        .hasMessage("disk on fire");
    assertThat(source.open).hasValue(0);
  }

  @Test
  void endsWhenTheCallerIsInterrupted() throws Exception {
    CountDownLatch neverUntilInterrupted = new CountDownLatch(1);
    ByteSource content = Sources.of(Sources.random(100_000, 7));
    CountDownLatch opened = new CountDownLatch(1);
    ByteSource blocking =
        new ByteSource() {
          @Override
          public long length() {
            return content.length();
          }

          @Override
          public InputStream open(long offset) throws IOException {
            opened.countDown();
            try {
              neverUntilInterrupted.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            return content.open(offset);
          }
        };
    Throwable[] thrown = new Throwable[1];
    boolean[] stillInterrupted = new boolean[1];
    Thread caller =
        new Thread(
            () -> {
              try {
                inSegmentsOf(8_000).chunk(blocking, threads, 3);
              } catch (Throwable e) {
                thrown[0] = e;
                stillInterrupted[0] = Thread.currentThread().isInterrupted();
              }
            });
    caller.start();
    opened.await();
    caller.interrupt();
    neverUntilInterrupted.countDown();
    caller.join();

    assertThat(thrown[0]).isInstanceOf(InterruptedIOException.class);
    assertThat(stillInterrupted[0]).isTrue();
  }

  /** Its threads are interrupted, and what they have not begun is dropped without a word. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anExecutorThatIsShutDownMeanwhileIsTold(int count, @TempDir Path directory)
      throws IOException {
    Path file = Files.write(directory.resolve("file"), Sources.random(200_000, 8));
    for (ByteSource content : List.of(ByteSource.of(file), Sources.of(Files.readAllBytes(file)))) {
      for (boolean digested : new boolean[] {true, false}) {
        ExecutorService executor = Executors.newFixedThreadPool(count);
        ByteSource source = new ShutsDown(content, executor);
        Chunker chunker = inSegmentsOf(8_000, 3, RecordAlignment.none());

        assertThatThrownBy(
                () -> {
                  if (digested) {
                    chunker.chunk(source, executor, 3);
                  } else {
                    chunker.boundaries(source, executor, 3, cut -> {});
                  }
                })
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("executor was shut down");
      }
    }
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aSegmentThatNobodyReleasesAnyMoreIsNotWaitedFor() throws IOException {
    ExecutorService executor = Executors.newFixedThreadPool(1);
    SourceFeed feed = new SourceFeed(Sources.of(Sources.random(10_000, 9)), 1_000, false);
    CandidateFinder finder = new JavaBackend().finder(SMALL.rule());
    try (ExecutorSearch search = new ExecutorSearch(feed, finder, executor, 2)) {
      assertThat(search.next()).isNotNull();
      assertThat(search.next()).isNotNull();
      executor.shutdownNow();

      assertThatThrownBy(search::next)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("executor was shut down");
    }
  }

  /** Ends an executor when it is opened for the third time, by one of its threads. */
  private static final class ShutsDown implements ByteSource {
    private final ByteSource source;
    private final ExecutorService executor;
    private final AtomicInteger opened = new AtomicInteger();

    ShutsDown(ByteSource source, ExecutorService executor) {
      this.source = source;
      this.executor = executor;
    }

    @Override
    public long length() {
      return source.length();
    }

    @Override
    public InputStream open(long offset) throws IOException {
      if (opened.incrementAndGet() == 3) {
        executor.shutdownNow();
      }
      return source.open(offset);
    }
  }

  /** Counts the streams open, and fails in one place. */
  private static final class Tracked implements ByteSource {
    private final ByteSource source;
    private final AtomicInteger open = new AtomicInteger();
    private volatile long failAt = -1;

    Tracked(ByteSource source) {
      this.source = source;
    }

    @Override
    public long length() {
      return source.length();
    }

    @Override
    public InputStream open(long offset) throws IOException {
      open.incrementAndGet();
      return new FilterInputStream(source.open(offset)) {
        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
          if (failAt >= offset && failAt < offset + length) {
            throw new IOException("disk on fire");
          }
          return super.read(bytes, from, length);
        }

        @Override
        public void close() throws IOException {
          open.decrementAndGet();
          super.close();
        }
      };
    }
  }
}
