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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.freshet.cli.bench.BenchSeries.Axis;
import org.freshet.cli.bench.BenchSeries.Point;
import org.freshet.cli.bench.SparkApplications.Way;
import org.junit.jupiter.api.Test;

class StreamedQueriesTest {
  private final StreamedQueries queries =
      new StreamedQueries(
          new BenchContext(
              null,
              Path.of("."),
              true,
              OptionalInt.empty(),
              OptionalInt.empty(),
              line -> {},
              series -> {}));

  @Test
  void batchesOfAllRoundsStandBesideStocks() {
    for (int round = 0; round < 2; round++) {
      queries.begin();
      int more = 10 * round;
      for (int pass = 0; pass < 2; pass++) {
        add(SparkApplications.STOCK, "counts", "addBatch", more + 100, more + 200);
        add(SparkApplications.FRESHET, "counts", "addBatch", more + 40, more + 60);
      }
    }
    List<BenchRow> rows = queries.rows();
    assertThat(rows).extracting(BenchRow::caseName).containsOnly("counts");
    assertThat(rows)
        .extracting(BenchRow::metric)
        .containsExactly("addBatch, median", "addBatch, 99 of 100");
    BenchRow median = rows.get(0);
    // 40, 60, 40, 60, 50, 70, 50, 70
    assertThat(median.value()).isEqualTo(55);
    assertThat(median.stock()).isEqualTo(155);
    assertThat(median.runs()).isEqualTo(8);
    assertThat(median.min()).isEqualTo(40);
    assertThat(median.max()).isEqualTo(70);
    BenchRow p99 = rows.get(1);
    // 60 in the first round, 70 in the second.
    assertThat(p99.value()).isEqualTo(65);
    assertThat(p99.stock()).isEqualTo(205);
    assertThat(p99.runs()).isEqualTo(2);
  }

  @Test
  void eachRoundHasACurve() {
    for (int round = 0; round < 2; round++) {
      queries.begin();
      for (Way way : List.of(SparkApplications.STOCK, SparkApplications.FRESHET)) {
        add(way, "counts", "addBatch", 10 + round, 20 + round);
        add(way, "counts", "triggerExecution", 30, 40);
      }
    }
    List<BenchSeries> all = new ArrayList<>();
    queries.series(all::add);
    assertThat(all).hasSize(8);
    assertThat(all).extracting(BenchSeries::round).containsOnly(1, 2);
    BenchSeries second = all.get(1);
    assertThat(second.caseName()).isEqualTo("stock");
    assertThat(second.over()).isEqualTo(new Axis("addBatch", "ms"));
    assertThat(second.points()).startsWith(new Point(11, 1)).endsWith(new Point(21, 100));
  }

  private void add(Way way, String query, String phase, int... ms) {
    String list = String.join(",", IntStream.of(ms).mapToObj(String::valueOf).toList());
    queries.add(way, List.<String[]>of(new String[] {"streamed", query, phase, list}));
  }
}
