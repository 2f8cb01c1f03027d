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
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ChunkCommandTest {
  private static final Pattern LINE = Pattern.compile(" *(\\d+) +(\\d+)(?:  ([0-9a-f]{64}))?");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path dir;
  private Path file;
  private byte[] content;

  @BeforeEach
  void writeFile() throws Exception {
    byte[] half = new byte[50_000];
    new SplittableRandom(8).nextBytes(half);
    content = Arrays.copyOf(half, 100_000);
    System.arraycopy(half, 0, content, 50_000, 50_000);
    file = Files.write(dir.resolve("file"), content);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--average 1K",
        "--rule rabin --average 2K",
        "--rule RABIN --window 64 --mask-bits 9 --marker 0x78 --polynomial 3DA3358B4DC173",
        "--mask-bits 10 --marker 3 --min 100 --max 4K",
        "--backend java --threads 1",
        "--record 100 --header 7",
        "--delimiter \\x00\\n"
      })
  void everyByteIsInOneChunkWithItsDigest(String options) throws Exception {
    assertThat(execute(options, file.toString())).as(err.toString()).isZero();
    List<long[]> chunks = chunks(true);
    long end = 0;
    for (long[] chunk : chunks) {
      assertThat(chunk[0]).isEqualTo(end);
      end += chunk[1];
    }
    assertThat(end).isEqualTo(content.length);
    assertThat(out.toString())
        .contains("100 kB in " + chunks.size() + " chunks")
        .contains("duplicates");
  }

  @Test
  void contentThatRepeatsIsCounted() throws Exception {
    assertThat(execute("--average 1K --json", file.toString())).isZero();
    JsonNode total = json().path("total");
    assertThat(total.path("bytes").asLong()).isEqualTo(content.length);
    // All of the second half but the chunks at its edges.
    assertThat(total.path("duplicateBytes").asLong()).isBetween(40_000L, 50_000L);
  }

  @Test
  void jsonSaysWhatTheTextSays() throws Exception {
    assertThat(execute("--average 1K", file.toString())).isZero();
    List<long[]> expected = chunks(true);
    out.getBuffer().setLength(0);
    assertThat(execute("--average 1K --json", file.toString())).isZero();
    JsonNode json = json();
    assertThat(json.path("config").asText()).startsWith("gear64-1/min=512,avg=1024,max=4096");
    assertThat(json.path("backend").asText()).isNotEmpty();
    JsonNode one = json.path("files").path(0);
    assertThat(one.path("file").asText()).isEqualTo(file.toString());
    assertThat(one.path("chunks")).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      JsonNode chunk = one.path("chunks").path(i);
      assertThat(chunk.path("offset").asLong()).isEqualTo(expected.get(i)[0]);
      assertThat(chunk.path("length").asLong()).isEqualTo(expected.get(i)[1]);
      assertThat(chunk.path("sha256").asText()).hasSize(64);
    }
    assertThat(one.path("statistics").path("chunks").asInt()).isEqualTo(expected.size());
    assertThat(json.path("total")).isEqualTo(one.path("statistics"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"java", "auto"})
  void blake3NamesChunksIfItIsAskedFor(String backend) throws Exception {
    byte[] pattern = new byte[1024];
    for (int i = 0; i < pattern.length; i++) {
      pattern[i] = (byte) (i % 251);
    }
    Files.write(file, pattern);

    assertThat(execute("--digest BLAKE3 --json --backend " + backend, file.toString())).isZero();

    JsonNode json = json();
    assertThat(json.path("config").asText()).endsWith("/blake3");
    JsonNode chunk = json.path("files").path(0).path("chunks").path(0);
    // That of the published test vectors.
    assertThat(chunk.path("blake3").asText())
        .isEqualTo("42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7");
    assertThat(chunk.has("sha256")).isFalse();
  }

  @Test
  void withoutDigestsTheCutsAreTheSame() throws Exception {
    assertThat(execute("--average 1K", file.toString())).isZero();
    List<long[]> expected = chunks(true);
    out.getBuffer().setLength(0);
    assertThat(execute("--average 1K --no-digest", file.toString())).isZero();
    assertThat(chunks(false)).usingRecursiveComparison().isEqualTo(expected);
    assertThat(out.toString()).doesNotContain("duplicates");
  }

  @Test
  void standardInputIsCutLikeAFile() throws Exception {
    assertThat(execute("--average 1K", file.toString())).isZero();
    List<long[]> expected = chunks(true);
    out.getBuffer().setLength(0);
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream(content));
      assertThat(execute("--average 1K --threads 2", "-")).isZero();
    } finally {
      System.setIn(before);
    }
    assertThat(chunks(true)).usingRecursiveComparison().isEqualTo(expected);
  }

  @Test
  void chunksOfLinesAreWholeLines() throws Exception {
    StringBuilder lines = new StringBuilder();
    SplittableRandom random = new SplittableRandom(4);
    while (lines.length() < content.length) {
      lines.append(Long.toString(random.nextLong(), 36).repeat(1 + random.nextInt(5))).append('\n');
    }
    content = lines.toString().getBytes(StandardCharsets.US_ASCII);
    Files.write(file, content);
    assertThat(execute("--average 512 --lines", file.toString())).isZero();
    List<long[]> chunks = chunks(true);
    assertThat(chunks).hasSizeGreaterThan(50);
    for (long[] chunk : chunks) {
      assertThat(content[(int) (chunk[0] + chunk[1] - 1)]).isEqualTo((byte) '\n');
    }
  }

  @Test
  void aFileThatCannotBeReadFailsTheCommandAndNotTheOtherFiles() throws Exception {
    assertThat(
            execute(
                "--summary",
                dir.resolve("none").toString(),
                file.toString(),
                dir.toString(),
                file.toString()))
        .isEqualTo(1);
    assertThat(err.toString())
        .contains("none: no such file")
        .contains(dir + ": is a directory, expected a file");
    assertThat(out.toString()).contains("all: 200 kB");
    assertThat(out.toString().lines()).noneMatch(line -> LINE.matcher(line).matches());
  }

  /** What is read only after a while, or fails then, has been shown up to there. */
  @ParameterizedTest
  @ValueSource(strings = {"", "--json"})
  void chunksAreShownAsTheyAreFound(String options) throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    InputStream failing =
        new InputStream() {
          private int read;

          @Override
          public int read() {
            throw new UnsupportedOperationException("Nobody reads single bytes");
          }

          @Override
          public int read(byte[] bytes, int from, int count) throws IOException {
            if (read > 8 << 20) {
              assertThat(out.toString().lines()).hasSizeGreaterThan(1000);
              throw new IOException("disk on fire");
            }
            byte[] next = new byte[count];
            random.nextBytes(next);
            System.arraycopy(next, 0, bytes, from, count);
            read += count;
            return count;
          }
        };
    InputStream before = System.in;
    try {
      System.setIn(failing);
      assertThat(execute("--average 1K --threads 1 " + options, "-", file.toString())).isEqualTo(1);
    } finally {
      System.setIn(before);
    }
    assertThat(err.toString()).contains("-: disk on fire");
    if (options.equals("--json")) {
      JsonNode files = json().path("files");
      assertThat(files).hasSize(2);
      assertThat(files.path(0).path("error").asText()).isEqualTo("disk on fire");
      assertThat(files.path(0).path("chunks")).hasSizeGreaterThan(1000);
      assertThat(files.path(0).has("statistics")).isFalse();
      assertThat(files.path(1).path("statistics").path("bytes").asInt()).isEqualTo(content.length);
      assertThat(json().path("total").path("bytes").asInt()).isEqualTo(content.length);
    } else {
      assertThat(out.toString()).contains("all: 100 kB");
    }
  }

  /** 300 000 chunks in a heap that has no room for so many objects. */
  @Test
  void chunksDoNotStayInMemory() throws Exception {
    byte[] random = new byte[1 << 20];
    try (OutputStream many = Files.newOutputStream(file)) {
      SplittableRandom bytes = new SplittableRandom(6);
      for (int i = 0; i < 19; i++) {
        bytes.nextBytes(random);
        many.write(random);
      }
    }
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx48m",
            "-cp",
            System.getProperty("java.class.path"),
            FreshetCommand.class.getName(),
            "chunk",
            "--summary",
            "--average",
            "64",
            file.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output).containsPattern("in [23]\\d{5} chunks");
  }

  @Test
  void anEmptyFileHasNoChunks() throws Exception {
    Files.write(file, new byte[0]);
    assertThat(execute("--json", file.toString())).isZero();
    assertThat(json().path("files").path(0).path("chunks")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "--average 1, averageSize",
    "--average 1K --mask-bits 10, averageSize and maskBits",
    "--average 4X, 4X",
    "--mask-bits 49, 48",
    "--min 9K, minSize",
    "--min 2K --average 8K --rule rabin, power of two",
    "--rule rabin --polynomial 3DA3358B4DC172, irreducible",
    "--window 48, --rule rabin",
    "--lines --record 5, exclude",
    "--header 5, --record",
    "--delimiter \\q, escape",
    "--delimiter \\x4, escape",
    "--backend abacus, abacus",
    "--rule fixed, gear",
    "--digest md5, blake3",
    "--threads 0, at least 1",
    "--marker 5, maskBits"
  })
  void whatCannotBeIsExplained(String options, String reason) {
    assertThat(execute(options, file.toString())).isEqualTo(2);
    assertThat(err.toString().toLowerCase(Locale.ROOT)).contains(reason.toLowerCase(Locale.ROOT));
    assertThat(out.toString()).isEmpty();
  }

  private JsonNode json() throws Exception {
    return new ObjectMapper().readTree(out.toString());
  }

  /** Offsets and lengths printed; where there are digests they are compared. */
  private List<long[]> chunks(boolean digested) throws Exception {
    List<long[]> chunks = new ArrayList<>();
    for (String line : out.toString().lines().toList()) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches()) {
        long[] chunk = {Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))};
        byte[] bytes = Arrays.copyOfRange(content, (int) chunk[0], (int) (chunk[0] + chunk[1]));
        assertThat(matcher.group(3)).isEqualTo(digested ? sha256(bytes) : null);
        chunks.add(chunk);
      }
    }
    return chunks;
  }

  private static String sha256(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private int execute(String options, String... files) {
    List<String> arguments = new ArrayList<>(List.of("chunk"));
    Arrays.stream(options.split(" ")).filter(o -> !o.isEmpty()).forEach(arguments::add);
    arguments.addAll(List.of(files));
    CommandLine freshet = FreshetCommand.commandLine();
    freshet.setOut(new PrintWriter(out, true));
    freshet.setErr(new PrintWriter(err, true));
    return freshet.execute(arguments.toArray(String[]::new));
  }
}
