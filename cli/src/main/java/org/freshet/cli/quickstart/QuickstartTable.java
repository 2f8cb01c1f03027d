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

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The table at the end of the quick start. */
final class QuickstartTable {
  private QuickstartTable() {}

  /**
   * Renders the runs.
   *
   * @param before the runs over the first release, stock first
   * @param after the runs over the second, stock first
   */
  static String render(List<QuickstartRun> before, List<QuickstartRun> after) {
    StringBuilder text = new StringBuilder();
    text.append(row("word count", "time", "to stock", "maps", "map input", "chunks reused"));
    append(text, before);
    append(text, after);
    return text.toString();
  }

  private static void append(StringBuilder text, List<QuickstartRun> runs) {
    Duration stock = runs.get(0).time();
    for (QuickstartRun run : runs) {
      text.append(
          row(
              run.title(),
              String.format(Locale.ROOT, "%.1f s", seconds(run.time())),
              String.format(Locale.ROOT, "%.0f %%", 100 * seconds(run.time()) / seconds(stock)),
              Long.toString(run.maps()),
              String.format(Locale.ROOT, "%.1f MB", run.bytesMapped() / 1e6),
              run.chunks().map(c -> c.reused() + " of " + c.total()).orElse("-")));
    }
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }

  private static String row(Object... cells) {
    return String.format(Locale.ROOT, "%-34s %9s %10s %6s %14s %14s%n", cells);
  }
}
