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
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.DigestAlgorithm;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * From a file in the system's cache to cuts, and to chunks with digests: one after the other in
 * each operation, so that both find the machine as it is at that time.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class FileSpeed {
  @Param("java")
  public String backend;

  @Param("GEAR")
  public String rule;

  @Param("")
  public String file;

  @Param("1")
  public int parallelism;

  /** Of Gear's chunks; 0 for what all rules have here. */
  @Param("0")
  public int average;

  /** A {@link DigestAlgorithm}. */
  @Param("SHA_256")
  public String digest;

  private Chunker chunker;
  private ByteSource source;
  private ExecutorService executor;

  /** What the operations of an iteration have taken. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Spent {
    public long operations;
    public long nanosToCuts;
    public long nanosToDigests;

    /** Of a value that goes from one thread to another and back; only with several threads. */
    public long nanosThereAndBack;
  }

  /** Opens the file. */
  @Setup
  public void setUp() throws IOException {
    ChunkerConfig config =
        average == 0 ? Rules.valueOf(rule).config() : ChunkerConfig.withAverage(average);
    chunker = new Chunker(config.with(DigestAlgorithm.valueOf(digest)), Backends.named(backend));
    source = ByteSource.of(Path.of(file));
    executor = Executors.newFixedThreadPool(parallelism);
  }

  /** Ends the threads. */
  @TearDown
  public void tearDown() {
    executor.shutdownNow();
  }

  /** Reads and cuts it, and again with digests; the number of chunks. */
  @Benchmark
  public long chunk(Spent spent) throws IOException {
    LongAdder chunks = new LongAdder();
    long start = System.nanoTime();
    chunker.boundaries(source, executor, parallelism, cut -> chunks.increment());
    long cut = System.nanoTime();
    chunker.chunk(source, executor, parallelism, chunk -> chunks.increment());
    long digested = System.nanoTime();
    spent.operations++;
    spent.nanosToCuts += cut - start;
    spent.nanosToDigests += digested - cut;
    if (parallelism > 1) {
      spent.nanosThereAndBack += HandOver.nanosThereAndBack(executor);
    }
    return chunks.sum();
  }
}
