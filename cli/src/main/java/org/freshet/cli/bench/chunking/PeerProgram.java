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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.freshet.cli.bench.Samples;
import org.freshet.cli.program.Installation;

/**
 * Published chunkers, in a program of their own that Cargo builds from {@code cli/src/main/rust}.
 */
final class PeerProgram {
  /** A chunker as the program knows it. */
  enum Peer {
    FASTCDC("fastcdc", "fastcdc 5.0.0 (Rust crate, v2020)"),
    GEARHASH("gearhash", "gearhash 0.1.4 (Rust crate)");

    private final String argument;
    private final String title;

    Peer(String argument, String title) {
      this.argument = argument;
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  private final Path program;

  private PeerProgram(Path program) {
    this.program = program;
  }

  /**
   * Builds the program.
   *
   * @param directory where Cargo may write
   * @param progress told why there is none
   * @return empty if there is no Cargo, or it cannot get the crates
   */
  static Optional<PeerProgram> build(
      Installation installation, Path directory, Consumer<String> progress)
      throws IOException, InterruptedException {
    Path log = directory.resolve("cargo.log");
    ProcessBuilder cargo =
        new ProcessBuilder(
                "cargo",
                "build",
                "--release",
                "--locked",
                "--manifest-path",
                installation.root().resolve("cli/src/main/rust/peers/Cargo.toml").toString(),
                "--target-dir",
                directory.resolve("cargo").toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    // The peers get what this processor has, as the native backend does.
    cargo.environment().put("RUSTFLAGS", "-C target-cpu=native");
    try {
      if (cargo.start().waitFor() != 0) {
        List<String> lines = Files.readAllLines(log);
        progress.accept(
            "No Rust peers: Cargo could not build them: "
                + (lines.isEmpty() ? "" : lines.get(lines.size() - 1)));
        return Optional.empty();
      }
    } catch (IOException e) {
      progress.accept(
          "No Rust peers: no cargo found; 'apt-get install cargo' or rustup.rs brings one");
      return Optional.empty();
    }
    return Optional.of(new PeerProgram(directory.resolve("cargo/release/chunking-peers")));
  }

  /** Speed over a file's content in memory, on one thread, one sample a pass. */
  Samples gigabytesPerSecond(Peer peer, Path file, int seconds)
      throws IOException, InterruptedException {
    String[] rates = run("speed", peer, file, Integer.toString(seconds)).split("\\s+");
    return Samples.of(
        Arrays.stream(rates).mapToDouble(rate -> Double.parseDouble(rate) / 1e9).toArray());
  }

  /** Where it cuts a file: the end of each chunk. */
  List<Long> cuts(Peer peer, Path file) throws IOException, InterruptedException {
    return run("cuts", peer, file).lines().map(Long::valueOf).toList();
  }

  private String run(String command, Peer peer, Path file, String... more)
      throws IOException, InterruptedException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                program.toString(),
                command,
                peer.argument,
                file.toString(),
                Integer.toString(Rules.MIN),
                Integer.toString(Rules.AVERAGE),
                Integer.toString(Rules.MAX)));
    arguments.addAll(List.of(more));
    Process process =
        new ProcessBuilder(arguments).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", arguments) + " failed");
    }
    return output;
  }
}
