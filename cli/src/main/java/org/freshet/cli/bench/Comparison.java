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
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.WordCountOnCluster.Run;
import org.freshet.cli.cluster.ClusterOptions;
import org.freshet.cli.cluster.LocalCluster;

/** The rows of a benchmark on a cluster, in which figures of Freshet stand beside stock's. */
final class Comparison {
  private final BenchContext context;
  private final List<BenchRow> rows = new ArrayList<>();

  Comparison(BenchContext context) {
    this.context = context;
  }

  /** Starts a cluster that ends with this process, at the latest. */
  static LocalCluster startCluster(BenchContext context) throws IOException, InterruptedException {
    return startCluster(context, ClusterOptions.DEFAULT);
  }

  /** Starts a cluster of that size that ends with this process, at the latest. */
  static LocalCluster startCluster(BenchContext context, ClusterOptions options)
      throws IOException, InterruptedException {
    context.progress().accept("Starting a cluster for the benchmark");
    return LocalCluster.start(
            context.workDirectory().resolve("cluster"),
            options,
            context.installation().clusterJars(),
            context.progress())
        .untilExit();
  }

  List<BenchRow> rows() {
    return rows;
  }

  void add(BenchRow row) {
    rows.add(row);
  }

  /** Adds a figure of ours, of which less is better, and the median of stock's. */
  void addBeside(
      String name,
      String metric,
      String unit,
      List<JobOutcome> ours,
      List<JobOutcome> stock,
      ToDoubleFunction<JobOutcome> figure) {
    rows.add(
        BenchRow.of(name, metric, unit, Better.LOWER, Samples.of(ours, figure))
            .withStock(Samples.of(stock, figure).median()));
  }

  /** Adds how much more of something our runs took than stock's, which should be little. */
  void addOverhead(
      String name,
      String metric,
      List<JobOutcome> ours,
      List<JobOutcome> stock,
      ToDoubleFunction<JobOutcome> figure,
      double targetPercent) {
    double median = Samples.of(stock, figure).median();
    rows.add(
        BenchRow.of(
                name,
                metric,
                "%",
                Better.LOWER,
                Samples.of(ours, o -> 100 * (figure.applyAsDouble(o) / median - 1)))
            .withTarget(targetPercent));
  }

  /** Gives the row added last a target. */
  void targetOfLast(double target) {
    rows.add(rows.remove(rows.size() - 1).withTarget(target));
  }

  /** Tells what a run took. */
  Run timed(String what, Run done) {
    say(
        String.format(
            Locale.ROOT,
            "%s: %.1f s, %.1f CPU s, %d containers",
            what,
            done.outcome().wallSeconds(),
            done.outcome().cpuSeconds(),
            done.outcome().containers()));
    return done;
  }

  void say(String line) {
    context.progress().accept(line);
  }
}
