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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaDriver;

/**
 * The stand-in for {@code libcuda.so.1} that this process runs on, see {@code src/test/cuda}, and
 * what it is to pretend.
 */
final class StandIn {
  private static final String PLAN = System.getenv("SHREDDER_CUDA_STANDIN");
  private static final AtomicInteger PLANS = new AtomicInteger();

  private StandIn() {}

  /** Whether it could be built. */
  static boolean isThere() {
    return PLAN != null && Files.exists(library());
  }

  static Path library() {
    return Path.of(PLAN).resolveSibling("libcuda.so.1");
  }

  /** The same for properties. */
  static final class Condition implements SkipExecutionHook {
    @Override
    public SkipResult shouldBeSkipped(LifecycleContext context) {
      return isThere() ? SkipResult.doNotSkip() : SkipResult.skip("no stand-in for the driver");
    }
  }

  /** Takes effect with the next call, and starts the count of calls again. */
  static void plan(String... lines) {
    String text = "# " + PLANS.incrementAndGet() + "\n" + String.join("\n", lines) + "\n";
    try {
      // In one step, for it may be read at any time.
      Path file = Path.of(PLAN);
      Path next = file.resolveSibling("plan.next");
      Files.writeString(next, text);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Loads the driver while there is a device, as it has to be once in a process. */
  static void load() throws BackendUnavailableException, CudaCallException {
    plan("devices 1");
    CudaDriver driver = CudaDriver.load();
    plan();
    // Has the stand-in read that, and report what is open.
    driver.version();
  }

  /** Runs a class that has a main method, with the stand-in as the driver. */
  static String inAProcessOfItsOwn(Class<?> main, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  /** A backend on the devices of a plan. */
  static CudaBackend backend(CudaSettings settings, String... lines)
      throws BackendUnavailableException {
    plan(lines);
    return CudaBackendProvider.open(settings);
  }

  /** What is open now, by kind; other tests in this process may keep a backend. */
  static List<String> open() throws IOException {
    Path report = Path.of(PLAN).resolveSibling("plan.open");
    return Files.exists(report) ? Files.readAllLines(report) : List.of();
  }

  /** Asserts that what has been taken from the driver since has been given back. */
  static void assertNothingElseOpen(List<String> before) throws IOException {
    assertThat(open()).isNotEmpty().isEqualTo(before);
  }
}
