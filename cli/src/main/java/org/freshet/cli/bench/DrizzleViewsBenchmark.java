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
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.freshet.cli.bench.SparkApplications.Way;

/**
 * The Yahoo streaming benchmark by Spark as it is and with Freshet: how long it takes until an
 * event is counted, as figures 5 (a) and (c) of Drizzle's evaluation show it. Events are made by
 * the tasks that read them, or come from Kafka.
 */
final class DrizzleViewsBenchmark implements Benchmark {
  /** What Spark lacks to read from Kafka, by the beginnings of the jars' names. */
  private static final List<String> CONNECTOR =
      List.of(
          "spark-streaming-kafka-0-10_",
          "spark-token-provider-kafka-0-10_",
          "kafka-clients-",
          "commons-pool2-");

  private static final int EVENTS_PER_SECOND = 10_000;
  private static final List<String> HOW = List.of("reduce", "group");
  private static final String INTERVALS = "1000,500,300,200,150,100,75,50,40,30";

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
    ViewDelays delays = new ViewDelays();
    try (SparkApplications spark = new SparkApplications(context)) {
      for (int round = 1; round <= rounds; round++) {
        String ofRound = "Round " + round + " of " + rounds + ": ";
        Consumer<String> progress = title -> context.progress().accept(ofRound + title);
        for (String how : HOW) {
          measure(
              "views counted by " + how,
              way -> generated(context, spark, way, how),
              delays,
              progress);
        }
        // Grouping costs what it does wherever events come from.
        for (String how : context.quick() ? HOW.subList(0, 1) : HOW) {
          measure(
              "views from Kafka counted by " + how,
              way -> fromKafka(context, spark, way, how),
              delays,
              progress);
        }
      }
    }
    delays.series(context.series());
    return delays.rows();
  }

  /** An application that counts views; what it has printed. */
  @FunctionalInterface
  private interface Application {
    List<String[]> run(Way way) throws IOException, InterruptedException;
  }

  private static void measure(
      String views, Application application, ViewDelays delays, Consumer<String> progress)
      throws IOException, InterruptedException {
    progress.accept(views + ", " + SparkApplications.STOCK.title());
    List<String[]> stock = application.run(SparkApplications.STOCK);
    progress.accept(views + ", " + SparkApplications.FRESHET.title());
    delays.add(views, stock, application.run(SparkApplications.FRESHET));
  }

  private static List<String[]> generated(
      BenchContext context, SparkApplications spark, Way way, String how)
      throws IOException, InterruptedException {
    List<String> arguments =
        List.of(how, String.valueOf(EVENTS_PER_SECOND), INTERVALS, seconds(context));
    return spark.run(way, "AdViews", arguments, Set.copyOf(ViewDelays.KINDS));
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
      return spark.run(
          way.withJars(connector), "KafkaAdViews", arguments, Set.copyOf(ViewDelays.KINDS));
    }
  }

  /** For each interval. */
  private static String seconds(BenchContext context) {
    return context.quick() ? "10" : "20";
  }
}
