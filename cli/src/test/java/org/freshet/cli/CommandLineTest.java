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

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandLineTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path dir;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "cluster",
        "cluster start",
        "cluster stop",
        "cluster status",
        "run",
        "fs",
        "index",
        "stat",
        "diff",
        "chunk",
        "backup",
        "backup serve",
        "backup put",
        "backup list",
        "backup restore",
        "backup verify",
        "backup similarity",
        "memo",
        "memo stats",
        "explain",
        "docs",
        "docs configuration",
        "quickstart",
        "bench"
      })
  void everyCommandExplainsItself(String command) {
    String[] arguments = (command + " --help").trim().split(" ");
    assertThat(execute(arguments)).isZero();
    assertThat(out.toString()).startsWith("Usage: freshet " + command.trim());
  }

  @Test
  void wrongUsageIsTwo() {
    assertThat(execute("cluster", "start", "--nodemanagers", "many")).isEqualTo(2);
    assertThat(err.toString()).contains("--nodemanagers");
  }

  @Test
  void whatFollowsTheJarBelongsToTheProgram() {
    assertThat(execute("run", "--local", dir.resolve("none.jar").toString(), "--help", "-x"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("none.jar").contains("freshet-examples");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aSizeThatCannotBeIsExplainedWithoutAStackTrace() {
    assertThat(execute("cluster", "start", "--dir", dir.toString(), "--datanodes", "99"))
        .isEqualTo(1);
    assertThat(err.toString()).startsWith("freshet: DataNodes: 99, expected 1 to 16");
  }

  @Test
  void statusOfNothingIsThree() {
    assertThat(execute("cluster", "status", "--dir", dir.toString())).isEqualTo(3);
    assertThat(out.toString()).contains("no cluster runs in " + dir);
  }

  @Test
  void stoppingNothingIsFine() {
    assertThat(execute("cluster", "stop", "--dir", dir.resolve("x").toString())).isZero();
    assertThat(dir).isEmptyDirectory();
  }

  private int execute(String... arguments) {
    CommandLine freshet = FreshetCommand.commandLine();
    freshet.setOut(new PrintWriter(out, true));
    freshet.setErr(new PrintWriter(err, true));
    return freshet.execute(arguments);
  }
}
