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
package org.freshet.shredder.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The probe runs to its end; its figures here are the stand-in's. */
@EnabledIf("org.freshet.shredder.cuda.StandIn#isThere")
class GpuProbeTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeAll
  static void loadDriver() throws Exception {
    StandIn.load();
  }

  @AfterEach
  void noDevice() {
    StandIn.plan();
  }

  private int run(String... arguments) throws IOException {
    return GpuProbe.run(
        arguments,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  @Test
  void measuresEveryFigureAndChecksIdentity(@TempDir Path directory) throws Exception {
    List<String> openBefore = StandIn.open();
    StandIn.plan("devices 1");
    Path json = directory.resolve("gpu.json");

    int exit = run("--json", json.toString(), "--bytes", "300000", "--most-buffer", "262144");

    assertThat(exit).as(err.toString(StandardCharsets.UTF_8)).isZero();
    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(text).contains("devices cut as the processor does: true");
    String figures = Files.readString(json);
    for (String name :
        new String[] {
          "figure 3.3",
          "figure 3.5",
          "figure 3.6",
          "figure 3.9 rabin",
          "figure 3.9 gear",
          "figure 3.11 rabin",
          "figure 3.11 gear",
          "figure 3.12 rabin",
          "figure 3.12 gear",
          "table 3.2",
        }) {
      assertThat(figures).contains("\"" + name + "\": [\n    {\"");
    }
    StandIn.assertNothingElseOpen(openBefore);
  }

  @Test
  void saysWhyThereAreNoFigures() throws Exception {
    StandIn.plan("devices 0");

    assertThat(run("--bytes", "1000", "--most-buffer", "262144")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("No figures: no device\n");
  }

  @Test
  void refusesArgumentsThatItDoesNotKnow() throws Exception {
    assertThat(run("--buffers", "9")).isEqualTo(2);
    assertThat(run("--bytes", "lots")).isEqualTo(2);
    assertThat(run("--most-buffer", "1")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("--buffers", "not lots", "from 262144 to 268435456");
  }
}
