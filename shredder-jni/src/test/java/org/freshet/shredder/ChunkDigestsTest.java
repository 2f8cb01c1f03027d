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

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which chunks are digested together, by which task. */
@Timeout(60)
class ChunkDigestsTest {
  private static final int PART = 1000;
  private static final int PARTS = 8;

  private final byte[] source = new byte[PARTS * PART];
  private final List<Chunk> chunks = new ArrayList<>();
  private final CountingDigester digester = new CountingDigester();

  ChunkDigestsTest() {
    new Random(20).nextBytes(source);
  }

  @Test
  void tasksOfTwoPartsShareTheChunksOfBoth() throws Exception {
    Deque<Runnable> tasks = new ArrayDeque<>();
    ChunkDigests digests = digests(tasks::add, held -> true);
    part(digests, 0, 100);
    part(digests, 1, 100);

    assertThat(tasks).hasSize(2);
    tasks.remove().run();
    int first = digester.digested.get();
    tasks.remove().run();

    // Of the 20 chunks the first leaves half to the second, and each leaves one less than the
    // width.
    assertThat(first).isEqualTo(10 - (HoldingBackend.WIDTH - 1));
    assertThat(digester.digested).hasValue(20 - (HoldingBackend.WIDTH - 1));
    digests.abandon();
  }

  /**
   * Chunks go from part to part, and the executor does nothing before a fourth part is to be held.
   */
  @Test
  void waitsForWhatIsBeingDigestedBeforeItDigestsAChunkAlone() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      CountDownLatch begin = new CountDownLatch(1);
      executor.execute(() -> await(begin));
      try (ChunkDigests digests = digests(executor, new UpToThree(begin))) {
        for (int i = 0; i < PARTS; i++) {
          part(digests, i, 150);
        }
        digests.cut(source.length);
        digests.finish();
      }
    } finally {
      executor.shutdown();
      assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(chunks).isEqualTo(expected(150));
    assertThat(digester.digested).as("chunks not digested alone").hasValue(chunks.size());
  }

  /** The executor is shut down where the calling thread begins to wait for it. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void whatAnExecutorHasDroppedIsNotWaitedFor() {
    for (boolean alone : new boolean[] {false, true}) {
      ExecutorService executor = Executors.newSingleThreadExecutor();
      executor.execute(() -> awaitUntilInterrupted(new CountDownLatch(1)));
      ChunkDigests digests = digests(executor, new FullWhenShutDown(executor));

      assertThatThrownBy(() -> part(digests, 0, alone ? 2 * PART : 100))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("executor was shut down");
      digests.close();
    }
  }

  private record FullWhenShutDown(ExecutorService executor) implements ChunkDigests.Holding {
    @Override
    public boolean mayStay(int held) {
      return false;
    }

    @Override
    public boolean isFull(int held) {
      executor.shutdownNow();
      return true;
    }
  }

  @Test
  void anExecutorThatTakesNoTasksAnyMoreIsTold() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    ChunkDigests digests = digests(executor, held -> true);
    part(digests, 0, 100);
    executor.shutdown();

    assertThatThrownBy(() -> part(digests, 1, 100))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("executor was shut down");
    digests.close();
    digests.abandon();
  }

  private static void awaitUntilInterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private record UpToThree(CountDownLatch exceeded) implements ChunkDigests.Holding {
    @Override
    public boolean mayStay(int held) {
      if (held > 3) {
        exceeded.countDown();
      }
      return held <= 3;
    }

    @Override
    public boolean mayWait() {
      return true;
    }
  }

  private ChunkDigests digests(Executor executor, ChunkDigests.Holding holding) {
    return new ChunkDigests(
        digester, HoldingBackend.WIDTH, executor, Integer.MAX_VALUE, holding, 0, chunks::add);
  }

  private void part(ChunkDigests digests, int number, int chunk) {
    int begin = number * PART;
    digests.begin(new Part(begin));
    for (int cut = (begin / chunk + 1) * chunk; cut <= begin + PART; cut += chunk) {
      digests.cut(cut);
    }
    digests.end();
  }

  private List<Chunk> expected(int chunk) {
    List<Chunk> all = new ArrayList<>();
    for (int at = 0; at < source.length; at += chunk) {
      Sha256 sha256 = new Sha256();
      int length = Math.min(chunk, source.length - at);
      sha256.update(new ChunkDigester.Piece(ByteBuffer.wrap(source), at, at + length));
      all.add(new Chunk(at, length, sha256.end()));
    }
    return all;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Leaves one less than the width undigested. */
  private static final class CountingDigester implements ChunkDigester {
    private final AtomicInteger digested = new AtomicInteger();
    private final ChunkDigester javas = JavaDigester.of(DigestAlgorithm.SHA_256);

    @Override
    public RunningDigest start() {
      return javas.start();
    }

    @Override
    public int width() {
      return HoldingBackend.WIDTH;
    }

    @Override
    public void digest(List<UnfinishedDigest> some) {
      digested.addAndGet(some.size());
      javas.digest(some);
    }

    @Override
    public void digestSome(List<UnfinishedDigest> some, int width) {
      digest(some.subList(0, Math.max(0, some.size() - width + 1)));
    }
  }

  private final class Part implements SourcePart {
    private final int from;

    Part(int from) {
      this.from = from;
    }

    @Override
    public ByteBuffer bytes() {
      return ByteBuffer.wrap(source);
    }

    @Override
    public int from() {
      return from;
    }

    @Override
    public int to() {
      return from + PART;
    }

    @Override
    public long offset() {
      return from;
    }

    @Override
    public void release() {}
  }
}
