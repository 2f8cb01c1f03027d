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

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.hdfs.io.IncrementalFileSystem;

/** Writes and reads a file through Freshet's client of HDFS and through stock's. */
final class HdfsBenchmark implements Benchmark {
  /** Of stock's throughput. */
  private static final double WRITE_TARGET = 0.9;

  private static final double READ_TARGET = 0.95;
  private static final double BLOCKS_TARGET = 1.1;
  private static final int SEED = 1;
  private static final int PIECE_BYTES = 64 << 10;
  private static final int TEXT_BYTES = 64 << 20;
  private static final double MB = 1e6;

  @Override
  public String name() {
    return "hdfs";
  }

  @Override
  public String description() {
    return "writing and reading HDFS files: throughput, processor time and blocks beside stock's";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    try (LocalCluster cluster = Comparison.startCluster(context)) {
      return new Measurement(context, cluster.configuration()).run();
    }
  }

  /** What one pass over a file took. */
  private record Pass(double wallSeconds, double cpuSeconds) {}

  /** Something to be timed. */
  private interface Work {
    void run() throws IOException;
  }

  /** One run of the benchmark on a running cluster. */
  private static final class Measurement {
    private final BenchContext context;
    private final Configuration conf;
    private final byte[] text;
    private final long bytes;
    private final int runs;

    Measurement(BenchContext context, Configuration conf) {
      this.context = context;
      this.conf = conf;
      this.text = new ZipfText(SEED).lines(TEXT_BYTES);
      int sizeMb = context.sizeMb().orElse(context.quick() ? 512 : 2048);
      this.bytes = sizeMb * 1_000_000L;
      this.runs = context.runs().orElse(context.quick() ? 5 : 9);
    }

    List<BenchRow> run() throws IOException {
      List<BenchRow> rows = new ArrayList<>();
      try (FileSystem stock = client(DistributedFileSystem.class);
          FileSystem ours = client(IncrementalFileSystem.class)) {
        Path stockFile = new Path("/bench-hdfs/stock");
        Path ourFile = new Path("/bench-hdfs/freshet");
        write(stock, stockFile);
        write(ours, ourFile);
        List<Pass> stockWrites = new ArrayList<>();
        List<Pass> ourWrites = new ArrayList<>();
        List<Pass> stockReads = new ArrayList<>();
        List<Pass> ourReads = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
          // Whoever runs second finds fuller disk caches: take turns.
          for (int turn = 0; turn < 2; turn++) {
            if ((run + turn) % 2 == 0) {
              stockWrites.add(timed("stock writes", () -> write(stock, stockFile)));
            } else {
              ourWrites.add(timed("Freshet writes", () -> write(ours, ourFile)));
            }
          }
          stockReads.add(timed("stock reads", () -> read(stock, stockFile)));
          ourReads.add(timed("stock reads what Freshet wrote", () -> read(stock, ourFile)));
        }
        add(rows, "write", ourWrites, stockWrites, WRITE_TARGET);
        add(rows, "read by stock's client", ourReads, stockReads, READ_TARGET);
        double stockBlocks = blocks(stock, stockFile);
        rows.add(
            BenchRow.of(
                    "write", "blocks", "blocks", Better.LOWER, Samples.of(blocks(stock, ourFile)))
                .withStock(stockBlocks)
                .withTarget(Math.ceil(BLOCKS_TARGET * stockBlocks)));
        stock.delete(new Path("/bench-hdfs"), true);
      }
      return rows;
    }

    private void add(
        List<BenchRow> rows, String name, List<Pass> ours, List<Pass> stock, double target) {
      double stockRate = Samples.of(stock, this::rate).median();
      rows.add(
          BenchRow.of(name, "throughput", "MB/s", Better.HIGHER, Samples.of(ours, this::rate))
              .withStock(stockRate)
              .withTarget(target * stockRate));
      rows.add(
          BenchRow.of(
                  name, "client CPU", "s/GB", Better.LOWER, Samples.of(ours, this::cpuPerGigabyte))
              .withStock(Samples.of(stock, this::cpuPerGigabyte).median()));
    }

    private double rate(Pass pass) {
      return bytes / MB / pass.wallSeconds();
    }

    private double cpuPerGigabyte(Pass pass) {
      return pass.cpuSeconds() * 1000 * MB / bytes;
    }

    private FileSystem client(Class<? extends DistributedFileSystem> type) throws IOException {
      Configuration of = new Configuration(conf);
      of.setClass("fs.hdfs.impl", type, FileSystem.class);
      return FileSystem.newInstance(FileSystem.getDefaultUri(conf), of);
    }

    private Pass timed(String what, Work work) throws IOException {
      OperatingSystemMXBean process =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
      long cpu = process.getProcessCpuTime();
      long start = System.nanoTime();
      work.run();
      Pass pass =
          new Pass((System.nanoTime() - start) / 1e9, (process.getProcessCpuTime() - cpu) / 1e9);
      context.progress().accept(String.format(Locale.ROOT, "%s at %.0f MB/s", what, rate(pass)));
      return pass;
    }

    private void write(FileSystem fs, Path file) throws IOException {
      try (OutputStream out = fs.create(file, true)) {
        for (long at = 0; at < bytes; at += PIECE_BYTES) {
          int from = (int) (at % (text.length - PIECE_BYTES));
          out.write(text, from, (int) Math.min(PIECE_BYTES, bytes - at));
        }
      }
    }

    private void read(FileSystem fs, Path file) throws IOException {
      byte[] buffer = new byte[PIECE_BYTES];
      long total = 0;
      try (InputStream in = fs.open(file)) {
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
          total += count;
        }
      }
      if (total != bytes) {
        throw new IOException(file + " has " + total + " bytes, not " + bytes);
      }
    }

    private static double blocks(FileSystem fs, Path file) throws IOException {
      return fs.getFileBlockLocations(file, 0, Long.MAX_VALUE).length;
    }
  }
}
