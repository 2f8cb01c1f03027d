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
package org.freshet.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.freshet.cli.program.ProgramResult;
import org.junit.jupiter.api.Test;

class QuickstartTableTest {
  private static final List<String> STOCK =
      List.of(
          "INFO mapreduce.JobSubmitter: number of splits:17",
          "INFO mapreduce.Job: Counters: 1",
          "\tFile Input Format Counters ",
          "\t\tBytes Read=86000000");
  private static final List<String> FRESHET =
      List.of(
          "INFO mapreduce.JobSubmitter: number of splits:4",
          "INFO mapreduce.Job: Counters: 4",
          "\tFile Input Format Counters ",
          "\t\tBytes Read=86000000",
          "\tFreshet",
          "\t\tCHUNKS_TOTAL=28",
          "\t\tCHUNKS_KEPT=11",
          "\t\tBYTES_MAPPED=43000000");

  @Test
  void showsWhatWasMappedAndReusedBesideStock() {
    QuickstartRun stock = run("stock", Duration.ofSeconds(20), STOCK);
    QuickstartRun second = run("second", Duration.ofSeconds(5), FRESHET);
    List<String> lines =
        QuickstartTable.render(List.of(stock), List.of(stock, second)).lines().toList();
    assertThat(lines).hasSize(4);
    assertThat(lines.get(1)).contains("20.0 s", "100 %", "17", "86.0 MB").endsWith("-");
    assertThat(lines.get(3)).contains("5.0 s", "25 %", "4", "43.0 MB").endsWith("11 of 28");
  }

  private static QuickstartRun run(String title, Duration time, List<String> log) {
    return QuickstartRun.of(title, new ProgramResult(0, time, log), Path.of("out"));
  }
}
