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
package org.freshet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code freshet put} does with its arguments; UploaderTest has the copying. */
class PutCommandTest {
  @TempDir private Path dir;
  private Path source;
  private String out;
  private String err;

  @BeforeEach
  void writeSource() throws IOException {
    source = Files.createDirectories(dir.resolve("from/deep")).getParent();
    Files.writeString(source.resolve("a.txt"), "some text\n".repeat(1000));
    Files.writeString(source.resolve("deep/b.txt"), "other text\n".repeat(1000));
    Files.writeString(source.resolve("empty"), "");
  }

  @Test
  void aFileBecomesTheTargetOrGoesIntoIt() throws IOException {
    Path a = source.resolve("a.txt");
    assertThat(put(a, dir.resolve("new/copy"))).as(err).isZero();
    assertThat(dir.resolve("new/copy")).hasSameBinaryContentAs(a);
    assertThat(out).contains("1 files:").contains("0 failed; 10.0 kB in");

    Path into = Files.createDirectory(dir.resolve("into"));
    assertThat(put(a, into)).as(err).isZero();
    assertThat(into.resolve("a.txt")).hasSameBinaryContentAs(a);
  }

  @Test
  void directoriesGoWithAllThatIsBelow() throws IOException {
    assertThat(put("--verbose", source, dir.resolve("to"))).as(err).isZero();
    for (String file : List.of("a.txt", "deep/b.txt", "empty")) {
      assertThat(dir.resolve("to").resolve(file)).hasSameBinaryContentAs(source.resolve(file));
      assertThat(out).containsPattern("/to/" + file + ": \\d+ bytes, \\d+ chunks");
    }
    assertThat(out).contains("3 files:").contains("0 failed");
  }

  @Test
  void whatIsThereStaysUnlessToldOtherwise() throws IOException {
    Path into = Files.createDirectory(dir.resolve("into"));
    Path there = Files.writeString(into.resolve("a.txt"), "there before");
    assertThat(put(source.resolve("a.txt"), source.resolve("deep/b.txt"), into)).isEqualTo(1);
    assertThat(err).contains("a.txt: is there already; -f replaces it");
    assertThat(there).hasContent("there before");
    assertThat(into.resolve("b.txt")).hasSameBinaryContentAs(source.resolve("deep/b.txt"));

    assertThat(put("-f", source.resolve("a.txt"), into)).as(err).isZero();
    assertThat(there).hasSameBinaryContentAs(source.resolve("a.txt"));
  }

  @Test
  void whatCannotBeCopiedIsNamedAndTheRestCopied() throws IOException {
    Path into = Files.createDirectory(dir.resolve("into"));
    assertThat(put(dir.resolve("none"), source.resolve("a.txt"), into)).isEqualTo(1);
    assertThat(err).contains("freshet: " + dir.resolve("none") + ": no such file or directory");
    assertThat(into.resolve("a.txt")).hasSameBinaryContentAs(source.resolve("a.txt"));

    Path file = dir.resolve("file");
    Files.writeString(file, "a file");
    assertThat(put(source.resolve("a.txt"), source.resolve("empty"), file)).isEqualTo(1);
    assertThat(err).contains("is a file, expected a directory for several sources");
    assertThat(put(source.resolve("a.txt"), file.resolve("below"))).isEqualTo(1);
    assertThat(err).contains("a.txt: ");
    assertThat(file).hasContent("a file");
  }

  @Test
  void oneOfTwoFilesOfTheSameNameIsCopiedAndTheOtherNamed() throws IOException {
    Path into = Files.createDirectory(dir.resolve("into"));
    Path same = Files.writeString(Files.createDirectory(dir.resolve("b")).resolve("a.txt"), "b");
    assertThat(put(source.resolve("a.txt"), same, into)).isEqualTo(1);
    assertThat(err).contains(same + ": another file is copied to ");
    assertThat(into.resolve("a.txt")).hasSameBinaryContentAs(source.resolve("a.txt"));
  }

  @Test
  void linksAreFollowed() throws IOException {
    Path link = Files.createSymbolicLink(dir.resolve("link"), source);
    assertThat(put(link, dir.resolve("to"))).as(err).isZero();
    assertThat(dir.resolve("to/deep/b.txt")).hasSameBinaryContentAs(source.resolve("deep/b.txt"));

    Files.createSymbolicLink(source.resolve("gone"), dir.resolve("nowhere"));
    assertThat(put(link, dir.resolve("again"))).isEqualTo(1);
    assertThat(err).contains("gone: is neither a file nor a directory");
  }

  @Test
  void wrongUsageIsExplained() {
    assertThat(put(source)).isEqualTo(2);
    assertThat(err).contains("PATH");
    assertThat(put("--threads=0", source, dir.resolve("to"))).isEqualTo(2);
    assertThat(err).contains("--threads is 0, expected at least 1");
  }

  private int put(Object... arguments) {
    List<String> all = new ArrayList<>(List.of("put", "--local"));
    all.add("-Dfreshet.chunk.average.bytes=1k");
    Stream.of(arguments).map(Object::toString).forEach(all::add);
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    CommandLine freshet = FreshetCommand.commandLine();
    freshet.setOut(new PrintWriter(outText));
    freshet.setErr(new PrintWriter(errText));
    int exitCode = freshet.execute(all.toArray(String[]::new));
    out = outText.toString();
    err = errText.toString();
    return exitCode;
  }
}
