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
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.BenchSeries.Axis;
import org.freshet.cli.bench.BenchSeries.Point;

/**
 * The time of an iteration of logistic regression by stochastic gradient descent: figure 7 of
 * Drizzle's evaluation, on one standalone cluster of two workers of one core each. Stock Spark runs
 * MLlib, with a job and a broadcast for each iteration; beside it the same with sparse updates, and
 * Freshet's iterations in groups of several sizes, dense and sparse. Each round runs every way in a
 * JVM of its own. All of a kind have to learn the same.
 */
final class DrizzleSgdBenchmark implements Benchmark {
  /** Without the plug-in, but with its jar: the application names its classes. */
  private static final SparkApplications.Way STOCK =
      new SparkApplications.Way("stock", List.of("spark.plugins="));

  /** The application's word for groups whose size is tuned while iterations run. */
  private static final String TUNED = "auto";

  /** Sums of floating-point numbers in another order differ by less. */
  private static final double LOSS_TOLERANCE = 1e-9;

  /** A way to learn, as the application calls it. */
  private enum Way {
    MLLIB_DENSE("mllib-dense", "dense, MLlib on stock Spark", false, false),
    DENSE("dense", "dense, shared variables", true, false),
    MLLIB_L1("mllib-l1", "L1, MLlib on stock Spark", false, true),
    STOCK_SPARSE("stock-sparse", "L1, sparse updates on stock Spark", false, true),
    SPARSE("sparse", "L1, sparse shared variables", true, true);

    private final String argument;
    private final String title;
    private final boolean isFreshet;
    private final boolean isSparse;

    Way(String argument, String title, boolean isFreshet, boolean isSparse) {
      this.argument = argument;
      this.title = title;
      this.isFreshet = isFreshet;
      this.isSparse = isSparse;
    }

    static Way of(String argument) {
      return Stream.of(values())
          .filter(way -> way.argument.equals(argument))
          .findFirst()
          .orElseThrow();
    }

    /** What the figure is compared with. */
    Way stock() {
      return isSparse ? MLLIB_L1 : MLLIB_DENSE;
    }
  }

  /**
   * A way with a size of groups.
   *
   * @param group empty if it is tuned while iterations run
   */
  private record Case(Way way, OptionalInt group) {
    static Case of(String way, String group) {
      return new Case(
          Way.of(way),
          group.equals(TUNED) ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(group)));
    }

