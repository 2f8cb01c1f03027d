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
package org.freshet.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.freshet.cli.bench.BenchRow.Better;
import org.junit.jupiter.api.Test;

class BenchReportTest {
  private static final BenchRow WALL =
      BenchRow.of("5 % changed", "wall time", "s", Better.LOWER, Samples.of(10, 12, 11))
          .withStock(35)
          .withTarget(10.5);
  private static final BenchRow SPEED =
      BenchRow.of("5 % changed", "speed", "x", Better.HIGHER, Samples.of(3));

  @Test
  void jsonHasTheFieldsThatReadersOfBenchmarksExpect() throws Exception {
    JsonNode json =
        new ObjectMapper().readTree(BenchReport.now("mapreduce", List.of(WALL, SPEED)).toJson());
    assertThat(json.fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder("bench", "machine", "date", "rows");
    JsonNode row = json.path("rows").path(0);
    assertThat(row.fieldNames())
        .toIterable()
        .containsExactly(
            "case", "metric", "unit", "value", "stock", "target", "better", "runs", "min", "max");
    assertThat(row.path("value").asDouble()).isEqualTo(11);
    assertThat(row.path("better").asText()).isEqualTo("lower");
    assertThat(json.path("rows").path(1).has("stock")).isFalse();
    assertThat(json.path("rows").path(1).has("target")).isFalse();
  }

  @Test
  void theTableMarksAMissedTarget() {
    String table = BenchTable.render(BenchReport.now("mapreduce", List.of(WALL, SPEED)));
    assertThat(table.lines().filter(line -> line.contains("wall time")))
        .singleElement()
        .asString()
        .contains("<= 10.5 MISSED");
    assertThat(table.lines().filter(line -> line.contains("speed")))
        .singleElement()
        .asString()
        .doesNotContain("MISSED");
  }

  @Test
  void aTargetIsMetFromTheSideThatIsBetter() {
    assertThat(WALL.meetsTarget()).isFalse();
    assertThat(WALL.withTarget(11).meetsTarget()).isTrue();
    assertThat(SPEED.withTarget(3.5).meetsTarget()).isFalse();
    assertThat(SPEED.withTarget(2).meetsTarget()).isTrue();
    assertThat(SPEED.meetsTarget()).isTrue();
  }

  @Test
  void figuresAreShownWithoutExponents() {
    assertThat(BenchTable.number(1234567)).isEqualTo("1234567");
    assertThat(BenchTable.number(0.01234)).isEqualTo("0.012");
    assertThat(BenchTable.number(12.34)).isEqualTo("12.3");
    assertThat(BenchTable.number(0)).isEqualTo("0");
  }
}
