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

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.SparkApplications.Way;

/**
 * The time of a micro-batch that has next to nothing to compute, by Spark as it is and with
 * Freshet's scheduler, whose parts are shown apart: figure 4 of Drizzle's evaluation. Each round
 * runs every way in a JVM of its own, on one standalone cluster of two workers of one core each.
 * Then word count over a DStream at shorter and shorter intervals, of each batch and of all so far.
 */
final class DrizzleBenchmark implements Benchmark {
  private static final int LARGEST_GROUP = 100;
  private static final int LONGEST_INTERVAL_MS = 400;
  private static final double SMALLEST_INTERVAL_MS = 25;

  private static final Way STOCK = SparkApplications.STOCK;
  private static final Way INLINED =
      STOCK.withFreshet("stages inlined", "spark.freshet.drizzle.preScheduling=false");
  private static final Way FRESHET = STOCK.withFreshet("pre-scheduled");

  /** An application that says itself what a group is. */
  private static final Way ITERATED = STOCK.withFreshet("as iterations");

  /** One figure: how micro-batches ran, and what they were. */
  private record Case(Way way, int stages, int tasks, int group) {
    Case stock() {
      return new Case(STOCK, stages, tasks, 1);
    }

    double timesFaster() {
      return stages == 1 ? 10 : 5;
    }

    String title() {
      return (stages == 1 ? "1 stage, " + tasks + " tasks" : "2 stages, " + tasks + " + 16 tasks")
          + ", "
          + way.title()
          + (group == 1 ? "" : ", " + group + (way.equals(ITERATED) ? " a group" : " at once"));
    }
  }

  /** Word count over a DStream: how it ran, and whether it kept a state. */
  private record Words(Way way, boolean hasState) {
    Words byStock() {
      return new Words(STOCK, hasState);
    }

    String title() {
      return "word count over a DStream, " + (hasState ? "with state, " : "") + way.title();
    }
  }

  /** Batches at an interval; times in milliseconds, from when a batch was due to its end. */
  private record Interval(long ms, double median, double p99, boolean isKeptUp) {}

  @Override
  public String name() {
    return "drizzle";
  }

  @Override
  public String description() {
    return "Micro-batches on a standalone Spark: stages inlined, pre-scheduled, in groups, and streamed.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    int rounds = context.runs().orElse(context.quick() ? 1 : 3);
    String tasks = context.quick() ? "16" : "4,8,16,32";
    Map<Case, List<Double>> samples = new LinkedHashMap<>();
    Map<Words, List<List<Interval>>> streamed = new LinkedHashMap<>();
    try (SparkApplications spark = new SparkApplications(context)) {
      for (int round = 1; round <= rounds; round++) {
        for (Way way : List.of(STOCK, INLINED, FRESHET)) {
          context.progress().accept("Round " + round + " of " + rounds + ": " + way.title());
          boolean alone = way.equals(INLINED) || (way.equals(STOCK) && context.quick());
          String groups = alone ? "1" : "1,10," + LARGEST_GROUP;
          microBatches(context, spark, way, tasks, groups, samples);
        }
        context.progress().accept("Round " + round + " of " + rounds + ": " + ITERATED.title());
        iteratedBatches(context, spark, tasks, samples);
        for (boolean hasState : List.of(false, true)) {
          for (Way way : List.of(STOCK, FRESHET)) {
            Words words = new Words(way, hasState);
            context.progress().accept("Round " + round + " of " + rounds + ": " + words.title());
            streamed
                .computeIfAbsent(words, key -> new ArrayList<>())
                .add(streamedWords(context, spark, words));
          }
        }
      }
    }
    List<BenchRow> rows = new ArrayList<>();
    samples.forEach((key, values) -> rows.add(row(key, values, samples.get(key.stock()))));
    streamed.keySet().forEach(words -> rows.addAll(streamedRows(words, streamed)));
    return rows;
  }

  private static BenchRow row(Case key, List<Double> values, List<Double> stock) {
    BenchRow row =
        BenchRow.of(key.title(), "time of a micro-batch", "ms", Better.LOWER, of(values));
    double stockMedian = of(stock).median();
    if (!key.equals(key.stock())) {
      row = row.withStock(stockMedian);
    }
    return !key.way().equals(STOCK) && key.group() == LARGEST_GROUP
        ? row.withTarget(stockMedian / key.timesFaster())
        : row;
  }

