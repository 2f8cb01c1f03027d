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
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A program that measures something and prints lines of fields with tabs between them. It ends with
 * this process at the latest. For one thread.
 */
final class MeasuringProgram implements AutoCloseable {
  /** Longer than any takes. */
  static final Duration LIMIT = Duration.ofHours(3);

  /** A program that is asked to end gets so long to do so. */
  private static final long SECONDS_TO_END = 10;

  private final String what;
  private final Path log;
  private final Set<String> kinds;
  private final Duration limit;
  private final Process process;
  private final BufferedReader lines;
  private final Writer requests;
  private final Thread onExit;
  private final CompletableFuture<Void> late;
  private volatile boolean isLate;

  /**
   * Starts one.
   *
   * @param what the program, as it is named if it fails
   * @param log what it says on its standard error is appended here
   * @param kinds first fields of the lines that are wanted
   * @param limit how long it may take
   */
  MeasuringProgram(String what, List<String> command, Path log, Set<String> kinds, Duration limit)
      throws IOException {
    this.what = what;
    this.log = log;
    this.kinds = kinds;
    this.limit = limit;
    process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    lines = process.inputReader();
    requests = process.outputWriter();
    onExit = new Thread(() -> end(process), "end-" + process.pid());
    Runtime.getRuntime().addShutdownHook(onExit);
    late =
        CompletableFuture.runAsync(
            () -> {
              isLate = true;
              process.destroyForcibly();
            },
            CompletableFuture.delayedExecutor(limit.toMillis(), TimeUnit.MILLISECONDS));
  }

  /**
   * Reads what it prints until it has answered, which a line says that is wanted by nobody.
   *
   * @return the fields of the lines that are wanted
   * @throws IOException if it ends before
   */
  List<String[]> awaitAnswer(String last) throws IOException, InterruptedException {
    List<String[]> printed = new ArrayList<>();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.equals(last)) {
        return printed;
      }
      addIfWanted(line, printed);
    }
    awaitEnd();
    throw new IOException(what + " ended before it was asked to; see " + log);
  }

  /** Writes a line to its standard input. */
  void ask(String request) throws IOException {
    requests.write(request + "\n");
    requests.flush();
  }

  /**
   * Tells it that there is no more to come, and reads what it prints until its end.
   *
   * @return the fields of the lines that are wanted
   * @throws IOException if it fails, or takes too long
   */
  List<String[]> finish() throws IOException, InterruptedException {
    requests.close();
    List<String[]> printed = new ArrayList<>();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      addIfWanted(line, printed);
    }
    awaitEnd();
    return printed;
  }

  private void addIfWanted(String line, List<String[]> printed) {
    String[] fields = line.split("\t");
    if (kinds.contains(fields[0])) {
      printed.add(fields);
    }
  }

  private void awaitEnd() throws IOException, InterruptedException {
    int status = process.waitFor();
    if (isLate) {
      throw new IOException(
          what + " was ended after " + limit.toSeconds() + " s, which is too long; see " + log);
    }
    if (status != 0) {
      throw new IOException(what + " failed; see " + log);
    }
  }

  /** Asks it to end, if it has not ended. */
  @Override
  public void close() {
    late.cancel(false);
    end(process);
    try {
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IllegalStateException shuttingDown) {
      // The hook is running already, which is what it is for.
    }
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
}
