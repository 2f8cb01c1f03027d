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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.EditableText.Edit;
import org.freshet.cli.bench.WordCountOnCluster.Run;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.hdfs.HdfsKeys;

/**
 * Word count on a cluster of this machine: stock, the first run with Freshet, and runs after a
 * share of the input changed.
 *
 * <p>Beside each incremental run stand two stock jobs. One reads the whole changed input: it is
 * what the user would have to do without Freshet, and its output is the oracle. The other reads the
 * changed data alone: no system that computes what changed can be faster, so it is the limit. Edits
 * accumulate, each run follows on the one before. Every case is measured several times and the
 * median taken; stock and Freshet alternate, so that a slow minute of the machine meets both.
 */
final class MapReduceBenchmark implements Benchmark {
  private static final int FILES = 4;
  private static final long SEED = 20_261_121;
  private static final int CHUNK_BYTES = 4 << 20;
  private static final int SMALL_CHUNK_BYTES = 1 << 20;
  private static final double FIRST_RUN_TARGET_PERCENT = 5;
  private static final double LIMIT_TARGET = 1.2;
  private static final double STORE_TARGET = 2;

  private static final Change NONE = new Change("0 % changed", 0, Shape.NOTHING);
  private static final Change ONE_CHUNK = new Change("1 chunk changed", 0, Shape.LINE);

  private static final Change ONE_PERCENT = new Change("1 % changed", 0.01, Shape.STRETCHES);
  private static final Change FIVE_PERCENT = new Change("5 % changed", 0.05, Shape.STRETCHES);
  private static final Change TEN_PERCENT = new Change("10 % changed", 0.10, Shape.STRETCHES);
  private static final Change QUARTER = new Change("25 % changed", 0.25, Shape.STRETCHES);
  private static final Change SCATTERED =
      new Change("5 % changed, scattered", 0.05, Shape.SCATTERED);

  private static final List<Change> CHANGES =
      List.of(NONE, ONE_CHUNK, ONE_PERCENT, FIVE_PERCENT, TEN_PERCENT, QUARTER, SCATTERED);

  /** The changes whose chunks hold much that did not change, measured with smaller chunks too. */
  private static final List<Change> SMALL_CHUNK_CHANGES = List.of(ONE_PERCENT, SCATTERED);

  private static final List<Change> QUICK_CHANGES = List.of(NONE, ONE_CHUNK, FIVE_PERCENT, QUARTER);

  private static final Setting DEFAULT_CHUNKS = new Setting(Map.of(), "");
  private static final Setting SMALL_CHUNKS =
      new Setting(
          Map.of(HdfsKeys.CHUNK_AVERAGE.name(), Integer.toString(SMALL_CHUNK_BYTES)),
          ", chunks of 1 MiB");

  /** Where the changed lines are. */
  private enum Shape {
    NOTHING,
    /** A single line. */
    LINE,
    /** One stretch of each file. */
    STRETCHES,
    /** Regions of a megabyte anywhere: each spoils a whole chunk or two. */
    SCATTERED
  }

  /** How much of the input is changed before each run. */
  private record Change(String name, double share, Shape shape) {}

  /** Properties of Freshet's jobs, and what the names of cases measured with them end in. */
  private record Setting(Map<String, String> properties, String suffix) {}

  @Override
  public String name() {
    return "mapreduce";
  }

