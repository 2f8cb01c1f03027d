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

import java.util.List;
import java.util.Optional;
import org.freshet.cli.bench.chunking.ChunkingBenchmark;
import org.freshet.cli.bench.stability.StabilityBenchmark;

/** Every benchmark there is. */
public final class Benchmarks {
  private static final List<Benchmark> ALL =
      List.of(
          new MapReduceBenchmark(),
          new EditsBenchmark(),
          new ChunkingBenchmark(),
          new BackupBenchmark(),
          new HdfsBenchmark(),
          new StabilityBenchmark(),
          new DrizzleBenchmark(),
          new DrizzleAdaptBenchmark(),
          new DrizzleScaleBenchmark(),
          new DrizzleSgdBenchmark(),
          new DrizzleSqlBenchmark(),
          new DrizzleViewsBenchmark());

  private Benchmarks() {}

  /** Every benchmark. */
  public static List<Benchmark> all() {
    return ALL;
  }

  /** The benchmark of that name. */
  public static Optional<Benchmark> named(String name) {
    return ALL.stream().filter(benchmark -> benchmark.name().equals(name)).findFirst();
  }
}
