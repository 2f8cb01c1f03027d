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
package org.freshet.cli.bench.chunking;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.freshet.shredder.Backends;
import org.freshet.shredder.Chunker;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Cutting a file's content in memory on one thread, without digests: what the peers do. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class CutSpeed {
  @Param("java")
  public String backend;

  @Param("GEAR")
  public String rule;

  @Param("")
  public String file;

  private byte[] bytes;
  private Chunker chunker;

  /** Reads the file. */
  @Setup
  public void setUp() throws IOException {
    bytes = Files.readAllBytes(Path.of(file));
    chunker = new Chunker(Rules.valueOf(rule).config(), Backends.named(backend));
  }

  /** Cuts it. */
  @Benchmark
  public long cut() {
    long[] sum = new long[1];
    chunker.boundaries(bytes, end -> sum[0] ^= end);
    return sum[0];
  }
}
