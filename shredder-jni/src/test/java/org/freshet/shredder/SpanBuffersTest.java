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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each test uses a size of its own, for buffers are shared by all that want the same. */
@Timeout(60)
class SpanBuffersTest {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsGivenBackIsTakenAgainTheLatestFirst(boolean direct) {
    SpanBuffers buffers = SpanBuffers.of(10_001, direct);
    SpanBuffers.Lease a = buffers.take();
    SpanBuffers.Lease b = buffers.take();
    ByteBuffer first = a.bytes();
    ByteBuffer second = b.bytes();

    assertThat(first.isDirect()).isEqualTo(direct);
    assertThat(first.capacity()).isEqualTo(10_001);
    assertThat(first).isNotSameAs(second);

    b.giveBack();
    a.giveBack();

    assertThat(SpanBuffers.of(10_001, direct).take().bytes()).isSameAs(first);
    assertThat(buffers.take().bytes()).isSameAs(second);
    assertThat(buffers.take().bytes()).isNotSameAs(first).isNotSameAs(second);
  }

  @Test
  void eachSizeAndKindHasItsOwn() {
    SpanBuffers.of(10_002, true).take().giveBack();

    assertThat(SpanBuffers.of(10_002, false).take().bytes().isDirect()).isFalse();
    assertThat(SpanBuffers.of(10_003, true).take().bytes().capacity()).isEqualTo(10_003);
  }

  /** Else two would write into one. */
  @Test
  void nothingIsGivenBackTwice() {
    SpanBuffers buffers = SpanBuffers.of(10_004, false);
    SpanBuffers.Lease lease = buffers.take();
    lease.giveBack();
    SpanBuffers.Lease next = buffers.take();

    assertThatThrownBy(lease::giveBack)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("twice");
    assertThat(buffers.take().bytes()).isNotSameAs(next.bytes());
  }

  @Test
  void theGarbageCollectorTakesWhatNobodyUses() throws InterruptedException {
    WeakReference<ByteBuffer> unused = new WeakReference<>(unused());
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (unused.get() != null && System.nanoTime() < end) {
      System.gc();
      Thread.sleep(1);
    }

    assertThat(unused.get()).isNull();
  }

  private static ByteBuffer unused() {
    SpanBuffers.Lease lease = SpanBuffers.of(10_005, true).take();
    lease.giveBack();
    return lease.bytes();
  }

