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
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class BackendsTest {
  private final Provider java = new Provider("java", 0);
  private final Provider fast = new Provider("fast", 100);
  private final Provider big = new Provider("big", 200);
  private final Backends backends = new Backends(List.of(java, big, fast));

  @Test
  void prefersTheGreatestPriority() {
    assertThat(backends.prefer(Backends.AUTO)).isSameAs(big.backend);
    assertThat(backends.prefer("fast")).isSameAs(fast.backend);
  }

  @Test
  void goesOnToTheNextWhereOneCannotBeHadOrWouldNotPay() {
    big.declines = true;
    fast.failure = new UnsatisfiedLinkError("no libfast.so");

    assertThat(backends.prefer(Backends.AUTO)).isSameAs(java.backend);
    assertThat(backends.prefer(Backends.AUTO)).isSameAs(java.backend);
    assertThat(fast.attempts).isEqualTo(1);
    assertThat(big.attempts).isEqualTo(1);
  }

  @Test
  void whoAsksByNameGetsABackendThatWouldNotPay() {
    big.declines = true;

    assertThat(backends.prefer(Backends.AUTO)).isSameAs(fast.backend);
    assertThat(backends.byName("big")).isSameAs(big.backend);
    assertThat(backends.prefer("big")).isSameAs(big.backend);
    assertThat(backends.prefer(Backends.AUTO)).isSameAs(fast.backend);
  }

  @Test
  void askingForAllByNameDoesNotMakeOneThatWouldNotPayPreferred() {
    big.declines = true;

    assertThat(backends.describeAll())
        .containsExactly(
            Map.entry("big", "big: a test"),
            Map.entry("fast", "fast: a test"),
            Map.entry("java", "java: a test"));
    assertThat(backends.prefer(Backends.AUTO)).isSameAs(fast.backend);
  }

  @Test
  void opensEachOnce() {
    backends.prefer(Backends.AUTO);
    backends.describeAll();
    backends.byName("big");
    backends.describeAll();

    assertThat(big.attempts).isEqualTo(1);
    assertThat(fast.attempts).isEqualTo(1);
  }

  @Test
  void oneLineOfTheLogSaysWhichRunsAndWhyNoneBeforeIt() {
    List<String> lines = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getLevel() + ": " + new SimpleFormatter().formatMessage(line));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger(Backends.class.getName());
    log.addHandler(handler);
    try {
      big.declines = true;
      backends.prefer(Backends.AUTO);
      backends.prefer(Backends.AUTO);
      backends.byName("big");
      backends.describeAll();
    } finally {
      log.removeHandler(handler);
    }

    assertThat(lines)
        .containsExactly("INFO: Chunking with fast: a test; not big: slower than the next");
  }

  /** Whatever is chunked how often, by how many threads. */
  @Test
  void aProcessThatChunksLogsItOnce() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                ChunkSeveralTimes.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output.lines().filter(line -> line.contains("Chunking with")))
        .as(output)
        .singleElement(InstanceOfAssertFactories.STRING)
        .matches(".*Chunking with (native|java|cuda): .*")
        .matches(line -> line.contains("with cuda: ") || line.contains("; not cuda: "));
  }

  /** What the other process runs. */
  static final class ChunkSeveralTimes {
    public static void main(String[] args) throws InterruptedException {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        threads.add(
            new Thread(
                () -> {
                  for (int average : new int[] {512, 8192}) {
                    new Chunker(ChunkerConfig.withAverage(average)).chunk(new byte[100_000]);
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      Backends.probe();
      Backends.preferred();
    }
  }

  @Test
  void saysWhyOneCannotBeHad() {
    fast.failure = new BackendUnavailableException("no libfast.so");

    assertThat(backends.describeAll()).containsEntry("fast", "no libfast.so");
    assertThatThrownBy(() -> backends.byName("fast"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("fast")
        .hasMessageContaining("no libfast.so");
    assertThatThrownBy(() -> backends.prefer("abacus"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[big, fast, java]")
        .hasMessageContaining("not abacus");
  }

  @Test
  void hardwareThatRunsOutOfMemoryWhileItIsOpenedIsPassedOver() {
    big.failure = new OutOfMemoryError("Cannot reserve 8388608 bytes of direct buffer memory");

    // JUnit itself would end the run.
    assertThatCode(() -> backends.prefer(Backends.AUTO)).doesNotThrowAnyException();
    assertThat(backends.prefer(Backends.AUTO)).isSameAs(fast.backend);
  }

  /** A GPU has to be asked before what is always there, or it never is. */
  @Test
  void thoseOfTheLibraryAreTriedFromCudaToJava() {
    assertThat(Backends.probe().keySet()).containsExactly("cuda", "native", "java");
  }

  @Test
  void javaIsAlwaysThere() {
    assertThat(Backends.probe()).containsKey("java");
    assertThat(Backends.named("java").name()).isEqualTo("java");
    assertThat(Backends.named(Backends.AUTO)).isNotNull();
    assertThat(Backends.preferred()).isSameAs(Backends.preferred());
  }

  private static final class Provider implements BackendProvider {
    private final String name;
    private final int priority;
    private final Backend backend;
    private boolean declines;
    private Throwable failure;
    private int attempts;

    Provider(String name, int priority) {
      this.name = name;
      this.priority = priority;
      this.backend =
          new Backend() {
            @Override
            public String name() {
              return name;
            }

            @Override
            public String description() {
              return name + ": a test";
            }

            @Override
            public CandidateFinder finder(CandidateRule rule) {
              throw new UnsupportedOperationException(name);
            }
          };
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public int priority() {
      return priority;
    }

    @Override
    public Backend open() throws BackendUnavailableException {
      attempts++;
      if (failure instanceof Error error) {
        throw error;
      }
      if (failure instanceof BackendUnavailableException unavailable) {
        throw unavailable;
      }
      return backend;
    }

    @Override
    public Backend openIfWorthwhile() throws BackendUnavailableException {
      if (declines) {
        attempts++;
        throw new BackendUnavailableException("slower than the next");
      }
      return open();
    }
  }
}
