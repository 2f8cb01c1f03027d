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
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.BenchSeries.Axis;
import org.freshet.cli.bench.BenchSeries.Mark;
import org.freshet.cli.bench.BenchSeries.Point;
import org.freshet.cli.bench.SparkApplications.Way;
import org.freshet.cli.bench.Timeline.Batch;
import org.freshet.cli.bench.Timeline.Executor;

/**
 * How the Yahoo streaming benchmark does while the cluster changes: figures 5 (b) and 6 of
 * Drizzle's evaluation. An executor is killed; one stands still first, so that batches pile up,
 * with groups of several sizes; one is added; and the size of groups is tuned, at two intervals.
 * Each application runs in JVMs of its own, on one standalone cluster of two workers of one core
 * each. What was counted is compared with what there was.
 */
final class DrizzleAdaptBenchmark implements Benchmark {
  private static final int EVENTS_PER_SECOND = 10_000;
  private static final int INTERVAL_MS = 250;
  private static final int HANG_INTERVAL_MS = 100;
  private static final int SHORT_INTERVAL_MS = 50;

  /** How much longer than its batches an application may take, beside what it needs to warm up. */
  private static final Duration PATIENCE = Duration.ofMinutes(8);

  /** What happens to the cluster in the middle. */
  private enum Change {
    KILL("kill", "an executor is killed"),
    HANG("hang", "an executor stands still and is killed"),
    ADD("add", "an executor is added"),
    NONE("none", "the size of groups is tuned");

    private final String argument;
    private final String title;

    Change(String argument, String title) {
      this.argument = argument;
      this.title = title;
    }
  }

  private record Case(Change change, Way way, int intervalMs) {
    Case stock() {
      return new Case(change, SparkApplications.STOCK, intervalMs);
    }

    boolean isStock() {
      return equals(stock());
    }

    /** What tells it from others with the same change. */
    String name() {
      return change == Change.NONE ? way.title() + ", every " + intervalMs + " ms" : way.title();
    }

    String title() {
      return change.title + ", " + name();
    }
  }

  /**
   * At an interval that one batch at a time keeps up as well. So hardly more than one is under way
   * before something happens, whatever the size of groups.
   */
  private static Case hanging(int size) {
    Way way =
        SparkApplications.STOCK.withFreshet(
            "Freshet, up to " + size + " at once", "spark.freshet.drizzle.group.size=" + size);
    return new Case(Change.HANG, way, HANG_INTERVAL_MS);
  }

  private static final List<Case> CASES =
      List.of(
          new Case(Change.KILL, SparkApplications.STOCK, INTERVAL_MS),
          new Case(Change.KILL, SparkApplications.FRESHET, INTERVAL_MS),
          hanging(1),
          hanging(4),
          hanging(16),
          hanging(64),
          new Case(Change.ADD, SparkApplications.STOCK, INTERVAL_MS),
          new Case(Change.ADD, SparkApplications.FRESHET, INTERVAL_MS),
          new Case(Change.NONE, SparkApplications.FRESHET, INTERVAL_MS),
          new Case(Change.NONE, SparkApplications.FRESHET, SHORT_INTERVAL_MS));

  @Override
  public String name() {
    return "drizzle-adapt";
  }

  @Override
  public String description() {
    return "The Yahoo streaming benchmark while executors die, hang and are added, and groups are tuned.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    int rounds = context.runs().orElse(context.quick() ? 1 : 3);
    int warmUpSeconds = context.quick() ? 15 : 120;
    Map<Case, List<Timeline>> measured = new LinkedHashMap<>();
    Map<Case, Integer> failed = new LinkedHashMap<>();
    try (SparkApplications spark = new SparkApplications(context)) {
      for (int round = 1; round <= rounds; round++) {
        for (Case which : CASES) {
          context.progress().accept("Round " + round + " of " + rounds + ": " + which.title());
          Timeline timeline;
          try {
            timeline = timeline(spark, which, warmUpSeconds, context.quick());
          } catch (IOException e) {
            context.progress().accept("  failed, and is left out: " + e.getMessage());
            failed.merge(which, 1, Integer::sum);
            continue;
          }
          measured.computeIfAbsent(which, key -> new ArrayList<>()).add(timeline);
          series(which, round, timeline).forEach(context.series());
          if (which.change() != Change.NONE) {
            Disturbance disturbance = Disturbance.of(timeline);
            if (disturbance.medianMs() > 2 * which.intervalMs()) {
              context
                  .progress()
                  .accept("  the interval was not kept up before: the figures say little");
            }
            if (!disturbance.hasEnded()) {
              context.progress().accept("  latency was not usual again when the measurement ended");
            }
          }
        }
      }
    }
    List<BenchRow> rows = new ArrayList<>();
    measured.keySet().forEach(which -> rows.addAll(rows(which, measured)));
    failed.forEach((which, runs) -> rows.add(failedRuns(which, runs)));
    return rows;
  }

