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

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.freshet.cli.bench.BenchReport;
import org.freshet.cli.bench.BenchSeries;

/** A report's curves as one page of HTML, which needs no other file and no script. */
public final class PlotPage {
  private static final String STYLE =
      """
      body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 2em auto;
        max-width: 960px; padding: 0 1em }
      h2 { margin: 2em 0 0; font-size: 1.2em }
      h3 { margin: 1em 0 0; font-size: 1em; font-weight: 600 }
      p { color: #555; margin: .3em 0 }
      svg { width: 100%; height: auto; font: 12px system-ui, sans-serif }
      .key { display: inline-block; margin-right: 1.5em; color: #222 }
      .key i { display: inline-block; width: 1.6em; height: 3px; margin-right: .4em;
        vertical-align: middle }
      """;

  private PlotPage() {}

  /**
   * The page; a picture for each figure, metric and what it is over, with a line for each
   * measurement.
   */
  public static String of(BenchReport report) {
    Map<String, Map<String, List<BenchSeries>>> figures =
        report.series().stream()
            .collect(
                Collectors.groupingBy(
                    BenchSeries::figure,
                    LinkedHashMap::new,
                    Collectors.groupingBy(
                        PlotPage::titleOf, LinkedHashMap::new, Collectors.toList())));
    StringBuilder html = new StringBuilder();
    html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
        .append(escape("freshet bench " + report.bench()))
        .append("</title>\n<style>\n")
        .append(STYLE)
        .append("</style>\n</head>\n<body>\n<h1>")
        .append(escape("freshet bench " + report.bench()))
        .append("</h1>\n<p>")
        .append(escape(report.machine() + "; " + report.date()))
        .append("</p>\n");
    figures.forEach(
        (figure, metrics) -> {
          html.append("<h2>").append(escape(capitalized(figure))).append("</h2>\n");
          metrics.forEach((metric, series) -> appendChart(html, metric, series));
        });
    return html.append("</body>\n</html>\n").toString();
  }

  private static String titleOf(BenchSeries series) {
    String title = named(series.metric(), series.unit());
    return series.over().equals(BenchSeries.Axis.TIME)
        ? title
        : title + ", by " + named(series.over().name(), series.over().unit());
  }

  private static String named(String what, String unit) {
    return unit.isEmpty() ? what : what + ", in " + unit;
  }

  private static void appendChart(StringBuilder html, String metric, List<BenchSeries> series) {
    List<String> cases = series.stream().map(BenchSeries::caseName).distinct().toList();
    Chart chart = new Chart(metric, cases, series);
    html.append("<h3>").append(escape(capitalized(metric))).append("</h3>\n<p>");
    for (String name : cases) {
      html.append("<span class=\"key\"><i style=\"background: ")
          .append(chart.color(name))
          .append("\"></i>")
          .append(escape(name))
          .append("</span>\n");
    }
    html.append("</p>\n").append(chart.toSvg()).append('\n');
    String marks =
        series.stream()
            .flatMap(one -> one.marks().stream())
            .map(BenchSeries.Mark::what)
            .distinct()
            .collect(Collectors.joining("; "));
    if (!marks.isEmpty()) {
      html.append("<p>Dashed lines: ").append(escape(marks)).append(".</p>\n");
    }
  }

  private static String capitalized(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
