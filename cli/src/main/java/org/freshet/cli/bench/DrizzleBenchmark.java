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

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.cluster.StandaloneSpark;

/**
 * The time of a micro-batch that has next to nothing to compute, by Spark as it is and with
 * Freshet's scheduler, whose parts are shown apart: figure 4 of Drizzle's evaluation. Each round
 * runs every way in a JVM of its own, on one standalone cluster of two workers of one core each.
 */
final class DrizzleBenchmark implements Benchmark {
  private static final String PLUGIN =
      "spark.plugins=org.apache.spark.scheduler.drizzle.DrizzlePlugin";
  private static final int LARGEST_GROUP = 100;
  private static final int WORKER_MB = 1024;

  /** A way to run micro-batches. */
  private enum Way {
    STOCK("stock", List.of()),
    INLINED("stages inlined", List.of(PLUGIN, "spark.freshet.drizzle.preScheduling=false")),
    FRESHET("pre-scheduled", List.of(PLUGIN));

    private final String title;
    private final List<String> settings;

    Way(String title, List<String> settings) {
      this.title = title;
      this.settings = settings;
    }
  }

  /** One figure: how micro-batches ran, and what they were. */
  private record Case(Way way, int stages, int tasks, int group) {
    Case stock() {
      return new Case(Way.STOCK, stages, tasks, 1);
    }

    double timesFaster() {
      return stages == 1 ? 10 : 5;
    }

    String title() {
      return (stages == 1 ? "1 stage, " + tasks + " tasks" : "2 stages, " + tasks + " + 16 tasks")
          + ", "
          + way.title
          + (group == 1 ? "" : ", " + group + " at once");
    }
  }

  @Override
  public String name() {
    return "drizzle";
  }

  @Override
  public String description() {
    return "Micro-batches on a standalone Spark: stages inlined, pre-scheduled, and in groups.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    int rounds = context.runs().orElse(context.quick() ? 1 : 3);
    String tasks = context.quick() ? "16" : "4,8,16,32";
    Map<Case, List<Double>> samples = new LinkedHashMap<>();
    try (StandaloneSpark spark =
        StandaloneSpark.start(
            context.workDirectory(), context.installation().sparkJars(), 2, WORKER_MB)) {
      for (int round = 1; round <= rounds; round++) {
        for (Way way : Way.values()) {
          context.progress().accept("Round " + round + " of " + rounds + ": " + way.title);
          String groups = way == Way.INLINED ? "1" : "1,10," + LARGEST_GROUP;
          measure(context, spark, way, tasks, groups, samples);
        }
      }
    }
    List<BenchRow> rows = new ArrayList<>();
    samples.forEach((key, values) -> rows.add(row(key, values, samples.get(key.stock()))));
    return rows;
  }

  private static BenchRow row(Case key, List<Double> values, List<Double> stock) {
    BenchRow row =
        BenchRow.of(key.title(), "time of a micro-batch", "ms", Better.LOWER, of(values));
    double stockMedian = of(stock).median();
    if (!key.equals(key.stock())) {
      row = row.withStock(stockMedian);
    }
    return key.way() == Way.FRESHET && key.group() == LARGEST_GROUP
        ? row.withTarget(stockMedian / key.timesFaster())
        : row;
  }

  private static Samples of(List<Double> values) {
    return Samples.of(values, value -> value);
  }

  private static void measure(
      BenchContext context,
      StandaloneSpark spark,
      Way way,
      String tasks,
      String groups,
      Map<Case, List<Double>> samples)
      throws IOException, InterruptedException {
    List<Path> classPath = new ArrayList<>();
    classPath.add(context.installation().drizzleBench());
    if (way != Way.STOCK) {
      classPath.add(context.installation().drizzleJar());
    }
    classPath.addAll(context.installation().sparkJars());
    String joined = StandaloneSpark.join(classPath);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx1g");
    command.addAll(StandaloneSpark.JVM_OPTIONS);
    command.addAll(List.of("-cp", joined, "org.freshet.drizzle.bench.MicroBatches"));
    command.addAll(
        List.of(spark.master(), tasks, "1,2", groups, context.quick() ? "50" : "100", "200"));
    command.addAll(
        List.of(
            "spark.driver.host=127.0.0.1",
            "spark.driver.bindAddress=127.0.0.1",
            "spark.ui.enabled=false",
            "spark.executor.memory=" + (WORKER_MB - 200) + "m",
            "spark.executor.extraClassPath=" + joined));
    command.addAll(way.settings);
    Process process =
        new ProcessBuilder(command)
            .redirectError(
                ProcessBuilder.Redirect.appendTo(
                    context.workDirectory().resolve("application.log").toFile()))
            .start();
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] fields = line.split("\t");
        if (fields[0].equals("sample")) {
          samples
              .computeIfAbsent(
                  new Case(
                      way,
                      Integer.parseInt(fields[1]),
                      Integer.parseInt(fields[2]),
                      Integer.parseInt(fields[3])),
                  key -> new ArrayList<>())
              .add(Double.valueOf(fields[4]));
        }
      }
    } finally {
      process.destroy();
    }
    if (process.waitFor() != 0) {
      throw new IOException(
          "the micro-batches failed, "
              + way.title
              + "; see "
              + context.workDirectory().resolve("application.log"));
    }
  }
}