  private static Timeline timeline(
      SparkApplications spark, Case which, int warmUpSeconds, boolean quickly)
      throws IOException, InterruptedException {
    int seconds = seconds(which.change(), quickly);
    return Timeline.of(
        spark.run(
            which.way().with("spark.freshet.bench.warmUp=" + warmUpSeconds + "s"),
            "ChangingViews",
            List.of(
                which.change().argument,
                String.valueOf(EVENTS_PER_SECOND),
                String.valueOf(which.intervalMs()),
                String.valueOf(seconds)),
            Timeline.KINDS,
            PATIENCE.plusSeconds(seconds + warmUpSeconds)));
  }

  /** A case that fails must not take what the others have shown with it, nor be forgotten. */
  private static BenchRow failedRuns(Case which, int runs) {
    return BenchRow.of(which.title(), "runs that failed", "runs", Better.LOWER, Samples.of(runs))
        .withTarget(0);
  }

  /** Before a change, so many that 99 of 100 batches are not all of them. */
  private static int seconds(Change change, boolean quickly) {
    return !quickly ? 120 : change == Change.NONE ? 30 : 70;
  }

  private static List<BenchRow> rows(Case which, Map<Case, List<Timeline>> measured) {
    Rows rows = new Rows(which, measured);
    switch (which.change()) {
      case KILL -> {
        rows.of("batches under way when it is killed", "batches", t -> underWay(t));
        rows.ofDisturbance("latency of a batch before, median", "ms", Disturbance::medianMs);
        rows.ofDisturbance("latency of a batch before, usually", "ms", Disturbance::usualMs);
        rows.ofDisturbance("greatest latency after", "ms", Disturbance::worstMs);
        rows.ofDisturbance("latency of a batch after, mean", "ms", Disturbance::meanMs);
        double window = measured.get(which).get(0).windowMs() / 1000.0;
        rows.ofDisturbance("until latency is usual again", "s", Disturbance::seconds);
        rows.target(window);
        rows.ofDisturbance("batches counted late", "batches", Disturbance::lateBatches);
        rows.ofDisturbance("windows counted late", "windows", Disturbance::lateWindows);
        rows.target(1);
      }
      case HANG -> {
        rows.of("batches under way before, mean", "batches", t -> underWayBefore(t));
        rows.of("batches under way when it is killed", "batches", t -> underWay(t));
        rows.ofDisturbance("latency of a batch before, median", "ms", Disturbance::medianMs);
        rows.ofDisturbance("latency of a batch before, usually", "ms", Disturbance::usualMs);
        rows.ofDisturbance("greatest latency after", "ms", Disturbance::worstMs);
        rows.of("from the kill to the end of all that was due", "s", t -> toCatchUp(t));
        rows.ofDisturbance("until latency is usual again", "s", Disturbance::seconds);
        rows.ofDisturbance("batches counted late", "batches", Disturbance::lateBatches);
        rows.ofDisturbance("windows counted late", "windows", Disturbance::lateWindows);
      }
      case ADD -> {
        rows.of("latency of a batch before, median", "ms", t -> median(t, 0.25, 0.5));
        rows.of("latency of a batch after, median", "ms", t -> median(t, 0.75, 1));
        rows.ofDisturbance("greatest latency after", "ms", Disturbance::worstMs);
        rows.of("from the request to a registered executor", "s", t -> toExecutor(t));
        rows.of("from there to its first task", "s", t -> toFirstTask(t));
      }
      case NONE -> {
        rows.of("latency of a batch, median", "ms", t -> median(t, 0.25, 1));
        rows.of("largest group", "batches", t -> groupSizes(t, 0).max());
        rows.of(
            "size of groups in the last quarter, median",
            "batches",
            t -> groupSizes(t, 0.75).median());
        rows.of(
            "lost time of executors in the last quarter, median",
            "%",
            t -> 100 * lost(t, 0.75).median());
      }
    }
    rows.of("views lost", "views", Timeline::lost);
    rows.target(0);
    rows.of("views counted again", "views", Timeline::excess);
    rows.target(0);
    return rows.all;
  }

  /** The rows of a case. Of all figures less is better. */
  private static final class Rows {
    private final Case which;
    private final Map<Case, List<Timeline>> measured;
    private final List<BenchRow> all = new ArrayList<>();

    Rows(Case which, Map<Case, List<Timeline>> measured) {
      this.which = which;
      this.measured = measured;
    }

    void of(String metric, String unit, ToDoubleFunction<Timeline> figure) {
      BenchRow row =
          BenchRow.of(
              which.title(), metric, unit, Better.LOWER, Samples.of(measured.get(which), figure));
      List<Timeline> stock = measured.get(which.stock());
      all.add(
          which.isStock() || stock == null
              ? row
              : row.withStock(Samples.of(stock, figure).median()));
    }

