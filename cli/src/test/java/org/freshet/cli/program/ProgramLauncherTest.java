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
package org.freshet.cli.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramLauncherTest {
  @TempDir private Path dir;

  @Test
  void runsAStockJobOnTheLocalJobRunnerAndReportsItsCounters() throws Exception {
    Path input = Files.createDirectories(dir.resolve("input"));
    Files.writeString(input.resolve("a.txt"), "b a\na c\n");
    ProgramResult result = wordCount(input, dir.resolve("output"));
    assertThat(result.exitCode()).as(result.tail(20)).isZero();
    assertThat(Files.readString(dir.resolve("output/part-r-00000")))
        .isEqualTo("a\t2\nb\t1\nc\t1\n");
    assertThat(result.jobs()).hasSize(1);
    assertThat(result.jobs().get(0).value("Map-Reduce Framework", "Map input records"))
        .isEqualTo(2);
    assertThat(result.wall()).isPositive();
  }

  @Test
  void theExitCodeIsTheProgramsOwn() throws Exception {
    ProgramResult result = wordCount(dir.resolve("none"), dir.resolve("output"));
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.tail(40)).contains("Input path does not exist");
  }

  private static ProgramResult wordCount(Path input, Path output) throws Exception {
    Installation installation = Installation.find();
    return new ProgramLauncher(installation)
        .capture(
            new Program(
                true,
                Optional.empty(),
                Map.of(),
                List.of("-Xmx256m"),
                installation.stockExamples(),
                List.of("wordcount", input.toString(), output.toString())));
  }
}
