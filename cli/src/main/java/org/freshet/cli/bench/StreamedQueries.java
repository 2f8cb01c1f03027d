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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.BenchSeries.Axis;
import org.freshet.cli.bench.SparkApplications.Way;

/**
 * What a micro-batch of Structured Streaming takes: queries whose batches follow each other at
 * once, by Spark as it is and with Freshet, in turn, each in JVMs of its own. The figures are
 * Spark's, which tells what parts of a batch take.
 */
final class StreamedQueries {
  private static final String APPLICATION = "StreamedQueries";

  /** What an application prints when it waits for the next request. */
  private static final String WAITING = "waiting";

  private static final String KIND = "streamed";

  /** Batches are short, and the same again and again. */
  private static final String WARM_UP = "spark.freshet.bench.warmUp=";

  private static final List<Way> WAYS = List.of(SparkApplications.STOCK, SparkApplications.FRESHET);

  /** A part of the batches of a query, as Spark calls it. */
  record Part(String query, String phase) {}

  /** The milliseconds of all batches of each round. */
  private final Map<Part, Map<Way, List<List<Double>>>> measured = new LinkedHashMap<>();

  private final Results results = new Results();
  private final BenchContext context;

  StreamedQueries(BenchContext context) {
    this.context = context;
  }

  /** Measures one round, with applications of its own. */
  void measure(SparkApplications spark, String which, boolean isStockFirst)
      throws IOException, InterruptedException {
    try (MeasuringProgram first = warm(spark, which, isStockFirst);
        MeasuringProgram second = warm(spark, which, !isStockFirst)) {
      begin();
      int passes = context.quick() ? 3 : 4;
      // The first does not count: one of them has been idle for as long as the other was warmed.
      for (int pass = 0; pass <= passes; pass++) {
        for (int turn = 0; turn < 2; turn++) {
          boolean isFirst = (turn == 0) == (pass % 2 == 0);
          MeasuringProgram program = isFirst ? first : second;
          Way way = way(isFirst == isStockFirst);
          program.ask(KIND);
          List<String[]> printed = results.check(way, program.awaitAnswer(WAITING));
          if (pass > 0) {
            add(way, printed);
          }
        }
      }
      first.finish();
      second.finish();
    }
    measured.forEach(
        (part, byWay) ->
            context
                .progress()
                .accept(
                    String.format(
                        Locale.ROOT,
                        "%s, %s, %s: %s %.0f ms, %s %.0f ms",
                        which,
                        part.query(),
                        part.phase(),
                        WAYS.get(0).title(),
                        median(byWay.get(WAYS.get(0))),
                        WAYS.get(1).title(),
                        median(byWay.get(WAYS.get(1))))));
  }

  private static double median(List<List<Double>> rounds) {
    return Samples.of(rounds.get(rounds.size() - 1), Double::doubleValue).median();
  }

  private static Way way(boolean isStock) {
    return WAYS.get(isStock ? 0 : 1);
  }

  private MeasuringProgram warm(SparkApplications spark, String which, boolean isStock)
      throws IOException, InterruptedException {
    Way way = way(isStock);
    context.progress().accept(which + ": starting and warming streamed queries, " + way.title());
    Path checkpoints = Files.createTempDirectory(context.workDirectory(), "checkpoints");
    MeasuringProgram program =
        spark.start(
            way.with(WARM_UP + (context.quick() ? "30s" : "60s")),
            APPLICATION,
            List.of(checkpoints.toString(), context.quick() ? "20" : "30"),
            Set.of(Results.KIND, KIND),
            MeasuringProgram.LIMIT);
    try {
      program.awaitAnswer(WAITING);
      return program;
    } catch (IOException | InterruptedException e) {
      program.close();
      throw e;
    }
  }

  /** What is added from now on is of a new round. */
  void begin() {
    measured.values().forEach(byWay -> byWay.values().forEach(all -> all.add(new ArrayList<>())));
  }

  /** Adds what was printed for one request. */
  void add(Way way, List<String[]> printed) {
    for (String[] fields : printed) {
      List<List<Double>> rounds =
          measured
              .computeIfAbsent(new Part(fields[1], fields[2]), part -> new LinkedHashMap<>())
              .computeIfAbsent(
                  way,
                  key -> {
                    List<List<Double>> first = new ArrayList<>();
                    first.add(new ArrayList<>());
                    return first;
                  });
      rounds.get(rounds.size() - 1).addAll(Hundredths.numbers(fields[3]));
    }
  }

  /** Freshet's, beside stock's. */
  List<BenchRow> rows() {
    List<BenchRow> rows = new ArrayList<>();
    measured.forEach(
        (part, byWay) -> {
          List<List<Double>> stock = byWay.get(SparkApplications.STOCK);
          List<List<Double>> freshet = byWay.get(SparkApplications.FRESHET);
          rows.add(row(part, "median", batches(freshet), batches(stock)));
          rows.add(row(part, "99 of 100", ofRounds(freshet), ofRounds(stock)));
        });
    return rows;
  }

  private static BenchRow row(Part part, String which, Samples freshet, Samples stock) {
    return BenchRow.of(part.query(), part.phase() + ", " + which, "ms", Better.LOWER, freshet)
        .withStock(stock.median());
  }

  private static Samples batches(List<List<Double>> rounds) {
    return Samples.of(rounds.stream().flatMap(List::stream).toList(), Double::doubleValue);
  }

  private static Samples ofRounds(List<List<Double>> rounds) {
    return Samples.of(rounds, all -> Hundredths.of(all).percentile(99));
  }

  /** How the times of batches are distributed. */
  void series(Consumer<BenchSeries> to) {
    measured.forEach(
        (part, byWay) ->
            byWay.forEach(
                (way, rounds) -> {
                  for (int i = 0; i < rounds.size(); i++) {
                    to.accept(
                        new BenchSeries(
                            part.query(),
                            way.title(),
                            "batches",
                            "%",
                            new Axis(part.phase(), "ms"),
                            i + 1,
                            Hundredths.of(rounds.get(i)).points(),
                            List.of()));
                  }
                }));
  }
}
