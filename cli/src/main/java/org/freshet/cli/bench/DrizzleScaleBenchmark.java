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

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.freshet.cli.bench.BenchRow.Better;

/**
 * What a driver does for a micro-batch when there are many executors, by Spark as it is and with
 * Freshet's scheduler: figure 4 (a) of Drizzle's evaluation, on up to 4 096 executors. Those are
 * simulated by one process, which answers tasks instead of running them. Each round runs both ways
 * in turn, each in a JVM of its own.
 */
final class DrizzleScaleBenchmark implements Benchmark {
  private static final String PLUGIN =
      "-Dspark.plugins=org.apache.spark.scheduler.drizzle.DrizzlePlugin";

  /** What Spark's own launcher opens to it. */
  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.lang.invoke",
          "java.lang.reflect",
          "java.io",
          "java.net",
          "java.nio",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "sun.nio.ch",
          "sun.nio.cs",
          "sun.security.action",
          "sun.util.calendar");

  private static final int SLOTS = 4;
  private static final int FIXED_TASKS = 512;

  /** So many tasks warm the JVMs up, of each number of stages. */
  private static final int TASKS_TO_WARM_UP = 20_000;

  /** What a micro-batch is, by the application's name of it. */
  private enum Kind {
    ONE_STAGE("1"),
    TWO_STAGES("2"),
    ITERATION("iteration");

    private final String name;

    Kind(String name) {
      this.name = name;
    }

    static Kind of(String name) {
      return Stream.of(values()).filter(kind -> kind.name.equals(name)).findFirst().orElseThrow();
    }
  }

  /** What is submitted, as the application takes it. */
  private record Load(int executors, int tasks, Kind kind, int group, int batches) {
    static Load of(String[] fields, int first) {
      return new Load(
          Integer.parseInt(fields[first]),
          Integer.parseInt(fields[first + 1]),
          Kind.of(fields[first + 2]),
          Integer.parseInt(fields[first + 3]),
          Integer.parseInt(fields[first + 4]));
    }

    String argument() {
      return executors + "," + tasks + "," + kind.name + "," + group + "," + batches;
    }

    String title() {
      String together = kind == Kind.ITERATION ? ", groups of " + group : ", " + group + " at once";
      return executors
          + " executors, "
          + tasks
          + (kind == Kind.TWO_STAGES ? " + 16" : "")
          + " tasks"
          + (group == 1 ? "" : together);
    }

    /** Whether Spark can do so as it is. */
    boolean isForStock() {
      return kind != Kind.ITERATION;
    }

    /** Whether that is what stock does for it: each iteration is a job. */
    boolean isDoneAs(Load ofStock) {
      return equals(ofStock)
          || kind == Kind.ITERATION
              && ofStock.kind == Kind.ONE_STAGE
              && ofStock.group == 1
              && ofStock.executors == executors
              && ofStock.tasks == tasks;
    }
  }

  /** For a micro-batch, on average; as the application writes it. */
  private record Cost(
      double ms, double cpuMs, double bytes, double sent, double received, double simulatorCpuMs) {
    static Cost of(String[] fields, int first) {
      return new Cost(
          Double.parseDouble(fields[first]),
          Double.parseDouble(fields[first + 1]),
          Double.parseDouble(fields[first + 2]),
          Double.parseDouble(fields[first + 3]),
          Double.parseDouble(fields[first + 4]),
          Double.parseDouble(fields[first + 5]));
    }
  }

  @Override
  public String name() {
    return "drizzle-scale";
  }

  @Override
  public String description() {
    return "What Spark's driver does for a micro-batch on 128 to 4 096 simulated executors.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    int rounds = context.runs().orElse(context.quick() ? 1 : 3);
    List<Load> loads = loads(context.quick());
    List<Load> forStock = loads.stream().filter(Load::isForStock).toList();
    Map<Load, List<Cost>> stock = new LinkedHashMap<>();
    Map<Load, List<Cost>> freshet = new LinkedHashMap<>();
    for (int round = 1; round <= rounds; round++) {
      context.progress().accept("Round " + round + " of " + rounds + ": stock");
      measure(context, false, forStock, stock);
      context.progress().accept("Round " + round + " of " + rounds + ": Freshet");
      measure(context, true, loads, freshet);
    }
    List<BenchRow> rows = new ArrayList<>();
    for (Load load : loads) {
      String title = load.title();
      List<Cost> ours = freshet.get(load);
      List<Cost> theirs =
          stock.get(forStock.stream().filter(load::isDoneAs).findFirst().orElseThrow());
      rows.add(row(title, "time of a micro-batch", "ms", ours, theirs, Cost::ms));
      rows.add(row(title, "CPU time of the driver", "ms", ours, theirs, Cost::cpuMs));
      rows.add(row(title, "sent by the driver", "KB", ours, theirs, cost -> cost.bytes() / 1000));
      rows.add(row(title, "messages from the driver", "messages", ours, theirs, Cost::sent));
      rows.add(row(title, "messages to the driver", "messages", ours, theirs, Cost::received));
      rows.add(row(title, "CPU time of the simulator", "ms", ours, theirs, Cost::simulatorCpuMs));
    }
    return rows;
  }

  private static BenchRow row(
      String title,
      String metric,
      String unit,
      List<Cost> ours,
      List<Cost> stock,
      ToDoubleFunction<Cost> figure) {
    return BenchRow.of(title, metric, unit, Better.LOWER, Samples.of(ours, figure))
        .withStock(Samples.of(stock, figure).median());
  }

  /**
   * Fewest executors first, since those that are there stay. Groups are measured at both ends,
   * where their jobs share messages most and least.
   */
  private static List<Load> loads(boolean quick) {
    List<Integer> sizes = quick ? List.of(128, 1024) : List.of(128, 512, 1024, 2048, 4096);
    int largest = sizes.get(sizes.size() - 1);
    List<Load> loads = new ArrayList<>();
    for (int executors : sizes) {
      int slots = executors * SLOTS;
      for (Kind kind : List.of(Kind.ONE_STAGE, Kind.TWO_STAGES)) {
        loads.add(new Load(executors, FIXED_TASKS, kind, 1, 5));
        if (executors == sizes.get(0) || executors == largest) {
          loads.add(new Load(executors, FIXED_TASKS, kind, 10, 10));
        }
        if (executors == largest && !quick) {
          loads.add(new Load(executors, FIXED_TASKS, kind, 100, 100));
        }
        if (slots != FIXED_TASKS) {
          loads.add(new Load(executors, slots, kind, 1, Math.max(1, 10_000 / slots)));
        }
      }
      for (int group : List.of(10, 100)) {
        loads.add(new Load(executors, slots, Kind.ITERATION, group, 2 * group));
      }
    }
    return loads;
  }

  private static void measure(
      BenchContext context, boolean isFreshet, List<Load> loads, Map<Load, List<Cost>> measured)
      throws IOException, InterruptedException {
    Path log = context.workDirectory().resolve("driver.log");
    List<String> command = command(context, isFreshet, loads);
    try (MeasuringProgram driver =
        new MeasuringProgram(
            "The driver", command, log, Set.of("sample"), MeasuringProgram.LIMIT)) {
      for (String[] fields : driver.finish()) {
        Load load = Load.of(fields, 1);
        measured.computeIfAbsent(load, key -> new ArrayList<>()).add(Cost.of(fields, 6));
      }
    }
  }

  private static List<String> command(BenchContext context, boolean isFreshet, List<Load> loads)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx3g");
    OPENED.forEach(opened -> command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED"));
    if (isFreshet) {
      command.add(PLUGIN);
    }
    Stream<Path> own =
        Stream.of(context.installation().drizzleBench(), context.installation().drizzleJar());
    command.add("-cp");
    command.add(
        String.join(
            File.pathSeparator,
            Stream.concat(own, context.installation().sparkJars().stream())
                .map(Path::toString)
                .toList()));
    command.add("org.apache.spark.scheduler.drizzle.bench.SchedulingCost");
    command.add("1");
    for (Kind kind : List.of(Kind.ONE_STAGE, Kind.TWO_STAGES)) {
      int executors = loads.get(0).executors();
      int batches = TASKS_TO_WARM_UP / FIXED_TASKS / 10 * 10;
      Load warmUp = new Load(executors, FIXED_TASKS, kind, 10, batches);
      command.add("warm-up:" + warmUp.argument());
    }
    loads.forEach(load -> command.add(load.argument()));
    return command;
  }
}