  @Test
  void outsideTheHeapTheyTakeNoMoreThanTheyMayAndGiveItBack() throws InterruptedException {
    SpanBuffers.Outside outside = new SpanBuffers.Outside(25);

    assertThat(outside.reserve(10)).isTrue();
    ByteBuffer buffer = outside.allocate(10);
    assertThat(outside.reserve(10)).isTrue();
    assertThat(outside.reserve(10)).isFalse();
    assertThat(outside.reserve(5)).isTrue();
    assertThat(buffer.isDirect()).isTrue();

    buffer = null;
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!outside.reserve(10)) {
      assertThat(System.nanoTime()).isLessThan(end);
      System.gc();
      Thread.sleep(1);
    }
    assertThat(outside.reserve(1)).isFalse();
  }

  /** What a JVM with little direct memory runs: prints what it made of a source. */
  static final class Digests {
    private Digests() {}

    public static void main(String[] args) throws IOException {
      ExecutorService threads = Executors.newFixedThreadPool(2);
      List<Chunk> chunks = new ArrayList<>();
      ChunkerConfig config = ChunkerConfig.withAverage(1 << 20);
      new Chunker(config).chunk(ByteSource.of(Path.of(args[0])), threads, 2, chunks::add);
      threads.shutdown();
      System.out.println(chunks);
    }
  }

  @Test
  void aJvmWithoutRoomOutsideTheHeapUsesTheHeap(@TempDir Path directory) throws Exception {
    byte[] bytes = Sources.random(70 << 20, 5);
    Path file = Files.write(directory.resolve("source"), bytes);
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:MaxDirectMemorySize=3m",
                "-cp",
                System.getProperty("java.class.path"),
                Digests.class.getName(),
                file.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).isZero();
    assertThat(printed.strip())
        .isEqualTo(
            new Chunker(ChunkerConfig.withAverage(1 << 20), new JavaBackend())
                .chunk(bytes)
                .toString());
  }

  /** A backend like Java's that notes what kind of buffers it is given. */
  private record Noting(boolean prefersDirect, Set<Boolean> direct) implements Backend {
    @Override
    public String name() {
      return "noting";
    }

    @Override
    public String description() {
      return "noting: a test";
    }

    @Override
    public CandidateFinder finder(CandidateRule rule) {
      CandidateFinder java = new JavaBackend().finder(rule);
      return new CandidateFinder() {
        @Override
        public int window() {
          return java.window();
        }

        @Override
        public int[] find(byte[] bytes, int from, int to) {
          return java.find(bytes, from, to);
        }

        @Override
        public int[] find(ByteBuffer bytes, int from, int to) {
          direct.add(bytes.isDirect());
          return java.find(bytes, from, to);
        }
      };
    }
  }

  @ParameterizedTest
  @CsvSource({"true, true, true", "true, false, false", "false, true, false"})
  void onlyWhatFillsDirectBuffersIsReadIntoThemForBackendsThatPreferThem(
      boolean prefers, boolean fills, boolean expected, @TempDir Path directory)
      throws IOException {
    byte[] bytes = Sources.random(50_000, 1);
    Path file = Files.write(directory.resolve("source"), bytes);
    ByteSource source = fills ? ByteSource.of(file) : Sources.of(bytes);
    Noting backend = new Noting(prefers, ConcurrentHashMap.newKeySet());
    Chunker chunker =
        new Chunker(
            ChunkerConfig.withAverage(512), backend, new Chunker.Pieces(3011, 2011, 1, 0, 0));
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      chunker.chunk(source);
      assertThat(backend.direct()).containsExactly(expected);
      chunker.chunk(source, threads, 2);
      assertThat(backend.direct()).containsExactly(expected);
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 65536",
    "65535, 65536",
    "65536, 131072",
    "100000, 131072",
    "600000, 1000000",
    "9223372036854775807, 1000000"
  })
  void shortSourcesHaveSpansOfFewSizes(long length, int expected) {
    Chunker.Pieces pieces = new Chunker.Pieces(1_000_000, 2000, 1, 0, 0);

    assertThat(pieces.spanBytes(length)).isEqualTo(expected);
  }

  @Test
  void noTwoThreadsHaveTheSameAtATime() throws Exception {
    SpanBuffers buffers = SpanBuffers.of(10_006, false);
    Set<ByteBuffer> inUse =
        Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        ends.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 20_000; i++) {
                    SpanBuffers.Lease lease = buffers.take();
                    assertThat(inUse.add(lease.bytes())).isTrue();
                    inUse.remove(lease.bytes());
                    lease.giveBack();
                  }
                }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Windows and records look at what lies in front of a span; of another source there is nothing.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatAnotherSourceHasLeftMakesNoDifference(boolean preferred, @TempDir Path directory)
      throws IOException {
    Backend backend = preferred ? Backends.preferred() : new JavaBackend();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    Random random = new Random(11);
    try {
      for (int i = 0; i < 60; i++) {
        // Also shorter than a window, and of lines that have no end before theirs.
        byte[] bytes = Sources.random(i % 3 == 0 ? random.nextInt(100) : 50_000, i);
        ByteSource file = ByteSource.of(Files.write(directory.resolve("source"), bytes));
        for (RecordAlignment alignment : List.of(RecordAlignment.none(), RecordAlignment.lines())) {
          ChunkerConfig config = ChunkerConfig.withAverage(512).with(alignment);
          Chunker chunker =
              new Chunker(config, backend, new Chunker.Pieces(3000, 2000, 3, 9000, 0));
          List<Chunk> alone = new Chunker(config, new JavaBackend()).chunk(bytes);

          assertThat(chunker.chunk(Sources.of(bytes))).isEqualTo(alone);
          assertThat(chunker.chunk(Sources.of(bytes), threads, 2)).isEqualTo(alone);
          assertThat(chunker.chunk(file)).isEqualTo(alone);
          assertThat(chunker.chunk(file, threads, 2)).isEqualTo(alone);
          assertThat(chunker.chunk(new ByteArrayInputStream(bytes))).isEqualTo(alone);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
