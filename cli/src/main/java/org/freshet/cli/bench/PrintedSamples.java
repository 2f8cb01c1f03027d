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
package org.freshet.cli.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What a program prints that measures something: lines of fields with tabs between them. */
final class PrintedSamples {
  /** Longer than any takes. */
  static final Duration LIMIT = Duration.ofHours(3);

  /** A program that is asked to end gets so long to do so. */
  private static final long SECONDS_TO_END = 10;

  private PrintedSamples() {}

  /** Runs a program to its end, which has to come in a few hours. */
  static List<String[]> of(String what, List<String> command, Path log, Set<String> kinds)
      throws IOException, InterruptedException {
    return of(what, command, log, kinds, LIMIT);
  }

  /**
   * Runs a program to its end. It ends with this process at the latest.
   *
   * @param what the program, as it is named if it fails
   * @param log what it says on its standard error is appended here
   * @param kinds first fields of the lines that are wanted
   * @param limit how long it may take
   * @return the fields of those
   * @throws IOException if it fails, or takes too long
   */
  static List<String[]> of(
      String what, List<String> command, Path log, Set<String> kinds, Duration limit)
      throws IOException, InterruptedException {
    List<String[]> printed = new ArrayList<>();
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    Thread onExit = new Thread(() -> end(process), "end-" + process.pid());
    Runtime.getRuntime().addShutdownHook(onExit);
    CompletableFuture<Void> late =
        CompletableFuture.runAsync(
            process::destroyForcibly,
            CompletableFuture.delayedExecutor(limit.toMillis(), TimeUnit.MILLISECONDS));
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] fields = line.split("\t");
        if (kinds.contains(fields[0])) {
          printed.add(fields);
        }
      }
      int status = process.waitFor();
      if (late.isDone()) {
        throw new IOException(
            what + " was ended after " + limit.toSeconds() + " s, which is too long; see " + log);
      }
      if (status != 0) {
        throw new IOException(what + " failed; see " + log);
      }
    } finally {
      late.cancel(false);
      end(process);
      removeHook(onExit);
    }
    return printed;
  }

  /** Asks a process to end, and ends it if it has not done so in a while. */
  static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // The hook is running already, which is what it is for.
    }
  }
}
