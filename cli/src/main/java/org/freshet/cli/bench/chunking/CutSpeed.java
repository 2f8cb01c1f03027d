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
