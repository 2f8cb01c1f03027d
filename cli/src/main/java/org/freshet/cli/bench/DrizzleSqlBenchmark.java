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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.freshet.cli.bench.SparkApplications.Way;

/**
 * What those pay, or gain, who have the scheduler turned on and run SQL in batches: queries of
 * TPC-H by Spark as it is and with Freshet, on one standalone cluster. In each round, both have
 * JVMs of their own and run all queries by turns, since machines differ from one minute to the next
 * by more than is asked for here. JVMs do so, too, which is what rounds are for. The results are
 * compared. Then the same for queries over streams, whose batches are short.
 */
final class DrizzleSqlBenchmark implements Benchmark {
  private static final int SIZE_MB = 500;
  private static final int QUICK_SIZE_MB = 100;
  private static final int PASSES = 5;
  private static final int QUICK_PASSES = 3;

  /** Nothing is to be lost: at most two percent. */
  private static final double MOST = 1.02;

  /** What an application prints when it waits for the next request. */
  private static final String WAITING = "waiting";

  /** By whom all queries are run. */
  private enum Turn {
    STOCK("stock", "query"),
    FRESHET("Freshet", "query"),

    /** In the same JVMs as {@link #FRESHET}, by Spark's own scheduler. */
    SWITCHED_OFF("switched off", "left");

    private final String title;

    /** Asks an application for it, and is the first field of its answers. */
    private final String request;

    Turn(String title, String request) {
      this.title = title;
      this.request = request;
    }
  }

  /** The time of each query in milliseconds, each time that it was run. */
  private static final class Times {
    private final Map<String, List<Double>> byQuery = new LinkedHashMap<>();

    void add(List<String[]> printed) {
      for (String[] fields : printed) {
        byQuery
            .computeIfAbsent(fields[1], query -> new ArrayList<>())
            .add(Double.valueOf(fields[2]));
      }
    }

    Samples of(String query) {
      return samples(byQuery.get(query));
    }

    /** The time of all queries together, each time that they were run. */
    List<Double> passes() {
      int passes = byQuery.values().iterator().next().size();
      return IntStream.range(0, passes)
          .mapToObj(pass -> byQuery.values().stream().mapToDouble(times -> times.get(pass)).sum())
          .toList();
    }
  }

  @Override
  public String name() {
    return "drizzle-sql";
  }

  @Override
  public String description() {
    return "Queries of TPC-H, and batches of streaming queries, with and without the scheduler.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    int rounds = context.runs().orElse(context.quick() ? 1 : 3);
    Map<Turn, Times> times = new EnumMap<>(Turn.class);
    for (Turn turn : Turn.values()) {
      times.put(turn, new Times());
    }
    Results results = new Results();
    StreamedQueries streamed = new StreamedQueries(context);
    try (SparkApplications spark = new SparkApplications(context, 2)) {
      for (int round = 1; round <= rounds; round++) {
        String which = "Round " + round + " of " + rounds;
        boolean isStockFirst = round % 2 != 0;
        try (MeasuringProgram first = warm(context, spark, which, isStockFirst, results);
            MeasuringProgram second = warm(context, spark, which, !isStockFirst, results)) {
          measure(
              context, which, isStockFirst ? first : second, isStockFirst ? second : first, times);
          first.finish();
          second.finish();
        }
        streamed.measure(spark, which, isStockFirst);
      }
    }
    streamed.series(context.series());
    List<BenchRow> rows = rows(times);
    rows.addAll(streamed.rows());
    return rows;
  }

  /** Starts an application that has run all queries until they are compiled. */
  private static MeasuringProgram warm(
      BenchContext context, SparkApplications spark, String which, boolean isStock, Results results)
      throws IOException, InterruptedException {
    Way way = isStock ? SparkApplications.STOCK : SparkApplications.FRESHET;
    context.progress().accept(which + ": starting and warming " + way.title());
    int sizeMb = context.sizeMb().orElse(context.quick() ? QUICK_SIZE_MB : SIZE_MB);
    Path tables = context.workDirectory().resolve("tables-" + sizeMb + "-mb");
    MeasuringProgram program =
        spark.start(
            way,
            "SqlQueries",
            List.of(tables.toString(), String.valueOf(sizeMb / 1000.0)),
            Set.of(Results.KIND, "query", "left"),
            MeasuringProgram.LIMIT);
    try {
      results.check(way, program.awaitAnswer(WAITING));
      return program;
    } catch (IOException | InterruptedException e) {
      program.close();
      throw e;
    }
  }

  private static void measure(
      BenchContext context,
      String which,
      MeasuringProgram stock,
      MeasuringProgram freshet,
      Map<Turn, Times> times)
      throws IOException, InterruptedException {
    int passes = context.quick() ? QUICK_PASSES : PASSES;
    // The first does not count: one of them has been idle for as long as the other was warmed.
    for (int pass = 0; pass <= passes; pass++) {
      List<Turn> turns = new ArrayList<>(List.of(Turn.values()));
      if (pass % 2 == 0) {
        Collections.reverse(turns);
      }
      for (Turn turn : turns) {
        MeasuringProgram program = turn == Turn.STOCK ? stock : freshet;
        program.ask(turn.request);
        List<String[]> printed = program.awaitAnswer(WAITING);
        if (pass > 0) {
          times.get(turn).add(printed);
        }
      }
      if (pass > 0) {
        String all =
            String.join(
                ", ",
                times.entrySet().stream()
                    .map(
                        of ->
                            String.format(
                                Locale.ROOT,
                                "%s %.0f ms",
                                of.getKey().title,
                                last(of.getValue().passes())))
                    .toList());
        context.progress().accept(which + ", pass " + pass + " of " + passes + ": " + all);
      }
    }
  }

  private static double last(List<Double> values) {
    return values.get(values.size() - 1);
  }

  private static List<BenchRow> rows(Map<Turn, Times> times) {
    List<BenchRow> rows = new ArrayList<>();
    Times freshet = times.get(Turn.FRESHET);
    Times stock = times.get(Turn.STOCK);
    freshet
        .byQuery
        .keySet()
        .forEach(query -> rows.add(row(query, freshet.of(query), stock.of(query).median())));
    String name = "all " + freshet.byQuery.size() + " queries";
    addAll(rows, name, freshet.passes(), stock.passes());
    addAll(
        rows,
        name + ", and switched off in the same JVMs",
        freshet.passes(),
        times.get(Turn.SWITCHED_OFF).passes());
    return rows;
  }

  private static void addAll(
      List<BenchRow> rows, String name, List<Double> freshet, List<Double> others) {
    double beside = samples(others).median();
    rows.add(row(name, samples(freshet), beside).withTarget(MOST * beside));
    List<Double> ratios =
        IntStream.range(0, freshet.size())
            .mapToObj(pass -> freshet.get(pass) / others.get(pass))
            .toList();
    rows.add(
        BenchRow.of(
                name, "each pass to the one beside it", "x", BenchRow.Better.LOWER, samples(ratios))
            .withTarget(MOST));
  }

  private static BenchRow row(String name, Samples times, double stock) {
    return BenchRow.of(name, "time", "ms", BenchRow.Better.LOWER, times).withStock(stock);
  }

  private static Samples samples(List<Double> values) {
    return Samples.of(values, Double::doubleValue);
  }
}