    String title() {
      if (!way.isFreshet) {
        return way.title;
      }
      return way.title + (group.isPresent() ? ", groups of " + group.getAsInt() : ", groups tuned");
    }
  }

  /**
   * One time that a model was learned.
   *
   * @param iterationMs what an iteration took, in the mean
   * @param losses before each iteration, and after the last
   */
  record Learned(double iterationMs, List<Double> losses) {
    static Learned of(String[] fields) {
      return new Learned(Double.parseDouble(fields[3]), Hundredths.numbers(fields[4]));
    }

    double lastLoss() {
      return losses.get(losses.size() - 1);
    }

    List<Point> byIteration() {
      return IntStream.range(0, losses.size()).mapToObj(i -> new Point(i, losses.get(i))).toList();
    }

    /** Iterations are taken to be equally long; those of a group end together. */
    List<Point> byTime() {
      return IntStream.range(0, losses.size())
          .mapToObj(i -> new Point(i * iterationMs / 1000, losses.get(i)))
          .toList();
    }
  }

  @Override
  public String name() {
    return "drizzle-sgd";
  }

  @Override
  public String description() {
    return "An iteration of logistic regression by SGD, dense and sparse, by the size of groups.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    int rounds = context.runs().orElse(context.quick() ? 1 : 3);
    Map<Case, List<Learned>> samples = new LinkedHashMap<>();
    Map<Boolean, Double> losses = new LinkedHashMap<>();
    try (SparkApplications applications = new SparkApplications(context)) {
      for (int round = 1; round <= rounds; round++) {
        for (Way way : Way.values()) {
          context.progress().accept("Round " + round + " of " + rounds + ": " + way.title);
          for (String[] fields : run(context, applications, way)) {
            Case key = Case.of(fields[1], fields[2]);
            Learned learned = Learned.of(fields);
            samples.computeIfAbsent(key, k -> new ArrayList<>()).add(learned);
            checkLoss(way, learned.lastLoss(), losses);
          }
        }
      }
    }
    series(samples).forEach(context.series());
    List<BenchRow> rows = new ArrayList<>();
    samples.forEach((key, all) -> rows.add(row(key, all, samples)));
    return rows;
  }

  /** What is faster and learns something else is worth nothing. */
  private static void checkLoss(Way way, double loss, Map<Boolean, Double> losses)
      throws IOException {
    double expected = losses.computeIfAbsent(way.isSparse, key -> loss);
    if (Math.abs(loss - expected) > LOSS_TOLERANCE * expected) {
      throw new IOException(
          way.title + " ended with a loss of " + loss + " where others had " + expected);
    }
  }

  private static BenchRow row(Case key, List<Learned> all, Map<Case, List<Learned>> samples) {
    BenchRow row = BenchRow.of(key.title(), "time of an iteration", "ms", Better.LOWER, of(all));
    Way stock = key.way().stock();
    return key.way() == stock
        ? row
        : row.withStock(of(samples.get(new Case(stock, OptionalInt.of(1)))).median());
  }

  private static Samples of(List<Learned> all) {
    return Samples.of(all, Learned::iterationMs);
  }

  /**
   * A picture of each kind of updates: what an iteration takes by the size of groups, the median of
   * all samples; and how the loss falls, in the middle one of them.
   */
  private static List<BenchSeries> series(Map<Case, List<Learned>> samples) {
    int largest =
        samples.keySet().stream().flatMapToInt(key -> key.group().stream()).max().orElseThrow();
    List<BenchSeries> series = new ArrayList<>();
    for (Way way : Way.values()) {
      List<Point> times = new ArrayList<>();
      samples.forEach(
          (key, all) -> {
            if (key.way() == way && key.group().isPresent()) {
              times.add(new Point(key.group().getAsInt(), of(all).median()));
            }
          });
      if (!way.isFreshet) {
        // A line to compare with: it has no groups.
        times.add(new Point(largest, times.get(0).value()));
      }
      series.add(
          series(
              way, way.title, "time of an iteration", "ms", new Axis("size of groups", ""), times));
    }
    samples.forEach(
        (key, all) -> {
          Learned middle =
              all.stream()
                  .sorted(Comparator.comparingDouble(Learned::iterationMs))
                  .toList()
                  .get((all.size() - 1) / 2);
          series.add(series(key.way(), key.title(), "loss", "", Axis.TIME, middle.byTime()));
          if (!key.way().isFreshet || key.group().equals(OptionalInt.of(largest))) {
            // All sizes of groups have the same.
            series.add(
                series(
                    key.way(),
                    key.way().title,
                    "loss",
                    "",
                    new Axis("iteration", ""),
                    middle.byIteration()));
          }
        });
    return series;
  }

  private static BenchSeries series(
      Way way, String title, String metric, String unit, Axis over, List<Point> points) {
    return new BenchSeries(
        way.isSparse ? "L1, sparse updates" : "dense updates",
        title,
        metric,
        unit,
        over,
        1,
        points,
        List.of());
  }

  private static SparkApplications.Way warmedUp(SparkApplications.Way way, boolean quickly) {
    Stream<String> limit = quickly ? Stream.of("spark.freshet.bench.warmUp=40s") : Stream.empty();
    return new SparkApplications.Way(
        way.title(), Stream.concat(way.settings().stream(), limit).toList());
  }

  private static List<String[]> run(BenchContext context, SparkApplications applications, Way way)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.add(way.argument);
    arguments.add(
        way.isFreshet
            ? (context.quick() ? "1,10,50," + TUNED : "1,2,5,10,25,50,100," + TUNED)
            : "1");
    // With the one for the last loss, whole groups.
    arguments.add(context.quick() ? "49" : "99");
    arguments.add(context.quick() ? "3" : "5");
    arguments.add(context.quick() ? "2000" : "20000");
    arguments.add("8");
    return applications.run(
        warmedUp(way.isFreshet ? SparkApplications.FRESHET : STOCK, context.quick()),
        "SgdIterations",
        arguments,
        Set.of("sample"));
  }
}