    void ofDisturbance(String metric, String unit, ToDoubleFunction<Disturbance> figure) {
      of(metric, unit, timeline -> figure.applyAsDouble(Disturbance.of(timeline)));
    }

    /** Gives the last row a target, if Freshet has to meet it. */
    void target(double asked) {
      if (!which.isStock()) {
        all.add(all.remove(all.size() - 1).withTarget(asked));
      }
    }
  }

  /** Of batches in a part of the time, where 1 is all of it. */
  private static double median(Timeline timeline, double from, double to) {
    return Samples.of(
            timeline.latencies(from * timeline.length(), to * timeline.length()), value -> value)
        .median();
  }

  /** How many batches were under way when the cluster had changed. */
  private static double underWay(Timeline timeline) {
    return timeline.underWay(timeline.changed().orElseThrow());
  }

  private static double underWayBefore(Timeline timeline) {
    double change = timeline.change().orElseThrow();
    double ms =
        timeline.batches().stream()
            .filter(batch -> batch.due() >= change / 4 && batch.ended() <= change)
            .mapToDouble(batch -> batch.latencyMs() - batch.waitedMs())
            .sum();
    return ms / 1000 / (change - change / 4);
  }

  /** Until all batches have ended that were due when the cluster had changed. */
  private static double toCatchUp(Timeline timeline) {
    double changed = timeline.changed().orElseThrow();
    return timeline.batches().stream()
        .filter(batch -> batch.due() <= changed)
        .mapToDouble(batch -> Math.max(0, batch.ended() - changed))
        .max()
        .orElse(0);
  }

  /** If none was registered, all of the time in which it could have been. */
  private static double toExecutor(Timeline timeline) {
    double asked = timeline.change().orElseThrow();
    return timeline.executors().stream()
            .mapToDouble(Executor::added)
            .findFirst()
            .orElse(timeline.length())
        - asked;
  }

  /** If there was none, all of the time in which it could have begun. */
  private static double toFirstTask(Timeline timeline) {
    return timeline.executors().stream()
        .mapToDouble(e -> e.firstTask().orElse(timeline.length()) - e.added())
        .findFirst()
        .orElse(timeline.length() - timeline.change().orElseThrow());
  }

  private static Samples groupSizes(Timeline timeline, double from) {
    return ofBatches(timeline, from, Batch::groupSize);
  }

  private static Samples lost(Timeline timeline, double from) {
    return ofBatches(timeline, from, Batch::lost);
  }

  private static Samples ofBatches(
      Timeline timeline, double from, Function<Batch, OptionalDouble> value) {
    return Samples.of(
        timeline.batches().stream()
            .filter(batch -> batch.due() >= from * timeline.length())
            .map(value)
            .flatMapToDouble(OptionalDouble::stream)
            .toArray());
  }

  private static Stream<BenchSeries> series(Case which, int round, Timeline timeline) {
    List<Mark> marks = new ArrayList<>();
    if (which.change() == Change.HANG) {
      marks.add(new Mark(timeline.change().orElseThrow(), "an executor stands still"));
      marks.add(new Mark(timeline.changed().orElseThrow(), "it is killed"));
    } else {
      timeline.change().ifPresent(at -> marks.add(new Mark(at, which.change().title)));
    }
    for (Executor executor : timeline.executors()) {
      marks.add(new Mark(executor.added(), "a new executor is registered"));
      executor.firstTask().ifPresent(at -> marks.add(new Mark(at, "its first task begins")));
    }
    Series all = new Series(which, round, timeline, marks);
    return switch (which.change()) {
      case KILL, ADD -> Stream.of(all.ofLatency());
      case HANG -> Stream.of(all.ofUnderWay(), all.ofLatency());
      case NONE ->
          Stream.of(
              all.of("batches that may be under way at once", "batches", Batch::groupSize),
              all.of(
                  "lost time of executors",
                  "%",
                  batch -> OptionalDouble.of(100 * batch.lost().orElse(0))),
              all.ofLatency());
    };
  }

  private record Series(Case which, int round, Timeline timeline, List<Mark> marks) {
    BenchSeries ofLatency() {
      return of("latency of a batch", "ms", batch -> OptionalDouble.of(batch.latencyMs()));
    }

    /** When each was due. */
    BenchSeries ofUnderWay() {
      return of(
          "batches under way",
          "batches",
          batch -> OptionalDouble.of(timeline.underWay(batch.due())));
    }

    BenchSeries of(String metric, String unit, Function<Batch, OptionalDouble> value) {
      List<Point> points = new ArrayList<>();
      for (Batch batch : timeline.batches()) {
        value.apply(batch).ifPresent(y -> points.add(new Point(batch.due(), y)));
      }
      return new BenchSeries(
          which.change().title, which.name(), metric, unit, Axis.TIME, round, points, marks);
    }
  }
}