  @Override
  public String description() {
    return "Word count on YARN: first run, and runs after 0 to 25 % of the input changed, beside"
        + " stock Hadoop.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    try (LocalCluster cluster = Comparison.startCluster(context);
        WordCountOnCluster wordCount = new WordCountOnCluster(context.installation(), cluster)) {
      return new Measurement(context, wordCount).run();
    }
  }

  /** One run of the benchmark on a running cluster. */
  private static final class Measurement {
    private final BenchContext context;
    private final WordCountOnCluster wordCount;
    private final EditableText text;
    private final int runs;
    private final Path input = new Path("input");
    private final Comparison comparison;

    Measurement(BenchContext context, WordCountOnCluster wordCount) throws IOException {
      this.context = context;
      this.wordCount = wordCount;
      this.comparison = new Comparison(context);
      this.runs = context.runs().orElse(context.quick() ? 1 : 3);
      int sizeMb = context.sizeMb().orElse(context.quick() ? 96 : 512);
      comparison.say("Generating " + sizeMb + " MB of text");
      this.text = new EditableText(context.workDirectory().resolve("text"), FILES, sizeMb, SEED);
    }

    List<BenchRow> run() throws IOException, InterruptedException {
      wordCount.upload(text.paths(), input);
      warmUp();
      measure(DEFAULT_CHUNKS, context.quick() ? QUICK_CHANGES : CHANGES);
      if (!context.quick()) {
        measure(SMALL_CHUNKS, SMALL_CHUNK_CHANGES);
      }
      return comparison.rows();
    }

    private void measure(Setting setting, List<Change> changes)
        throws IOException, InterruptedException {
      Path store = measureFirstRuns(setting);
      for (Change change : changes) {
        measureChange(change, setting, store);
      }
    }

    /** The first job on fresh daemons pays for their class loading, on either side. */
    private void warmUp() throws IOException, InterruptedException {
      comparison.say("Warming up the cluster");
      java.nio.file.Path small = context.workDirectory().resolve("warm-up.txt");
      Files.write(small, new ZipfText(SEED).lines(EditableText.REGION_BYTES));
      wordCount.upload(List.of(small), new Path("warm-up"));
      wordCount.stock(new Path("warm-up"));
    }

    private Path measureFirstRuns(Setting setting) throws IOException, InterruptedException {
      List<Run> stock = new ArrayList<>();
      List<Run> first = new ArrayList<>();
      String name = "first run" + setting.suffix();
      Path store = null;
      for (int run = 0; run < runs; run++) {
        store = new Path("memo-" + run + setting.suffix().replaceAll("[^A-Za-z0-9]+", "-"));
        // Whoever runs second finds warmer caches: take turns.
        boolean stockFirst = run % 2 == 0;
        if (stockFirst) {
          stock.add(timed(name + ", stock", run, wordCount.stock(input)));
        }
        first.add(timed(name, run, wordCount.freshet(input, store, setting.properties())));
        if (!stockFirst) {
          stock.add(timed(name + ", stock", run, wordCount.stock(input)));
        }
        wordCount.requireSame(stock.get(run), first.get(run));
      }
      addCosts(name, outcomes(first), outcomes(stock));
      comparison.addOverhead(
          name,
          "wall time over stock",
          outcomes(first),
          outcomes(stock),
          JobOutcome::wallSeconds,
          FIRST_RUN_TARGET_PERCENT);
      comparison.addOverhead(
          name,
          "CPU time over stock",
          outcomes(first),
          outcomes(stock),
          JobOutcome::cpuSeconds,
          FIRST_RUN_TARGET_PERCENT);
      addStoreSize(name, store);
      return store;
    }

    private void measureChange(Change change, Setting setting, Path store)
        throws IOException, InterruptedException {
      String name = change.name() + setting.suffix();
      List<Run> stock = new ArrayList<>();
      List<Run> incremental = new ArrayList<>();
      List<Run> limit = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        if (change.shape() != Shape.NOTHING) {
          Edit edit = edit(change);
          wordCount.upload(edit.files(), input);
          limit.add(timed(name + ", stock over the changed data", run, limit(edit, name, run)));
        }
        incremental.add(timed(name, run, wordCount.freshet(input, store, setting.properties())));
        stock.add(timed(name + ", stock", run, wordCount.stock(input)));
        wordCount.requireSame(stock.get(run), incremental.get(run));
      }
      addCosts(name, outcomes(incremental), outcomes(stock));
      double stockWall = Samples.of(outcomes(stock), JobOutcome::wallSeconds).median();
      comparison.add(
          BenchRow.of(
              name,
              "times faster than stock",
              "x",
              Better.HIGHER,
              Samples.of(outcomes(incremental), o -> stockWall / o.wallSeconds())));
      if (!limit.isEmpty()) {
        addLimit(name, outcomes(incremental), outcomes(limit));
      }
      addStoreSize(name, store);
    }

    private Edit edit(Change change) throws IOException {
      return switch (change.shape()) {
        case NOTHING -> throw new IllegalArgumentException("nothing to edit");
        case LINE -> text.replaceLine(CHUNK_BYTES);
        case STRETCHES -> text.replaceStretches(change.share());
        case SCATTERED -> text.replaceScattered(change.share());
      };
    }

    private Run limit(Edit edit, String name, int run) throws IOException, InterruptedException {
      Path changed = new Path("changed/" + name.replaceAll("[^a-z0-9]+", "-") + "-" + run);
      java.nio.file.Path data = context.workDirectory().resolve("changed.txt");
      Files.write(data, edit.data().toByteArray());
      wordCount.upload(List.of(data), changed);
      return wordCount.stock(changed);
    }

    private void addCosts(String name, List<JobOutcome> ours, List<JobOutcome> stock) {
      comparison.addBeside(name, "wall time", "s", ours, stock, JobOutcome::wallSeconds);
      comparison.addBeside(name, "CPU time of tasks", "s", ours, stock, JobOutcome::cpuSeconds);
      comparison.addBeside(name, "time of tasks", "s", ours, stock, JobOutcome::taskSeconds);
      comparison.addBeside(name, "containers", "", ours, stock, JobOutcome::containers);
      if (name.equals(NONE.name())) {
        comparison.targetOfLast(0);
      }
    }

    private void addLimit(String name, List<JobOutcome> ours, List<JobOutcome> limit) {
      Samples wall = Samples.of(limit, JobOutcome::wallSeconds);
      Samples cpu = Samples.of(limit, JobOutcome::cpuSeconds);
      comparison.add(BenchRow.of(name, "limit: wall time", "s", Better.LOWER, wall));
      comparison.add(BenchRow.of(name, "limit: CPU time of tasks", "s", Better.LOWER, cpu));
      comparison.add(
          BenchRow.of(
                  name,
                  "wall time to limit",
                  "x",
                  Better.LOWER,
                  Samples.of(ours, o -> o.wallSeconds() / wall.median()))
              .withTarget(LIMIT_TARGET));
      comparison.add(
          BenchRow.of(
              name,
              "CPU time to limit",
              "x",
              Better.LOWER,
              Samples.of(ours, o -> o.cpuSeconds() / cpu.median())));
    }

    private void addStoreSize(String name, Path store) throws IOException {
      comparison.add(
          BenchRow.of(
                  name,
                  "memo store to input",
                  "x",
                  Better.LOWER,
                  Samples.of((double) wordCount.size(store) / text.bytes()))
              .withTarget(STORE_TARGET));
    }

    private Run timed(String what, int run, Run done) {
      return comparison.timed(what + ", run " + (run + 1) + " of " + runs, done);
    }

    private static List<JobOutcome> outcomes(List<Run> runs) {
      return runs.stream().map(Run::outcome).toList();
    }
  }
}
