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
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ViewDelaysTest {
  private final ViewDelays delays = new ViewDelays();

  @Test
  void freshetIsMeasuredAtItsOwnIntervalAndAtStocks() throws IOException {
    delays.add(
        "views",
        lines(at(200, true, 70), at(100, true, 60), at(50, false, 900)),
        lines(at(200, true, 40), at(100, true, 30), at(50, true, 80)));
    List<BenchRow> rows = delays.rows();
    assertThat(values(rows, "smallest interval kept up")).containsExactly(100.0, 50.0);
    assertThat(values(rows, "from an event to its count, 50 of 100"))
        .containsExactly(60.0, 80.0, 30.0);
    assertThat(values(rows, "from a window's end to its count, 99 of 100"))
        .containsExactly(60.0, 80.0, 30.0);
    assertThat(rows)
        .extracting(BenchRow::caseName)
        .containsSubsequence(
            "views, stock", "views, Freshet", "views, Freshet at stock's interval");
    assertThat(rows)
        .filteredOn(row -> row.caseName().endsWith("at stock's interval"))
        .extracting(BenchRow::stock)
        .containsOnly(60.0);
    assertThat(series())
        .extracting(BenchSeries::caseName)
        .containsExactlyInAnyOrderElementsOf(
            Collections.nCopies(
                    2,
                    List.of("stock, every 100 ms", "Freshet, every 50 ms", "Freshet, every 100 ms"))
                .stream()
                .flatMap(List::stream)
                .toList());
  }

  @Test
  void whereBothKeepUpTheSameThereIsOneCurve() throws IOException {
    delays.add("views", lines(at(40, true, 60)), lines(at(40, true, 30)));
    assertThat(series())
        .filteredOn(series -> series.metric().equals("events counted"))
        .extracting(BenchSeries::caseName)
        .containsExactly("stock, every 40 ms", "Freshet, every 40 ms");
  }

  @Test
  void nothingIsSaidOfAnIntervalThatFreshetDidNotGetTo() throws IOException {
    delays.add("views", lines(at(200, true, 70), at(100, true, 60)), lines(at(200, false, 5000)));
    assertThat(delays.rows())
        .extracting(BenchRow::caseName)
        .containsOnly("views, stock", "views, Freshet");
    assertThat(values(delays.rows(), "smallest interval kept up")).containsExactly(100.0, 200.0);
  }

  @Test
  void eachCurveIsOfTheRoundThatItWasMeasuredIn() throws IOException {
    delays.add("views", lines(at(200, true, 70), at(100, true, 60)), lines(at(200, false, 5000)));
    delays.add(
        "views",
        lines(at(200, true, 70), at(100, true, 60)),
        lines(at(200, true, 40), at(100, true, 30), at(50, true, 20)));
    assertThat(series())
        .filteredOn(series -> series.caseName().equals("Freshet, every 100 ms"))
        .hasSize(2)
        .extracting(BenchSeries::round)
        .containsOnly(2);
  }

  @Test
  void anApplicationThatCountedNothingIsAnError() {
    assertThatIOException()
        .isThrownBy(() -> delays.add("views", lines(at(200, true, 70)), List.of()))
        .withMessageContaining("No batch ended in time");
  }

  private List<BenchSeries> series() {
    List<BenchSeries> all = new ArrayList<>();
    delays.series(all::add);
    return all;
  }

  private static List<Double> values(List<BenchRow> rows, String metric) {
    return rows.stream().filter(row -> row.metric().equals(metric)).map(BenchRow::value).toList();
  }

  /** What is printed for an interval at which all is late by the same time. */
  private static List<String[]> at(int intervalMs, boolean isKeptUp, int delayMs) {
    String hundredths =
        String.join(",", IntStream.range(0, 100).mapToObj(i -> String.valueOf(delayMs)).toList());
    return ViewDelays.KINDS.stream()
        .map(
            kind ->
                new String[] {
                  kind, String.valueOf(intervalMs), String.valueOf(isKeptUp), hundredths
                })
        .toList();
  }

  @SafeVarargs
  private static List<String[]> lines(List<String[]>... intervals) {
    return Stream.of(intervals).flatMap(List::stream).toList();
  }
}
