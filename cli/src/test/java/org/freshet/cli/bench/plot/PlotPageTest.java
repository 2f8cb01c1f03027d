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
package org.freshet.cli.bench.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.freshet.cli.bench.BenchReport;
import org.freshet.cli.bench.BenchSeries;
import org.freshet.cli.bench.BenchSeries.Axis;
import org.freshet.cli.bench.BenchSeries.Mark;
import org.freshet.cli.bench.BenchSeries.Point;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlotPageTest {
  private static final BenchReport REPORT =
      BenchReport.now(
          "a<b",
          List.of(),
          List.of(
              series("kill", "stock", new Point(0, 50), new Point(1, 60), new Point(2, 5000)),
              series("kill", "ours & \"new\"", new Point(0, 20), new Point(1, 20)),
              series("tune", "ours", new Point(0, 0), new Point(3, 1))));

  @Test
  void hasAPictureForEachFigureWithALineForEachSeries() throws Exception {
    String page = PlotPage.of(REPORT);
    List<String> charts = charts(page);
    assertThat(charts).hasSize(2);
    assertThat(charts.get(0).split("fill=\"none\"", -1)).hasSize(3);
    assertThat(charts.get(1).split("fill=\"none\"", -1)).hasSize(2);
    assertThat(page).contains("Dashed lines: killed.");
    for (String chart : charts) {
      DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(new ByteArrayInputStream(chart.getBytes(StandardCharsets.UTF_8)));
    }
  }

  @Test
  void whatIsOverSomethingElseHasAPictureOfItsOwn() {
    BenchSeries counted =
        new BenchSeries(
            "kill",
            "ours",
            "events counted",
            "%",
            new Axis("time since the event", "ms"),
            1,
            List.of(new Point(20, 1), new Point(30, 50), new Point(4000, 100)),
            List.of());
    BenchSeries loss =
        new BenchSeries(
            "learn",
            "ours",
            "loss",
            "",
            new Axis("iteration", ""),
            1,
            List.of(new Point(0, 0.7), new Point(10, 0.6)),
            List.of());
    String page =
        PlotPage.of(
            BenchReport.now(
                "curves",
                List.of(),
                List.of(series("kill", "ours", new Point(1, 50)), counted, loss)));
    assertThat(charts(page)).hasSize(3);
    assertThat(page)
        .contains(
            "<h3>Latency, in ms</h3>",
            "<h3>Events counted, in %, by time since the event, in ms</h3>",
            "<h3>Loss, by iteration</h3>");
    assertThat(charts(page).get(0)).contains(">1 s<");
    // By their logarithms, since few are late.
    assertThat(charts(page).get(1)).contains(">50 ms<", ">5000 ms<");
    assertThat(charts(page).get(2)).contains(">10<").doesNotContain(" s<");
  }

  @Test
  void reportsThatDoNotSayWhatValuesAreOverHaveThemOverTime(@TempDir Path dir) throws IOException {
    Path json = dir.resolve("old.json");
    String written = REPORT.toJson();
    Files.writeString(json, written.replaceAll("\"over\" : \\{[^}]*},\\s*", ""));
    assertThat(Files.readString(json)).doesNotContain("\"over\"").isNotEqualTo(written);
    assertThat(BenchReport.read(json)).isEqualTo(REPORT);
  }

  @Test
  void asksForNothingElse() {
    assertThat(PlotPage.of(REPORT)).doesNotContain("http", "<script", "a<b", "& \"new");
  }

  @Test
  void isDrawnFromWhatWasWritten(@TempDir Path dir) throws IOException {
    Path json = dir.resolve("report.json");
    REPORT.write(json);
    BenchReport read = BenchReport.read(json);
    assertThat(read).isEqualTo(REPORT);
    assertThat(PlotPage.of(read)).isEqualTo(PlotPage.of(REPORT));
  }

  @Test
  void whatIsNoReportIsRefused(@TempDir Path dir) throws IOException {
    Path other = Files.writeString(dir.resolve("other.json"), "{\"name\": 1}");
    assertThatThrownBy(() -> BenchReport.read(other))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("other.json");
  }

  @Test
  void aFewGreatValuesAreShownByTheirLogarithms() {
    Scale wide = Scale.of(new double[] {20, 30, 40, 900});
    assertThat(wide.ticks()).containsExactly(10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0);
    assertThat(wide.position(10)).isZero();
    assertThat(wide.position(100)).isEqualTo(0.5);
    assertThat(wide.position(1000)).isEqualTo(1);
  }

  @Test
  void otherValuesAreShownEvenlyFromZeroOn() {
    Scale even = Scale.of(new double[] {20, 30, 100});
    assertThat(even.position(0)).isZero();
    assertThat(even.position(100)).isBetween(0.9, 1.0);
    assertThat(even.ticks()).containsExactly(0.0, 20.0, 40.0, 60.0, 80.0, 100.0);
    assertThat(Scale.of(new double[] {0, 0}).ticks()).contains(0.0);
  }

  private static BenchSeries series(String figure, String name, Point... points) {
    return new BenchSeries(
        figure,
        name,
        "latency",
        "ms",
        Axis.TIME,
        1,
        List.of(points),
        List.of(new Mark(1, "killed")));
  }

  private static List<String> charts(String page) {
    Matcher svg = Pattern.compile("<svg.*?</svg>", Pattern.DOTALL).matcher(page);
    return svg.results().map(found -> found.group()).toList();
  }
}
