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
package org.freshet.shredder.cuda;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Stream;
import org.freshet.shredder.Backend;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.Backends;
import org.freshet.shredder.CandidateRule;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.SegmentSearch;

/** Measures the whole way, from a source in memory to its candidates or cuts. */
final class PipelineProbe {
  private static final int RUNS = 3;

  /** The published ones, and what more threads that read are worth. */
  private static final List<Integer> DEPTHS =
      List.of(
          1,
          2,
          3,
          CudaSettings.PUBLISHED_DEPTH,
          CudaSettings.DEFAULT.depth(),
          CudaSettings.MOST_DEPTH);

  private final MemorySource source;

  PipelineProbe(MemorySource source) {
    this.source = source;
  }

  /** The columns of {@link #depths}. */
  static String[] depthColumns() {
    return Stream.of(Stream.of("buffer"), DEPTHS.stream().map(String::valueOf), Stream.of("4 to 1"))
        .flatMap(Function.identity())
        .toArray(String[]::new);
  }

  /** Figure 3.9: what it brings to have several buffers in the pipeline. */
  void depths(List<Integer> sizes, CandidateRule rule, ProbeReport.Table table)
      throws BackendUnavailableException, IOException {
    for (int size : sizes) {
      Object[] row = new Object[DEPTHS.size() + 2];
      row[0] = size;
      for (int i = 0; i < DEPTHS.size(); i++) {
        row[i + 1] = rate(new CudaSettings(size, DEPTHS.get(i), 1, SearchKernel.Loads.TILED), rule);
      }
      int published = DEPTHS.indexOf(CudaSettings.PUBLISHED_DEPTH);
      row[row.length - 1] = (double) row[1 + published] / (double) row[1];
      table.row(row);
    }
  }

  private double rate(CudaSettings settings, CandidateRule rule)
      throws BackendUnavailableException, IOException {
    try (CudaBackend backend = CudaBackendProvider.open(settings)) {
      return best(() -> drain(backend, rule));
    }
  }

  private interface Run {
    void run() throws IOException;
  }

  /** In GB/s; the first run also allocates. */
  private double best(Run run) throws IOException {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < RUNS; i++) {
      long start = System.nanoTime();
      run.run();
      best = Math.min(best, System.nanoTime() - start);
    }
    return source.length() / (double) best;
  }

  private void drain(CudaBackend backend, CandidateRule rule) throws IOException {
    try (SegmentSearch search = backend.pipeline().orElseThrow().open(source, rule)) {
      for (SegmentSearch.Segment s = search.next(); s != null; s = search.next()) {
        s.release();
      }
    }
  }

  /**
   * Figure 3.12: cuts by the processor, on all of its threads, and by devices with one optimization
   * after the other.
   */
  void comparison(int size, ChunkerConfig config, ProbeReport.Table table)
      throws BackendUnavailableException, IOException {
    int threads = Runtime.getRuntime().availableProcessors();
    table.row("java, 1 thread", 1, onProcessor("java", config, 1));
    table.row("java", threads, onProcessor("java", config, threads));
    if (isThere("native")) {
      table.row("native, 1 thread", 1, onProcessor("native", config, 1));
      table.row("native", threads, onProcessor("native", config, threads));
    }
    table.row("basic", 1, cuts(new CudaSettings(size, 1, 1, SearchKernel.Loads.DIRECT), config));
    int depth = CudaSettings.PUBLISHED_DEPTH;
    table.row(
        "streams",
        depth,
        cuts(new CudaSettings(size, depth, 1, SearchKernel.Loads.DIRECT), config));
    table.row(
        "streams+memory",
        depth,
        cuts(new CudaSettings(size, depth, 1, SearchKernel.Loads.TILED), config));
    int most = CudaSettings.MOST_DEPTH;
    table.row(
        "and more readers",
        most,
        cuts(new CudaSettings(size, most, 1, SearchKernel.Loads.TILED), config));
  }

  private static boolean isThere(String backend) {
    try {
      return Backends.named(backend) != null;
    } catch (IllegalStateException | IllegalArgumentException e) {
      return false;
    }
  }

  private double onProcessor(String backend, ChunkerConfig config, int threads) throws IOException {
    Chunker chunker = new Chunker(config, Backends.named(backend));
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      return best(() -> chunker.boundaries(source, executor, threads, cut -> {}));
    } finally {
      executor.shutdown();
    }
  }

  private double cuts(CudaSettings settings, ChunkerConfig config)
      throws BackendUnavailableException, IOException {
    try (CudaBackend backend = CudaBackendProvider.open(settings)) {
      Chunker chunker = new Chunker(config, backend);
      return best(() -> chunker.boundaries(source, cut -> {}));
    }
  }

  /** Whether devices cut the source as the processor does, digests and all. */
  boolean isIdentical(CudaSettings settings, ChunkerConfig config)
      throws BackendUnavailableException, IOException {
    Backend java = Backends.named("java");
    try (CudaBackend backend = CudaBackendProvider.open(settings)) {
      boolean equal =
          new Chunker(config, backend)
              .chunk(source)
              .equals(new Chunker(config, java).chunk(source));
      return equal && backend.search().searchedOnProcessor() == 0;
    }
  }
}
