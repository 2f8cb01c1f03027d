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

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.BenchSeries.Axis;
import org.freshet.cli.bench.SparkApplications.Way;

/**
 * How late the views of a stream were counted by Spark as it is and with Freshet. Each at the
 * smallest interval that it keeps up, and Freshet at stock's, too: at its own, whoever it is is
 * near the end of what the machine can do and has late batches, so those do not tell who is later
 * under the same load.
 *
 * <p>Not thread-safe.
 */
final class ViewDelays {
  /** What is late: an event until it is counted, a window until all of it is. */
  static final List<String> KINDS = List.of("events", "windows");

  /** What is counted in the curves, and since when. */
  private static final Map<String, Axis> COUNTED =
      Map.of(
          "events", new Axis("time since the event", "ms"),
          "windows", new Axis("time since the window's end", "ms"));

  /** By whom views were counted, and at whose interval. */
  private enum By {
    STOCK(SparkApplications.STOCK, ""),
    FRESHET(SparkApplications.FRESHET, ""),
    FRESHET_AT_STOCKS(SparkApplications.FRESHET, " at stock's interval");

    private final Way way;
    private final String interval;

    By(Way way, String interval) {
      this.way = way;
      this.interval = interval;
    }
  }

  private record Case(String views, By by, String kind) {
    String title() {
      return views + ", " + by.way.title() + by.interval;
    }
  }

  /**
   * How late things were at an interval.
   *
   * @param round the how manieth measurement of the same it is, from 1
   * @param delays in milliseconds
   */
  private record Delays(int round, int intervalMs, boolean isKeptUp, Hundredths delays) {
    static Delays of(int round, String[] fields) {
      return new Delays(
          round,
          Integer.parseInt(fields[1]),
          Boolean.parseBoolean(fields[2]),
          Hundredths.printed(fields[3]));
    }

    double percentile(int of100) {
      return delays.percentile(of100);
    }
  }

  /** For each round; those at stock's interval for rounds in which Freshet got there. */
  private final Map<Case, List<Delays>> measured = new LinkedHashMap<>();

  /**
   * Adds a round: lines that two applications have printed, from the longest interval to the first
   * one that was not kept up. A line has the kind, the interval in milliseconds, whether it was
   * kept up, and for each hundredth of the things by how many milliseconds it was late.
   *
   * @param views which, and how they are counted
   * @throws IOException if one of the two has not counted anything
   */
  void add(String views, List<String[]> stock, List<String[]> freshet) throws IOException {
    for (String kind : KINDS) {
      Case byStock = new Case(views, By.STOCK, kind);
      int round = measured.getOrDefault(byStock, List.of()).size() + 1;
      Delays ofStock = atSmallestInterval(delays(round, kind, stock));
      List<Delays> ofFreshet = delays(round, kind, freshet);
      put(byStock, ofStock);
      put(new Case(views, By.FRESHET, kind), atSmallestInterval(ofFreshet));
      ofFreshet.stream()
          .filter(delays -> delays.intervalMs() == ofStock.intervalMs())
          .forEach(delays -> put(new Case(views, By.FRESHET_AT_STOCKS, kind), delays));
    }
  }

  private void put(Case which, Delays delays) {
    measured.computeIfAbsent(which, key -> new ArrayList<>()).add(delays);
  }

  private static List<Delays> delays(int round, String kind, List<String[]> lines)
      throws IOException {
    List<Delays> all =
        lines.stream()
            .filter(fields -> fields[0].equals(kind))
            .map(fields -> Delays.of(round, fields))
            .toList();
    if (all.isEmpty()) {
      throw new IOException("No batch ended in time, at any interval");
    }
    return all;
  }

  /** At the smallest interval that was kept up, or the longest if none was. */
  private static Delays atSmallestInterval(List<Delays> all) {
    return all.stream().filter(Delays::isKeptUp).reduce((a, b) -> b).orElse(all.get(0));
  }

  /** The table's. */
  List<BenchRow> rows() {
    List<BenchRow> rows = new ArrayList<>();
    measured.forEach(
        (which, delays) -> {
          boolean isOfEvents = which.kind().equals("events");
          if (isOfEvents && which.by() != By.FRESHET_AT_STOCKS) {
            rows.add(row(which, "smallest interval kept up", delays, Delays::intervalMs));
          }
          String from = isOfEvents ? "from an event" : "from a window's end";
          for (int of100 : List.of(50, 95, 99)) {
            String metric = from + " to its count, " + of100 + " of 100";
            rows.add(row(which, metric, delays, d -> d.percentile(of100)));
          }
        });
    return rows;
  }

  private BenchRow row(
      Case which, String metric, List<Delays> delays, ToDoubleFunction<Delays> value) {
    BenchRow row =
        BenchRow.of(which.title(), metric, "ms", Better.LOWER, Samples.of(delays, value));
    if (which.by() == By.STOCK) {
      return row;
    }
    List<Delays> stock = measured.get(new Case(which.views(), By.STOCK, which.kind()));
    return row.withStock(Samples.of(stock, value).median());
  }

  /** The curves: how many of a hundred were counted within so many milliseconds. */
  void series(Consumer<BenchSeries> found) {
    // Where both keep up the same interval there is one curve for it.
    Set<BenchSeries> all = new LinkedHashSet<>();
    measured.forEach((which, delays) -> delays.forEach(ofRound -> all.add(series(which, ofRound))));
    all.forEach(found);
  }

  private static BenchSeries series(Case which, Delays delays) {
    return new BenchSeries(
        which.views(),
        which.by().way.title() + ", every " + delays.intervalMs() + " ms",
        which.kind() + " counted",
        "%",
        COUNTED.get(which.kind()),
        delays.round(),
        delays.delays().points(),
        List.of());
  }
}
