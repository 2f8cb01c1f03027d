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

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.freshet.cli.bench.BenchSeries;
import org.freshet.cli.bench.BenchSeries.Mark;
import org.freshet.cli.bench.BenchSeries.Point;

/**
 * Values over time, or over something else, as an SVG image. Measurements of the same case have one
 * colour.
 */
final class Chart {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 300;
  private static final int LEFT = 60;
  private static final int RIGHT = 10;
  private static final int TOP = 12;
  private static final int BOTTOM = 40;

  /** Told apart also by those who do not see red and green. */
  private static final List<String> COLORS =
      List.of(
          "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#882255",
          "#999999");

  private final String title;
  private final List<String> cases;
  private final List<BenchSeries> series;
  private final Scale across;
  private final Scale values;

  /**
   * Of at least one series, each with at least one point, and all over the same.
   *
   * @param cases the names of all cases
   */
  Chart(String title, List<String> cases, List<BenchSeries> series) {
    this.title = title;
    this.cases = cases;
    this.series = series;
    double[] at =
        series.stream().flatMap(s -> s.points().stream()).mapToDouble(Point::at).toArray();
    // A measurement's time runs evenly, however late something comes.
    this.across = isOverTime() ? Scale.even(Arrays.stream(at).max().orElseThrow()) : Scale.of(at);
    this.values =
        Scale.of(
            series.stream().flatMap(s -> s.points().stream()).mapToDouble(Point::value).toArray());
  }

  private boolean isOverTime() {
    return series.get(0).over().equals(BenchSeries.Axis.TIME);
  }

  String color(String caseName) {
    return COLORS.get(cases.indexOf(caseName) % COLORS.size());
  }

  String toSvg() {
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
            WIDTH, HEIGHT, PlotPage.escape(title)));
    for (double tick : values.ticks()) {
      String y = number(y(tick));
      svg.append(line(LEFT, y, WIDTH - RIGHT, y, "stroke=\"#ddd\""));
      svg.append(text(LEFT - 6, y(tick) + 4, "end", label(tick)));
    }
    String unit = series.get(0).over().unit();
    for (double tick : across.ticks()) {
      String what = unit.isEmpty() ? label(tick) : label(tick) + " " + unit;
      svg.append(text(x(tick), HEIGHT - BOTTOM + 18, "middle", what));
    }
    for (BenchSeries one : series) {
      for (Mark mark : one.marks()) {
        svg.append(
            String.format(
                "<path d=\"M%s %dV%d\" stroke=\"%s\" stroke-dasharray=\"4 3\"><title>%s</title></path>\n",
                number(x(mark.seconds())),
                TOP,
                HEIGHT - BOTTOM,
                color(one.caseName()),
                PlotPage.escape(
                    one.caseName() + ": " + mark.what() + ", " + label(mark.seconds()) + " s")));
      }
    }
    for (BenchSeries one : series) {
      svg.append(
          String.format(
              "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" stroke-opacity=\"0.8\"><title>%s</title></path>\n",
              path(one.points()),
              color(one.caseName()),
              PlotPage.escape(one.caseName() + ", round " + one.round())));
    }
    return svg.append("</svg>").toString();
  }

  private String path(List<Point> points) {
    StringBuilder path = new StringBuilder();
    for (Point point : points) {
      path.append(path.isEmpty() ? 'M' : 'L')
          .append(number(x(point.at())))
          .append(' ')
          .append(number(y(point.value())));
    }
    return path.toString();
  }

  private double x(double at) {
    return LEFT + across.position(at) * (WIDTH - LEFT - RIGHT);
  }

  private double y(double value) {
    return HEIGHT - BOTTOM - values.position(value) * (HEIGHT - TOP - BOTTOM);
  }

  private static String line(int x1, String y1, int x2, String y2, String style) {
    return String.format(
        "<line x1=\"%d\" y1=\"%s\" x2=\"%d\" y2=\"%s\" %s/>\n", x1, y1, x2, y2, style);
  }

  private static String text(double x, double y, String anchor, String content) {
    return String.format(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" fill=\"#555\">%s</text>\n",
        number(x), number(y), anchor, PlotPage.escape(content));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** Without digits that say nothing. */
  private static String label(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.2f", value).replaceAll("0+$", "");
  }
}
