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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands that make, show and compare chunk indexes. */
class IndexCommandTest {
  private static final int FILES = 5;

  @TempDir private Path dir;
  private Path input;
  private Path place;
  private String out;
  private String err;

  @BeforeEach
  void writeInput() throws IOException {
    input = Files.createDirectories(dir.resolve("in/deep")).getParent();
    place = dir.resolve("indexes");
    for (int i = 0; i < FILES; i++) {
      Files.write(input.resolve(i % 2 == 0 ? "part-" + i : "deep/part-" + i), lines(i));
    }
    Files.writeString(input.resolve("empty"), "");
    Files.writeString(input.resolve("_SUCCESS"), "hidden from jobs");
  }

  private static List<String> lines(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      lines.add(Long.toString(random.nextLong(), 36) + " is line " + i);
    }
    return lines;
  }

  private List<Path> indexes() throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void everyFileIsReadOnceAndNotAgain() throws IOException {
    assertThat(execute("index", input)).as(err).isZero();
    assertThat(out)
        .contains("6 files: 5 indexed, 0 known, 1 empty, 0 failed;")
        .contains("gear64-1/min=512,avg=1024,max=4096");
    assertThat(indexes()).hasSize(FILES);

    assertThat(execute("index --verbose", input)).isZero();
    assertThat(out)
        .contains("6 files: 0 indexed, 5 known, 1 empty, 0 failed;")
        .containsPattern("part-3: known, [1-9]\\d* chunks")
        .contains("read 0 bytes");

    Files.write(input.resolve("part-2"), lines(99));
    assertThat(execute("index", input)).isZero();
    assertThat(out).contains("6 files: 1 indexed, 4 known, 1 empty, 0 failed;");
    assertThat(indexes()).hasSize(FILES);
  }

  @Test
  void whatIsNotThereFailsTheCommandAndNotTheOtherFiles() throws IOException {
    assertThat(execute("index", input.resolve("part-0"), dir.resolve("none"))).isEqualTo(1);
    assertThat(err).contains("freshet: file:" + dir.resolve("none") + ": no such file");
    assertThat(indexes()).hasSize(1);
  }

  @Test
  void anIndexThatCannotBeKeptIsATrouble() throws IOException {
    Files.writeString(place, "a file where a directory should be");
    assertThat(execute("index", input.resolve("part-0"))).isEqualTo(1);
    assertThat(err).contains("part-0: no index is kept: it cannot be written");
  }

  @Test
  void checkComparesContentWithIndexes() throws IOException {
    assertThat(execute("index --check", input)).isEqualTo(1);
    assertThat(err).contains("part-0: no index: there is none");
    execute("index", input);
    assertThat(execute("index --check", input)).as(err).isZero();
    assertThat(out).contains("6 files: 5 as their indexes say, 1 empty, 0 not;");
    // Cut by another rule, the content is still what the index says.
    assertThat(execute("index --check -D freshet.chunk.average.bytes=2k", input)).isZero();
    assertThat(execute("index -D freshet.chunk.average.bytes=2k", input)).isZero();
    assertThat(out).contains("5 indexed, 0 known");
    Files.write(input.resolve("part-2"), lines(98));
    assertThat(execute("index --check", input)).isEqualTo(1);
    assertThat(err).contains("part-2: no index: the file has changed since");
  }

  @Test
  void collectDeletesWhatIsStale() throws IOException {
    execute("index", input);
    Files.delete(input.resolve("part-0"));
    Files.write(input.resolve("part-2"), lines(97));
    assertThat(execute("index --collect", input)).isZero();
    assertThat(out).contains(place + ": 2 indexes deleted").contains("3 kept, 0 undecided");
    assertThat(indexes()).hasSize(3);
  }

  @Test
  void aJobIndexesWhatACommandWould() throws IOException {
    execute("index", input.resolve("part-0"));
    String small = "index --job -D freshet.index.job.split.bytes=10000 -D hadoop.tmp.dir=";
    assertThat(execute(small + dir.resolve("tmp"), input)).as(err).isZero();
    assertThat(err).contains("job job_local");
    assertThat(out).contains("6 files: 4 indexed, 1 known, 1 empty, 0 failed;");
    assertThat(indexes()).hasSize(FILES);
    assertThat(execute("index --check", input)).as(err).isZero();

    assertThat(execute(small + dir.resolve("tmp"), input)).isZero();
    assertThat(out).contains("0 indexed, 5 known, 1 empty").contains("read 0 bytes");
  }

  @Test
  void wrongUsageIsExplained() throws IOException {
    assertThat(execute("index --check --collect", input)).isEqualTo(2);
    assertThat(err).contains("--check, --collect and --job exclude each other");
    assertThat(execute("index --threads 0", input)).isEqualTo(2);
    assertThat(execute("index -D freshet.index.dir=relative", input)).isEqualTo(1);
    assertThat(err).contains("freshet.index.dir").contains("an absolute path");
  }

  @Test
  void statShowsTheIndexOrWhyThereIsNone() throws Exception {
    Path file = input.resolve("part-0");
    assertThat(execute("stat", file)).isZero();
    assertThat(out)
        .contains("length   " + Files.size(file) + " bytes")
        .contains("index    no: there is none (file:" + place);
    execute("index", input);
    assertThat(execute("stat", file)).isZero();
    assertThat(out)
        .contains("index    file:" + place)
        .contains("of version inode:")
        .contains("cut by gear64-1/min=512,avg=1024,max=4096")
        .containsPattern("chunks   \\d\\d; least \\d+, mean \\d+, greatest \\d+ bytes");

    assertThat(execute("stat --chunks --json", file)).isZero();
    JsonNode json = new ObjectMapper().readTree(out).path(0);
    assertThat(json.path("length").asLong()).isEqualTo(Files.size(file));
    long end = 0;
    for (JsonNode chunk : json.path("index").path("entries")) {
      assertThat(chunk.path("offset").asLong()).isEqualTo(end);
      end += chunk.path("length").asLong();
      assertThat(chunk.path("sha256").asText()).hasSize(64);
    }
    assertThat(end).isEqualTo(Files.size(file));
    assertThat(json.path("index").has("missing")).isFalse();
    assertThat(execute("stat", input)).isEqualTo(1);
    assertThat(err).contains("is a directory, expected a file");
  }

  @Test
  void diffShowsWhatChanged() throws Exception {
    Path old = input.resolve("part-0");
    Path changed = Files.createDirectory(dir.resolve("new")).resolve("part-0");
    List<String> lines = new ArrayList<>(Files.readAllLines(old));
    lines.set(250, lines.get(250) + " changed");
    Files.write(changed, lines);

    assertThat(execute("diff", old, changed)).isEqualTo(3);
    assertThat(out)
        .containsPattern("(?m)^added    new \\d+ \\+ \\d+ bytes, [12] chunks$")
        .containsPattern("(?m)^removed  old \\d+ \\+ \\d+ bytes, [12] chunks$")
        .contains("moved: 0 bytes in 0 chunks")
        .contains("read " + (Files.size(old) + Files.size(changed)) + " bytes for it");
    String text = out;
    execute("index", old, changed);
    assertThat(execute("diff", old, changed)).isEqualTo(3);
    assertThat(out).contains("read 0 bytes for it");
    assertThat(out.lines().toList().subList(0, 6)).isEqualTo(text.lines().toList().subList(0, 6));

    assertThat(execute("diff --json", old, changed)).isEqualTo(3);
    JsonNode ranges = new ObjectMapper().readTree(out).path("ranges");
    assertThat(ranges.path(0).path("kind").asText()).isEqualTo("KEPT");
    assertThat(execute("diff", old, old)).isZero();
    assertThat(execute("diff", old, dir.resolve("none"))).isEqualTo(1);
  }

  @Test
  void aJobReadsNothingToFindTheChunksOfIndexedFiles() throws Exception {
    SmallJob job = new SmallJob(dir.resolve("job"));
    job.write(3);
    job.set("freshet.index.dir", place.toString());
    for (int i = 0; i < 3; i++) {
      Files.setLastModifiedTime(job.file(i), FileTime.fromMillis(1_600_000_000_000L));
    }
    assertThat(
            execute(
                "index -D freshet.chunk.average.bytes=512", job.file(0), job.file(1), job.file(2)))
        .isZero();

    assertThat(bytesDigested(job, job.run("out-1"))).isZero();
    job.set("freshet.index.dir", dir.resolve("elsewhere").toString());
    job.addWord(0, 3);
    assertThat(bytesDigested(job, job.run("out-2"))).isEqualTo(Files.size(job.file(0)));
  }

  private static long bytesDigested(SmallJob job, String id) throws IOException {
    CommandLine freshet = FreshetCommand.commandLine();
    StringWriter text = new StringWriter();
    freshet.setOut(new PrintWriter(text));
    assertThat(freshet.execute("explain", "--json", "--store", job.store().toUri().toString(), id))
        .isZero();
    JsonNode digested = new ObjectMapper().readTree(text.toString()).findValue("BYTES_DIGESTED");
    return digested == null ? 0 : digested.asLong();
  }

  private int execute(String command, Path... paths) {
    List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
    arguments.add("--local");
    if (!command.contains("freshet.index.dir")) {
      arguments.add("-Dfreshet.index.dir=" + place);
    }
    if (!command.contains("average")) {
      arguments.add("-Dfreshet.chunk.average.bytes=1k");
    }
    Stream.of(paths).map(Path::toString).forEach(arguments::add);
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    CommandLine freshet = FreshetCommand.commandLine();
    freshet.setOut(new PrintWriter(outText));
    freshet.setErr(new PrintWriter(errText));
    int exitCode = freshet.execute(arguments.toArray(String[]::new));
    out = outText.toString();
    err = errText.toString();
    return exitCode;
  }
}
