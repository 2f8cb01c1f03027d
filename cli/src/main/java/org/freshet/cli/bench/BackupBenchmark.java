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
import java.util.List;
import org.freshet.cli.backup.SimilarityExperiment;
import org.freshet.cli.backup.SimilarityExperiment.Step;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.shredder.Backend;
import org.freshet.shredder.Backends;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;

/**
 * Backup bandwidth and bytes sent as images resemble the first one less and less, on each backend
 * that there is: figure 3.17 of Shredder's evaluation. Every image is restored and compared.
 */
final class BackupBenchmark implements Benchmark {
  private static final int SEGMENT_BYTES = 256 << 10;
  private static final int DEFAULT_MB = 256;
  private static final List<Double> SHARES =
      List.of(0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4);
  private static final ChunkerConfig CONFIG = ChunkerConfig.of(4 << 10, 8 << 10, 32 << 10);

  @Override
  public String name() {
    return "backup";
  }

  @Override
  public String description() {
    return "Incremental backup of images of falling similarity: bandwidth and bytes sent.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException {
    int sizeMb = Math.min(1023, context.sizeMb().orElse(DEFAULT_MB));
    int runs = context.runs().orElse(context.quick() ? 1 : 3);
    SimilarityExperiment experiment = new SimilarityExperiment(sizeMb << 20, SEGMENT_BYTES, SHARES);
    List<BenchRow> rows = new ArrayList<>();
    for (String name : Backends.probe().keySet()) {
      Backend backend;
      try {
        backend = Backends.named(name);
      } catch (IllegalStateException e) {
        context.progress().accept("No " + name + ": " + e.getMessage());
        continue;
      }
      Chunker chunker = new Chunker(CONFIG, backend);
      context.progress().accept("Warming up, " + backend.description());
      run(context, experiment, chunker, name + "-warm-up");
      List<List<Step>> steps = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        steps.add(run(context, experiment, chunker, name + "-" + run));
      }
      addRows(rows, backend, steps);
    }
    return rows;
  }

  private static List<Step> run(
      BenchContext context, SimilarityExperiment experiment, Chunker chunker, String name)
      throws IOException {
    Path store = context.workDirectory().resolve(name);
    return experiment.run(store, chunker, 1, context.progress());
  }

  private static void addRows(List<BenchRow> rows, Backend backend, List<List<Step>> runs) {
    for (int i = 0; i < runs.get(0).size(); i++) {
      int step = i;
      Step one = runs.get(0).get(i);
      String caseName =
          (i == 0 ? "first image" : Math.round(100 * one.share()) + " % replaced")
              + ", "
              + backend.description();
      rows.add(
          BenchRow.of(
              caseName,
              "bandwidth",
              "MB/s",
              Better.HIGHER,
              Samples.of(runs, run -> run.get(step).put().bandwidth() / 1e6)));
      rows.add(
          BenchRow.of(
              caseName,
              "bytes sent",
              "MB",
              Better.LOWER,
              Samples.of(runs, run -> run.get(step).put().wireBytes() / 1e6)));
      rows.add(
          BenchRow.of(
              caseName,
              "new content",
              "MB",
              Better.LOWER,
              Samples.of(runs, run -> run.get(step).replacedBytes() / 1e6)));
    }
  }
}
