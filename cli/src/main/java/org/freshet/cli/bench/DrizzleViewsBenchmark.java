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
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.BenchSeries.Axis;
import org.freshet.cli.bench.SparkApplications.Way;

/**
 * The Yahoo streaming benchmark by Spark as it is and with Freshet, each at the smallest interval
 * that it keeps up: how long it takes until an event is counted, as figures 5 (a) and (c) of
 * Drizzle's evaluation show it. Events are made by the tasks that read them, or come from Kafka.
 */
final class DrizzleViewsBenchmark implements Benchmark {
  private static final List<Way> WAYS = List.of(SparkApplications.STOCK, SparkApplications.FRESHET);

  /** What Spark lacks to read from Kafka, by the beginnings of the jars' names. */
  private static final List<String> CONNECTOR =
      List.of(
          "spark-streaming-kafka-0-10_",
          "spark-token-provider-kafka-0-10_",
          "kafka-clients-",
          "commons-pool2-");

  private static final int EVENTS_PER_SECOND = 10_000;
  private static final List<String> HOW = List.of("reduce", "group");
  private static final List<String> KINDS = List.of("events", "windows");
  private static final String INTERVALS = "1000,500,300,200,150,100,75,50,40,30";

  /** What is counted in the JSON's curves, and since when. */
  private static final Map<String, Axis> COUNTED =
      Map.of(
          "events", new Axis("time since the event", "ms"),
          "windows", new Axis("time since the window's end", "ms"));

  /** Views counted in some way, by Spark as it is or with Freshet. */
  private record Case(String views, Way way) {
    String title() {
      return views + ", " + way.title();
    }

    Case stock() {
      return new Case(views, SparkApplications.STOCK);
    }
  }

  /** How late things of a kind were. */
  private record Kind(Case of, String kind) {
    Kind stock() {
      return new Kind(of.stock(), kind);
    }
  }

  /**
   * How late things were at an interval.
   *
   * @param delays in milliseconds
   */
  private record Delays(int intervalMs, boolean isKeptUp, Hundredths delays) {
    static Delays of(String[] fields) {
      return new Delays(
          Integer.parseInt(fields[1]),
          Boolean.parseBoolean(fields[2]),
          Hundredths.printed(fields[3]));
    }

    double percentile(int of100) {
      return delays.percentile(of100);
    }
  }

  @Override
  public String name() {
    return "drizzle-views";
  }

  @Override
  public String description() {
    return "The Yahoo streaming benchmark: how soon the views of advertisements are counted.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    int rounds = context.runs().orElse(context.quick() ? 1 : 3);
    Map<Kind, List<Delays>> best = new LinkedHashMap<>();
    try (SparkApplications spark = new SparkApplications(context)) {
      for (int round = 1; round <= rounds; round++) {
        String ofRound = "Round " + round + " of " + rounds + ": ";
        for (String how : HOW) {
          for (Way way : WAYS) {
            Case which = new Case("views counted by " + how, way);
            context.progress().accept(ofRound + which.title());
            add(best, which, generated(context, spark, way, how));
          }
        }
        // Grouping costs what it does wherever events come from.
        for (String how : context.quick() ? HOW.subList(0, 1) : HOW) {
          for (Way way : WAYS) {
            Case which = new Case("views from Kafka counted by " + how, way);
            context.progress().accept(ofRound + which.title());
            add(best, which, fromKafka(context, spark, way, how));
          }
        }
      }
    }
    best.forEach(
        (kind, delays) -> {
          for (int i = 0; i < delays.size(); i++) {
            context.series().accept(series(kind, i + 1, delays.get(i)));
          }
        });
    return rows(best);
  }

  private static List<String[]> generated(
      BenchContext context, SparkApplications spark, Way way, String how)
      throws IOException, InterruptedException {
    List<String> arguments =
        List.of(how, String.valueOf(EVENTS_PER_SECOND), INTERVALS, seconds(context));
    return spark.run(way, "AdViews", arguments, Set.copyOf(KINDS));
  }

  private static List<String[]> fromKafka(
      BenchContext context, SparkApplications spark, Way way, String how)
      throws IOException, InterruptedException {
    List<Path> kafka = context.installation().kafkaJars();
    List<Path> connector =
        Stream.concat(
                Stream.of(context.installation().kafkaBench()),
                kafka.stream()
                    .filter(
                        jar ->
                            CONNECTOR.stream().anyMatch(jar.getFileName().toString()::startsWith)))
            .toList();
    Path directory =
        Files.createTempDirectory(Files.createDirectories(context.workDirectory()), "kafka");
    try (AdEventWriter writer =
        AdEventWriter.start(context.installation(), directory, EVENTS_PER_SECOND)) {
      List<String> arguments = List.of(how, writer.broker(), INTERVALS, seconds(context));
      return spark.run(way.withJars(connector), "KafkaAdViews", arguments, Set.copyOf(KINDS));
    }
  }

  /** For each interval. */
  private static String seconds(BenchContext context) {
    return context.quick() ? "10" : "20";
  }

  private static void add(Map<Kind, List<Delays>> best, Case which, List<String[]> lines)
      throws IOException {
    for (String kind : KINDS) {
      best.computeIfAbsent(new Kind(which, kind), key -> new ArrayList<>())
          .add(atSmallestInterval(kind, lines));
    }
  }

  /** At the smallest interval that was kept up, or the longest if none was. */
  private static Delays atSmallestInterval(String kind, List<String[]> lines) throws IOException {
    List<Delays> all =
        lines.stream().filter(fields -> fields[0].equals(kind)).map(Delays::of).toList();
    if (all.isEmpty()) {
      throw new IOException("No batch ended in time, at any interval");
    }
    return all.stream().filter(Delays::isKeptUp).reduce((a, b) -> b).orElse(all.get(0));
  }

  private static List<BenchRow> rows(Map<Kind, List<Delays>> best) {
    List<BenchRow> rows = new ArrayList<>();
    best.forEach(
        (key, delays) -> {
          String what = key.of().title();
          List<Delays> stock = best.get(key.stock());
          boolean isFreshet = stock != delays;
          if (key.kind().equals("events")) {
            rows.add(
                row(
                    what,
                    "smallest interval kept up",
                    delays,
                    stock,
                    isFreshet,
                    Delays::intervalMs));
          }
          String from = key.kind().equals("events") ? "from an event" : "from a window's end";
          for (int of100 : List.of(50, 95, 99)) {
            rows.add(
                row(
                    what,
                    from + " to its count, " + of100 + " of 100",
                    delays,
                    stock,
                    isFreshet,
                    d -> d.percentile(of100)));
          }
        });
    return rows;
  }

  private static BenchSeries series(Kind kind, int round, Delays delays) {
    return new BenchSeries(
        kind.of().views(),
        kind.of().way().title() + ", every " + delays.intervalMs() + " ms",
        kind.kind() + " counted",
        "%",
        COUNTED.get(kind.kind()),
        round,
        delays.delays().points(),
        List.of());
  }

  private static BenchRow row(
      String what,
      String metric,
      List<Delays> delays,
      List<Delays> stock,
      boolean isFreshet,
      ToDoubleFunction<Delays> value) {
    BenchRow row = BenchRow.of(what, metric, "ms", Better.LOWER, Samples.of(delays, value));
    return isFreshet ? row.withStock(Samples.of(stock, value).median()) : row;
  }
}