  private static Samples of(List<Double> values) {
    return Samples.of(values, value -> value);
  }

  private static List<BenchRow> streamedRows(
      Words words, Map<Words, List<List<Interval>>> streamed) {
    List<BenchRow> rows = new ArrayList<>();
    List<List<Interval>> runs = streamed.get(words);
    String title = words.title();
    BenchRow smallest =
        BenchRow.of(
            title,
            "smallest interval kept up",
            "ms",
            Better.LOWER,
            Samples.of(runs, DrizzleBenchmark::smallestKeptUp));
    if (words.way().equals(FRESHET)) {
      List<List<Interval>> byStock = streamed.get(words.byStock());
      smallest = smallest.withStock(Samples.of(byStock, DrizzleBenchmark::smallestKeptUp).median());
      if (!words.hasState()) {
        smallest = smallest.withTarget(SMALLEST_INTERVAL_MS);
      }
    }
    rows.add(smallest);
    TreeMap<Long, List<Interval>> byInterval =
        runs.stream()
            .flatMap(List::stream)
            .collect(groupingBy(Interval::ms, TreeMap::new, toList()));
    byInterval
        .descendingMap()
        .forEach(
            (ms, batches) -> {
              String every = title + ", every " + ms + " ms";
              rows.add(delays(every, "median", Samples.of(batches, Interval::median)));
              rows.add(delays(every, "99 of 100", Samples.of(batches, Interval::p99)));
            });
    return rows;
  }

  private static BenchRow delays(String title, String which, Samples samples) {
    return BenchRow.of(title, "from due to done, " + which, "ms", Better.LOWER, samples);
  }

  /** In milliseconds; twice the longest that was tried if none was kept up. */
  private static double smallestKeptUp(List<Interval> run) {
    return run.stream()
        .filter(Interval::isKeptUp)
        .mapToDouble(Interval::ms)
        .min()
        .orElse(2 * LONGEST_INTERVAL_MS);
  }

  private static void microBatches(
      BenchContext context,
      SparkApplications spark,
      Way way,
      String tasks,
      String groups,
      Map<Case, List<Double>> samples)
      throws IOException, InterruptedException {
    List<String> arguments = List.of(tasks, "1,2", groups, context.quick() ? "200" : "400");
    for (String[] fields : spark.run(way, "MicroBatches", arguments, Set.of("sample"))) {
      Case key =
          new Case(
              way,
              Integer.parseInt(fields[1]),
              Integer.parseInt(fields[2]),
              Integer.parseInt(fields[3]));
      samples.computeIfAbsent(key, k -> new ArrayList<>()).add(Double.valueOf(fields[4]));
    }
  }

  private static void iteratedBatches(
      BenchContext context, SparkApplications spark, String tasks, Map<Case, List<Double>> samples)
      throws IOException, InterruptedException {
    List<String> arguments =
        List.of(tasks, "1,10," + LARGEST_GROUP, context.quick() ? "200" : "1000");
    for (String[] fields : spark.run(ITERATED, "IteratedBatches", arguments, Set.of("sample"))) {
      Case key = new Case(ITERATED, 1, Integer.parseInt(fields[1]), Integer.parseInt(fields[2]));
      samples.computeIfAbsent(key, k -> new ArrayList<>()).add(Double.valueOf(fields[3]));
    }
  }

  private static List<Interval> streamedWords(
      BenchContext context, SparkApplications spark, Words words)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.add(LONGEST_INTERVAL_MS + ",200,100,50,40,30,25,20,10");
    arguments.add(context.quick() ? "10" : "15");
    if (words.hasState()) {
      arguments.add(context.workDirectory().toString());
    }
    return spark.run(words.way(), "StreamedWords", arguments, Set.of("interval")).stream()
        .map(
            fields ->
                new Interval(
                    Long.parseLong(fields[1]),
                    Double.parseDouble(fields[2]),
                    Double.parseDouble(fields[3]),
                    Boolean.parseBoolean(fields[4])))
        .toList();
  }
}
