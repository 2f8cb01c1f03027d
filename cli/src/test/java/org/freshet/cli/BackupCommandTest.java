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
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.freshet.cli.backup.BackupServer;
import org.freshet.cli.backup.store.BackupStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class BackupCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path dir;
  private BackupStore store;
  private BackupServer server;
  private Path file;

  @BeforeEach
  void serve() throws Exception {
    store = BackupStore.open(dir.resolve("store"));
    server = BackupServer.start(store, 0, line -> {});
    byte[] content = new byte[200_000];
    new SplittableRandom(5).nextBytes(content);
    file = Files.write(dir.resolve("disk.img"), content);
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    store.close();
  }

  @Test
  void whatIsPutIsListedVerifiedAndRestored() throws Exception {
    assertThat(execute("put", "disk", file.toString(), "--average", "4K")).isZero();
    assertThat(out.toString()).contains("disk number 1: 200 kB");
    assertThat(execute("put", "disk", file.toString(), "--average", "4K")).isZero();
    assertThat(out.toString()).contains("disk number 2: 200 kB").contains("sent 0 of them");
    assertThat(execute("verify")).isZero();
    assertThat(out.toString()).contains("2 images and");
    Path copy = dir.resolve("copy.img");
    assertThat(execute("restore", "disk", copy.toString(), "--number", "1")).isZero();
    assertThat(copy).hasSameBinaryContentAs(file);
    out.getBuffer().setLength(0);
    assertThat(execute("list", "--json")).isZero();
    JsonNode list = new ObjectMapper().readTree(out.toString());
    assertThat(list).hasSize(2);
    assertThat(list.path(1).path("sequence").asInt()).isEqualTo(2);
    assertThat(list.path(0).path("id")).isEqualTo(list.path(1).path("id"));
  }

  @Test
  void aFileThatIsThereIsReplacedOnlyIfTheUserSaysSo() throws Exception {
    assertThat(execute("put", "disk", file.toString())).isZero();
    Path there = Files.writeString(dir.resolve("there"), "mine");
    assertThat(execute("restore", "disk", there.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--force");
    assertThat(there).hasContent("mine");
    assertThat(execute("restore", "disk", there.toString(), "--force")).isZero();
    assertThat(there).hasSameBinaryContentAs(file);
  }

  @Test
  void aRestoreThatFailsLeavesNoFile() throws Exception {
    assertThat(execute("restore", "none", dir.resolve("copy").toString())).isEqualTo(1);
    assertThat(err.toString()).contains("freshet: there is no image 'none'");
    try (var files = Files.list(dir)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrder("store", "disk.img");
    }
  }

  @Test
  void damageFailsVerification() throws Exception {
    assertThat(execute("put", "disk", file.toString())).isZero();
    Path pack = dir.resolve("store/packs/00000001.pack");
    byte[] bytes = Files.readAllBytes(pack);
    bytes[bytes.length / 2] ^= 1;
    Files.write(pack, bytes);
    assertThat(execute("verify")).isEqualTo(1);
    assertThat(err.toString()).contains("is damaged in").contains("lacks 1 of");
  }

  @Test
  void whoTalksToNobodyIsToldHowToStartAServer() throws Exception {
    int port = server.port();
    server.close();
    assertThat(run("backup", "list", "--port", Integer.toString(port))).isEqualTo(1);
    assertThat(err.toString()).contains("freshet backup serve");
  }

  @Test
  void aChunkLongerThanTheServerTakesIsExplained() throws Exception {
    Files.write(file, new byte[17 << 20]);
    assertThat(execute("put", "zeros", file.toString(), "--mask-bits", "20", "--marker", "1"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("set a lower maximum");
  }

  @Test
  void similarityShowsALineForEachShare() {
    assertThat(
            run(
                "backup",
                "similarity",
                "--size",
                "1M",
                "--segment",
                "16K",
                "--replaced",
                "0,50",
                "--average",
                "1K"))
        .isZero();
    assertThat(out.toString()).contains("  50.0 %").contains(" 100.0 %").contains("   0.0 %");
  }

  private int execute(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of("backup", command));
    all.addAll(List.of("--port", Integer.toString(server.port())));
    all.addAll(List.of(arguments));
    return run(all.toArray(String[]::new));
  }

  private int run(String... arguments) {
    CommandLine freshet = FreshetCommand.commandLine();
    freshet.setOut(new PrintWriter(out, true));
    freshet.setErr(new PrintWriter(err, true));
    return freshet.execute(arguments);
  }
}
