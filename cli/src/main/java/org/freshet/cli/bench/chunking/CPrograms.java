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
package org.freshet.cli.bench.chunking;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.freshet.cli.program.Installation;

/**
 * The benchmarks in C that stand beside the native backend: the inner loops without a JVM, and
 * chunkers from the literature that are there to be compared only. A script of theirs builds and
 * runs them.
 */
final class CPrograms {
  private static final String SEPARATOR = "\t";

  private final Path script;
  private final Consumer<String> progress;

  /**
   * @param progress told why a program does not run
   */
  CPrograms(Installation installation, Consumer<String> progress) {
    this.script = installation.root().resolve("shredder-jni/src/bench/run.sh");
    this.progress = progress;
  }

  /**
   * Speed of one inner loop.
   *
   * @param name what it does
   * @param level the instructions that it uses
   * @param gigabytesPerSecond the median of all rounds, of all threads together
   */
  record LoopSpeed(String name, String level, int threads, double gigabytesPerSecond) {}

  /**
   * What a chunker keeps of an edited text.
   *
   * @param meanChunk in bytes
   * @param reusedPercent of the edited text's bytes
   * @param gigabytesPerSecond in one thread, the best of some rounds
   */
  record ChunkerReuse(
      String name, double meanChunk, double reusedPercent, double gigabytesPerSecond) {}

  /** Every inner loop, measured for so many seconds each; none if there is no compiler. */
  List<LoopSpeed> loops(int megabytes, int seconds) throws InterruptedException {
    return run("chunking", Integer.toString(megabytes), Integer.toString(seconds))
        .map(
            lines ->
                lines.stream()
                    .map(
                        line ->
                            new LoopSpeed(
                                line[0],
                                line[1],
                                Integer.parseInt(line[2]),
                                Double.parseDouble(line[3])))
                    .toList())
        .orElse(List.of());
  }

  /** Every chunker on a text and its edited form; none if there is no compiler. */
  List<ChunkerReuse> reuse(Path before, Path after, int average) throws InterruptedException {
    return run("reuse", before.toString(), after.toString(), Integer.toString(average))
        .map(
            lines ->
                lines.stream()
                    .map(
                        line ->
                            new ChunkerReuse(
                                line[0],
                                Double.parseDouble(line[2]),
                                Double.parseDouble(line[4]),
                                Double.parseDouble(line[5])))
                    .toList())
        .orElse(List.of());
  }

  /** The lines that a program prints after its heading, by column. */
  private Optional<List<String[]>> run(String... arguments) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("sh", script.toString()));
    command.addAll(List.of(arguments));
    try {
      if (!Files.exists(script)) {
        throw new IOException(script + " is not there");
      }
      Path errors = Files.createTempFile("freshet-bench", ".log");
      try {
        Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        if (status != 0) {
          String why = Files.readString(errors).strip();
          throw new IOException(
              "it ended with status " + status + (why.isEmpty() ? "" : ": " + why));
        }
        return Optional.of(output.lines().skip(1).map(line -> line.split(SEPARATOR, -1)).toList());
      } finally {
        Files.deleteIfExists(errors);
      }
    } catch (IOException e) {
      progress.accept("No benchmark '" + arguments[0] + "' in C: " + e.getMessage());
      return Optional.empty();
    }
  }
}
