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
package org.freshet.shredder.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.freshet.shredder.Backend;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.CandidateRule;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.ChunkDigester;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.DigestAlgorithm;
import org.freshet.shredder.RecordAlignment;
import org.freshet.shredder.SegmentSearch;
import org.freshet.shredder.SourceChangedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sources through the pipeline, when all goes well and when things fail. */
@EnabledIf("org.freshet.shredder.cuda.StandIn#isThere")
@Timeout(60)
class CudaPipelineTest {
  private static final int SEGMENT = 20_000;
  private static final CandidateRule RULE = CandidateRule.Rabin.published(6, 9);
  private static final ChunkerConfig CONFIG =
      ChunkerConfig.withAverage(512).with(RecordAlignment.lines());

  private final byte[] content = content(30 * SEGMENT - 77, 11);
  private CudaBackend backend;

  private static byte[] content(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private List<String> openBefore;

  @BeforeEach
  void noteWhatIsOpen() throws Exception {
    StandIn.load();
    openBefore = StandIn.open();
  }

  private CudaBackend open(int depth, String... plan) throws Exception {
    CudaSettings settings = new CudaSettings(SEGMENT, depth, 1, SearchKernel.Loads.TILED);
    backend = StandIn.backend(settings, plan);
    return backend;
  }

  /**
   * Without faults, so that everything can be given back; but nothing can to a lost device, and
   * what else was open there is lost with it.
   */
  @AfterEach
  void everythingIsGivenBack() throws IOException {
    if (backend != null) {
      StandIn.plan();
      boolean lost = backend.search().devices().stream().anyMatch(SearchDevice::isRetired);
      backend.close();
      if (lost) {
        return;
      }
      StandIn.assertNothingElseOpen(openBefore);
    }
  }

  private static ByteSource source(byte[] bytes) {
    return new MemorySource(ByteBuffer.wrap(bytes), bytes.length);
  }

  private SegmentSearch search(ByteSource source) throws IOException {
    return backend.pipeline().orElseThrow().open(source, RULE);
  }

  private List<Chunk> expected() {
    return new Chunker(CONFIG, Backends.named("java")).chunk(content);
  }

  private void assertCutsAsJavaDoes() throws IOException {
    assertThat(new Chunker(CONFIG, backend).chunk(source(content))).isEqualTo(expected());
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 1", "4, 1", "1, 3", "4, 2"})
  void segmentsComeInOrderWithWhatPrecedesThemAndTheirCandidates(int depth, int devices)
      throws Exception {
    open(depth, "devices " + devices);
    CandidateFinder java = Backends.named("java").finder(RULE);
    long end = 0;
    try (SegmentSearch search = search(source(content))) {
      for (SegmentSearch.Segment s = search.next(); s != null; s = search.next()) {
        assertThat(s.offset()).isEqualTo(end);
        end += s.to() - s.from();
        int before = (int) Math.min(Chunker.HALO, s.offset());
        byte[] seen = new byte[before + s.to() - s.from()];
        s.bytes().get(s.from() - before, seen);
        assertThat(seen)
            .isEqualTo(Arrays.copyOfRange(content, (int) s.offset() - before, (int) end));
        int from = (int) Math.max(s.offset(), RULE.window() - 1);
        int origin = (int) s.offset() - s.from();
        assertThat(s.candidates())
            .isEqualTo(shifted(java.find(content, from, (int) end), origin))
            .isNotEmpty();
        s.release();
      }
    }
    assertThat(end).isEqualTo(content.length);
    assertThat(backend.search().searchedOnProcessor()).isZero();
  }

  private static int[] shifted(int[] positions, int origin) {
    for (int i = 0; i < positions.length; i++) {
      positions[i] -= origin;
    }
    return positions;
  }

  @ParameterizedTest
  @ValueSource(
      ints = {0, 1, 47, 48, 49, 63, 64, 65, SEGMENT - 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT})
  void sourcesOfOddLengthsAreCutAsJavaDoes(int length) throws Exception {
    open(4, "devices 2");
    byte[] bytes = content(length, length);
    for (ChunkerConfig config :
        List.of(
            ChunkerConfig.builder().rabin().maskBits(2).marker(1).minSize(1).build(),
            ChunkerConfig.builder().gear().maskBits(2).marker(1).minSize(1).build())) {
      assertThat(new Chunker(config, backend).chunk(source(bytes)))
          .isEqualTo(new Chunker(config, Backends.named("java")).chunk(bytes));
    }
  }

  @Test
  void devicesTakeTurns() throws Exception {
    open(2, "devices 3");

    assertCutsAsJavaDoes();

    assertThat(backend.search().devices()).extracting(SearchDevice::searched).containsOnly(10L);
  }

  @Test
  void aSlowDeviceDelaysItsSegmentsAndChangesNoOrder() throws Exception {
    open(2, "devices 2", "delay 0 5");

    assertCutsAsJavaDoes();
  }

  /** No thread digests before all buffers but one have been cut; then each, as they come. */
  @Test
  void digestingOnOtherThreadsHoldsSegmentsAndNothingIsOverwritten() throws Exception {
    open(4, "devices 1");
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      Counting counting = new Counting(backend);
      List<Future<Boolean>> inTime = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        inTime.add(threads.submit(() -> counting.sixth.await(20, TimeUnit.SECONDS)));
      }
      byte[] large = content(4 * (16 << 20) + 5, 2);
      byte[] repeated = Arrays.copyOf(content, content.length);
      ByteSource source = new MemorySource(ByteBuffer.wrap(repeated), large.length);
      List<Chunk> found =
          new Chunker(ChunkerConfig.withAverage(4096), counting).chunk(source, threads, 3);
      assertThat(found)
          .isEqualTo(
              new Chunker(ChunkerConfig.withAverage(4096), Backends.named("java")).chunk(source));
      for (Future<Boolean> wait : inTime) {
        assertThat(wait.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Another backend, that tells when its search is asked for the sixth segment. */
  private record Counting(Backend backend, CountDownLatch sixth) implements Backend {
    Counting(Backend backend) {
      this(backend, new CountDownLatch(6));
    }

    @Override
    public String name() {
      return backend.name();
    }

    @Override
    public String description() {
      return backend.description();
    }

    @Override
    public CandidateFinder finder(CandidateRule rule) {
      return backend.finder(rule);
    }

    @Override
    public ChunkDigester digester(DigestAlgorithm algorithm) {
      return backend.digester(algorithm);
    }

    @Override
    public Optional<SegmentSearch.Factory> pipeline() {
      SegmentSearch.Factory factory = backend.pipeline().orElseThrow();
      return Optional.of((source, rule) -> counted(factory.open(source, rule)));
    }

    private SegmentSearch counted(SegmentSearch search) {
      return new SegmentSearch() {
        @Override
        public Segment next() throws IOException {
          sixth.countDown();
          return search.next();
        }

        @Override
        public int mostHeld() {
          return search.mostHeld();
        }

        @Override
        public void close() throws IOException {
          search.close();
        }
      };
    }
  }

  @Test
  void digestsAreComputedByTheBestThatTheProcessorHas() throws Exception {
    open(1, "devices 1");
    for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
      assertThat(backend.digester(algorithm))
          .isSameAs(Backends.named("native").digester(algorithm));
    }
  }

  @Test
  void searchesAtTheSameTimeShareTheDevices() throws Exception {
    open(3, "devices 2");
    List<Chunk> expected = expected();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<List<Chunk>>> found = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        found.add(threads.submit(() -> new Chunker(CONFIG, backend).chunk(source(content))));
      }
      for (Future<List<Chunk>> chunks : found) {
        assertThat(chunks.get()).isEqualTo(expected);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aConsumerThatHoldsItsSegmentsIsWaitedFor() throws Exception {
    open(2, "devices 1");
    AtomicInteger opened = new AtomicInteger();
    ByteSource counting =
        new ByteSource() {
          @Override
          public long length() {
            return content.length;
          }

          @Override
          public InputStream open(long offset) {
            opened.incrementAndGet();
            return new ByteArrayInputStream(content, (int) offset, content.length - (int) offset);
          }
        };
    List<SegmentSearch.Segment> held = new ArrayList<>();
    try (SegmentSearch search = search(counting)) {
      for (int i = 0; i < 4; i++) {
        held.add(search.next());
      }
      assertThat(opened).hasValue(4);
      held.get(0).release();
      assertThat(search.next().offset()).isEqualTo(4 * SEGMENT);
      assertThat(opened).hasValue(5);
    }
    held.get(1).release();
  }

  /** Every call of the driver that a search makes, failing now and then. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cuMemAlloc",
        "cuMemHostAlloc",
        "cuStreamCreate",
        "cuEventCreate",
        "cuMemcpyHtoDAsync",
        "cuMemsetD32Async",
        "cuModuleGetFunction",
        "cuLaunchKernel",
        "cuMemcpyDtoHAsync",
        "cuEventRecord",
        "cuEventSynchronize",
      })
  void whateverCallFailsForAWhileTheCutsAreTheSame(String call) throws Exception {
    for (int first : new int[] {1, 2, 3}) {
      open(4, "devices 2");
      StandIn.plan("devices 2", "fail " + call + " 2 " + first + " 2");

      assertCutsAsJavaDoes();

      if (first == 1 && !call.equals("cuMemHostAlloc")) {
        assertThat(backend.search().searchedOnProcessor()).isBetween(1L, 2L);
      }
      assertThat(backend.search().devices()).noneMatch(SearchDevice::isRetired);
      everythingIsGivenBack();
      backend = null;
    }
  }

  @Test
  void aBufferThatADeviceHasNoMemoryForIsSearchedOnTheProcessor() throws Exception {
    open(1, "devices 1");
    StandIn.plan("devices 1", "fail cuMemAlloc 2 1 1");

    assertCutsAsJavaDoes();

    assertThat(backend.search().searchedOnProcessor()).isEqualTo(1);
    assertThat(backend.search().devices().get(0).searched()).isEqualTo(29);
  }

  @Test
  void aDeviceThatNeverHasMemoryRetires() throws Exception {
    open(1, "devices 1", "memory 1000");

    assertCutsAsJavaDoes();

    assertThat(backend.search().searchedOnProcessor()).isEqualTo(30);
    assertThat(backend.search().devices().get(0).isRetired()).isTrue();
  }

  @Test
  void aKernelThatBreaksItsContextRetiresTheDeviceAndTheOtherGoesOn() throws Exception {
    open(2, "devices 2");
    StandIn.plan("devices 2", "fail kernel 700 5 1");

    assertCutsAsJavaDoes();

    assertThat(backend.search().devices()).filteredOn(SearchDevice::isRetired).hasSize(1);
    // Those that were on the device, or waited for it, when its context broke.
    assertThat(backend.search().searchedOnProcessor()).isBetween(1L, 4L);
  }

  @Test
  void withoutAnyDeviceLeftTheProcessorDoesTheRest() throws Exception {
    open(4, "devices 1");
    StandIn.plan("devices 1", "poison cuLaunchKernel 719 11");

    assertCutsAsJavaDoes();

    assertThat(backend.search().devices().get(0).searched()).isBetween(9L, 10L);
    assertThat(backend.search().searchedOnProcessor()).isBetween(20L, 21L);
    assertCutsAsJavaDoes();
  }

  @Test
  void ordinaryBuffersServeWhereNoPagesCanBeLocked() throws Exception {
    open(1, "devices 1");
    // The first is the ring's.
    StandIn.plan("devices 1", "fail cuMemHostAlloc 2 1 1");

    assertCutsAsJavaDoes();

    assertThat(backend.search().searchedOnProcessor()).isZero();
  }

  /** A JVM that may have no buffers outside the heap, beside a driver that locks no pages. */
  @Test
  void withoutAnyMemoryForBuffersThatADeviceReadsTheProcessorSearches() throws Exception {
    open(2, "devices 1");
    StandIn.plan("devices 1", "fail cuMemHostAlloc 2 1 1000");

    String output =
        StandIn.inAProcessOfItsOwn(
            ChunkWithoutMemory.class, "-Xmx256m", "-XX:MaxDirectMemorySize=2m");

    assertThat(output).contains("cut as by Java: true, searched by devices: 0");
    assertThat(output)
        .as("what is logged, once")
        .containsOnlyOnce("no memory outside the heap are chunked on the processor");
  }

  /** Tells whether a source of several default buffers is cut as Java cuts it. */
  static final class ChunkWithoutMemory {
    public static void main(String[] args) throws Exception {
      byte[] content = content((40 << 20) + 77, 12);
      List<Chunk> expected = new Chunker(CONFIG, Backends.named("java")).chunk(content);
      try (CudaBackend backend = CudaBackendProvider.open(CudaSettings.DEFAULT)) {
        List<Chunk> found = new Chunker(CONFIG, backend).chunk(source(content));
        List<Chunk> inMemory = new Chunker(CONFIG, backend).chunk(content);
        System.out.printf(
            "cut as by Java: %s, searched by devices: %d%n",
            found.equals(expected) && inMemory.equals(expected),
            backend.search().devices().get(0).searched());
      }
    }
  }

  @Test
  void moreCandidatesThanThereIsRoomForAreNoFault() throws Exception {
    open(2, "devices 1");
    byte[] zeros = new byte[3 * SEGMENT];
    ChunkerConfig config =
        ChunkerConfig.builder().rabin().maskBits(20).marker(0).minSize(1000).build();

    assertThat(new Chunker(config, backend).chunk(source(zeros)))
        .isEqualTo(new Chunker(config, Backends.named("java")).chunk(zeros))
        .hasSize(60);
    assertThat(backend.search().searchedOnProcessor()).isEqualTo(3);

    assertCutsAsJavaDoes();
    assertThat(backend.search().searchedOnProcessor()).isEqualTo(3);
  }

  @Test
  void aSourceThatCannotBeReadSaysSo() throws Exception {
    open(4, "devices 1");
    ByteSource broken =
        new ByteSource() {
          @Override
          public long length() {
            return content.length;
          }

          @Override
          public InputStream open(long offset) throws IOException {
            if (offset > 7 * SEGMENT) {
              throw new IOException("disk on fire");
            }
            return new ByteArrayInputStream(content, (int) offset, content.length - (int) offset);
          }
        };

    assertThatThrownBy(() -> new Chunker(CONFIG, backend).chunk(broken))
        .isInstanceOf(IOException.class)
        .hasMessage("disk on fire");
    assertCutsAsJavaDoes();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5 * SEGMENT, 30 * SEGMENT})
  void aSourceThatIsNotAsLongAsItSaysIsRefused(int length) throws Exception {
    open(4, "devices 1");
    ByteSource liar =
        new ByteSource() {
          @Override
          public long length() {
            return length;
          }

          @Override
          public InputStream open(long offset) {
            int from = (int) Math.min(offset, content.length);
            return new ByteArrayInputStream(content, from, content.length - from);
          }
        };

    assertThatThrownBy(() -> new Chunker(CONFIG, backend).chunk(liar))
        .isInstanceOf(SourceChangedException.class);
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    open(1, "devices 1");
    try (SegmentSearch search = search(source(content))) {
      Thread.currentThread().interrupt();

      assertThatThrownBy(search::next).isInstanceOf(InterruptedIOException.class);
    }
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void nothingComesAfterTheEnd() throws Exception {
    open(2, "devices 1");
    SegmentSearch search = search(source(content(10, 1)));
    search.next().release();

    assertThat(search.next()).isNull();
    assertThat(search.next()).isNull();
    search.close();
    search.close();
  }
}
