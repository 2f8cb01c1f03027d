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

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.freshet.shredder.Backends;
import org.freshet.shredder.CandidateFinder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The search for candidates in random bytes, each thread in its own. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class SearchSpeed {
  /** What one operation searches; far more than a cache holds. */
  static final int BYTES = 64 << 20;

  private static final long SEED = 64;

  @Param("java")
  public String backend;

  @Param("GEAR")
  public String rule;

  private final byte[] bytes = new byte[BYTES];
  private CandidateFinder finder;

  /** Fills the bytes. */
  @Setup
  public void setUp() {
    new SplittableRandom(SEED).nextBytes(bytes);
    finder = Backends.named(backend).finder(Rules.valueOf(rule).config().rule());
  }

  /** Searches all of them. */
  @Benchmark
  public int[] search() {
    return finder.find(bytes, finder.window(), bytes.length);
  }
}
