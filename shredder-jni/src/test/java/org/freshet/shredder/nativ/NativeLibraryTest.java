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
package org.freshet.shredder.nativ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.Backends;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NeedsNative
class NativeLibraryTest {
  @TempDir Path directory;

  /** What other JVMs run: prints what the native backend says of itself. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] args) {
      System.out.println(Backends.probe().get("native"));
    }
  }

  @Test
  void jvmsLoadItAtTheSameTimeAndLeaveNothingBehind() throws Exception {
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      processes.add(start("-Dshredder.native.directory=" + directory));
    }
    for (Process process : processes) {
      assertThat(output(process)).startsWith("native: ");
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aDirectoryThatCannotBeUsedIsNamedInTheReason() throws Exception {
    Path missing = directory.resolve("missing");
    assertThat(output(start("-Dshredder.native.directory=" + missing)))
        .contains(missing.toString())
        .contains("shredder.native.directory");
  }

  @Test
  void instructionsCanBeLimited() throws Exception {
    assertThat(output(start("-Dshredder.native.level=scalar"))).startsWith("native: scalar");
    assertThat(output(start("-Dshredder.native.level=mmx")))
        .contains("scalar, avx2 or avx512, not mmx");
  }

  @Test
  void levelsAreThoseThatTheBackendOpensWith() throws Exception {
    List<String> levels = NativeBackendProvider.levels();
    assertThat(levels).startsWith("scalar").doesNotHaveDuplicates();
    for (InstructionLevel level : InstructionLevel.values()) {
      if (levels.contains(level.name().toLowerCase(Locale.ROOT))) {
        assertThat(new NativeBackend(level).name()).isEqualTo("native");
      } else {
        assertThatThrownBy(() -> new NativeBackend(level))
            .isInstanceOf(BackendUnavailableException.class);
      }
    }
  }

  @Test
  void aFileThatIsNotWhatTheBuildMadeIsRefused() throws IOException {
    Path file = Files.writeString(directory.resolve("libshredder.so"), "tampered with");
    assertThatThrownBy(() -> NativeLibrary.requireDigest(file, "0".repeat(64)))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("0".repeat(64));
  }

  /** One bit of it is another; what the build has put beside it is not. */
  @Test
  void aLibraryThatWasTamperedWithIsNotLoaded() throws Exception {
    String name =
        "META-INF/native/"
            + NativeLibrary.platform(System.getProperty("os.name"), System.getProperty("os.arch"))
            + "/libshredder.so";
    byte[] library;
    try (InputStream in = NativeLibrary.class.getResourceAsStream("/" + name)) {
      library = in.readAllBytes();
    }
    library[library.length - 1] ^= 1;
    Path classes = directory.resolve("classes");
    Path other = classes.resolve(name);
    Files.createDirectories(other.getParent());
    Files.write(other, library);
    Path loaded = Files.createDirectory(directory.resolve("loaded"));

    String said =
        output(
            start(
                "-Dshredder.native.directory=" + loaded,
                classes + File.pathSeparator + System.getProperty("java.class.path")));

    assertThat(said).contains("libshredder.so has the SHA-256 digest ").contains(" instead of ");
    try (Stream<Path> left = Files.list(loaded)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void platformsAreNamedAsTheBuildNamesThem() {
    assertThat(NativeLibrary.platform("Linux", "amd64")).isEqualTo("linux-x86_64");
    assertThat(NativeLibrary.platform("Linux", "aarch64")).isEqualTo("linux-aarch64");
    assertThat(NativeLibrary.platform("Mac OS X", "aarch64")).isEqualTo("mac-os-x-aarch64");
  }

  private static Process start(String option) throws IOException {
    return start(option, System.getProperty("java.class.path"));
  }

  private static Process start(String option, String classPath) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            option,
            "-cp",
            classPath,
            Probe.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static String output(Process process) throws Exception {
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.strip();
  }
}
