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

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Shows a report to people. */
public final class BenchTable {
  private static final List<String> HEADINGS =
      List.of("case", "metric", "value", "unit", "stock", "target", "min", "max", "runs");
  private static final int TEXT_COLUMNS = 2;
  private static final int UNIT_COLUMN = 3;

  private BenchTable() {}

  /** Renders a report as a table; a figure that misses its target is marked. */
  public static String render(BenchReport report) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(HEADINGS);
    String last = "";
    for (BenchRow row : report.rows()) {
      String caseName = row.caseName().equals(last) ? "" : row.caseName();
      last = row.caseName();
      lines.add(
          List.of(
              caseName,
              row.metric(),
              number(row.value()),
              row.unit(),
              row.stock() == null ? "" : number(row.stock()),
              target(row),
              number(row.min()),
              number(row.max()),
              Integer.toString(row.runs())));
    }
    int[] widths = widths(lines);
    StringBuilder text = new StringBuilder();
    text.append(report.bench()).append(" on ").append(report.machine()).append('\n');
    for (List<String> line : lines) {
      text.append(format(line, widths)).append('\n');
    }
    return text.toString();
  }

  private static String target(BenchRow row) {
    if (row.target() == null) {
      return "";
    }
    String sign = row.better() == BenchRow.Better.LOWER ? "<= " : ">= ";
    return sign + number(row.target()) + (row.meetsTarget() ? "" : " MISSED");
  }

  private static int[] widths(List<List<String>> lines) {
    int[] widths = new int[HEADINGS.size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    return widths;
  }

  private static String format(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - cells.get(i).length());
      boolean left = i < TEXT_COLUMNS || i == UNIT_COLUMN;
      line.append(left ? cells.get(i) + padding : padding + cells.get(i)).append("  ");
    }
    return line.toString().stripTrailing();
  }

  /** Three significant digits where they matter, never an exponent. */
  static String number(double value) {
    double size = Math.abs(value);
    if (value == Math.rint(value) && size < 1e15) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
