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
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.WordCountOnCluster.Run;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.hdfs.index.FileIndex;
import org.freshet.hdfs.index.FileIndexStore;
import org.freshet.hdfs.io.IncrementalFileSystem;
import org.freshet.hdfs.io.Uploader;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.shredder.Backends;

/**
 * Writes and reads a file through Freshet's client of HDFS and through stock's, with each backend
 * of chunking; copies a local file in both ways; then runs a job on two versions of it, and looks
 * how many bytes are read.
 */
final class HdfsBenchmark implements Benchmark {
  /** Of stock's throughput. */
  private static final double WRITE_TARGET = 0.9;

  private static final double READ_TARGET = 0.95;
  private static final double BLOCKS_TARGET = 1.1;
  private static final double INDEX_TARGET_PERCENT = 0.01;
  private static final int SEED = 1;
  private static final int PIECE_BYTES = 64 << 10;
  private static final int TEXT_BYTES = 64 << 20;
  private static final int UPLOAD_THREADS = 4;
  private static final double MB = 1e6;
  private static final Path DIRECTORY = new Path("/bench-hdfs");
  private static final Path INDEXES = new Path("/bench-hdfs-indexes");

  @Override
  public String name() {
    return "hdfs";
  }

  @Override
  public String description() {
    return "Writing, reading and copying HDFS files beside stock's clients, and what a job reads"
        + " of a second version.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    try (LocalCluster cluster = Comparison.startCluster(context)) {
      List<BenchRow> rows = new ArrayList<>();
      new Transfers(context, cluster.configuration()).run(rows);
      new TwoVersions(context, cluster).run(rows);
      return rows;
    }
  }

  private static Configuration indexed(Configuration conf) {
    Configuration indexed = new Configuration(conf);
    indexed.set(HdfsKeys.INDEX_DIR.name(), INDEXES.toString());
    return indexed;
  }

  /** What one pass over a file took. */
  private record Pass(double wallSeconds, double cpuSeconds) {}

  /** Of one file. */
  private record IndexSize(long chunks, long bytes) {}

  /** Something to be timed. */
  private interface Work {
    void run() throws IOException;
  }

  /** Writing, reading and copying one file again and again. */
  private static final class Transfers {
    private final BenchContext context;
    private final Configuration conf;
    private final byte[] text;
    private final long bytes;
    private final int runs;
    private final List<BenchRow> rows = new ArrayList<>();

    Transfers(BenchContext context, Configuration conf) {
      this.context = context;
      this.conf = indexed(conf);
      this.text = new ZipfText(SEED).lines(TEXT_BYTES);
      int sizeMb = context.sizeMb().orElse(context.quick() ? 512 : 2048);
      this.bytes = sizeMb * 1_000_000L;
      this.runs = context.runs().orElse(context.quick() ? 5 : 9);
    }

    void run(List<BenchRow> all) throws IOException {
      try (FileSystem stock = client(DistributedFileSystem.class);
          FileSystem ours = client(IncrementalFileSystem.class)) {
        measureStreams(stock, ours);
        measureCopies(stock);
        stock.delete(DIRECTORY, true);
        stock.delete(INDEXES, true);
      }
      all.addAll(rows);
    }

    private void measureStreams(FileSystem stock, FileSystem ours) throws IOException {
      Path stockFile = new Path(DIRECTORY, "stock");
      Path ourFile = new Path(DIRECTORY, "freshet");
      List<String> backends = backends();
      List<Work> writes = new ArrayList<>();
      List<String> names = new ArrayList<>();
      names.add("stock writes");
      writes.add(() -> write(stock, stockFile));
      for (String backend : backends) {
        names.add("Freshet writes, " + backend);
        writes.add(() -> with(backend, () -> write(ours, ourFile)));
      }
      for (Work write : writes) {
        write.run();
      }
      Map<String, List<Pass>> passes = new LinkedHashMap<>();
      List<Pass> stockReads = new ArrayList<>();
      List<Pass> ourReads = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        for (int turn = 0; turn < writes.size(); turn++) {
          // Whoever runs later finds fuller disk caches: take turns.
          int i = (run + turn) % writes.size();
          passes
              .computeIfAbsent(names.get(i), name -> new ArrayList<>())
              .add(timed(names.get(i), writes.get(i)));
        }
        stockReads.add(timed("stock reads", () -> read(stock, stockFile)));
        ourReads.add(timed("stock reads what Freshet wrote", () -> read(stock, ourFile)));
      }
      List<Pass> stockWrites = passes.get(names.get(0));
      IndexSize index = indexOf(stock, ourFile);
      for (int i = 0; i < backends.size(); i++) {
        String name = "write, chunked by " + backends.get(i);
        List<Pass> ourWrites = passes.get(names.get(i + 1));
        // The target is for what users get: the backend that is preferred here.
        add(name, ourWrites, stockWrites, i == 0 ? WRITE_TARGET : 0);
        rows.add(
            BenchRow.of(
                name,
                "chunks",
                "chunks/s",
                Better.HIGHER,
                Samples.of(ourWrites, pass -> index.chunks() / pass.wallSeconds())));
      }
      add("read by stock's client", ourReads, stockReads, READ_TARGET);
      double stockBlocks = blocks(stock, stockFile);
      rows.add(
          BenchRow.of(
                  "written file", "blocks", "", Better.LOWER, Samples.of(blocks(stock, ourFile)))
              .withStock(stockBlocks)
              .withTarget(Math.ceil(BLOCKS_TARGET * stockBlocks)));
      rows.add(
          BenchRow.of(
                  "written file",
                  "index, of the data",
                  "%",
                  Better.LOWER,
                  Samples.of(100.0 * index.bytes() / bytes))
              .withTarget(INDEX_TARGET_PERCENT));
    }

    private void measureCopies(FileSystem stock) throws IOException {
      java.nio.file.Path source = context.workDirectory().resolve("copied");
      try (OutputStream out = Files.newOutputStream(source)) {
        writeText(out);
      }
      Path target = new Path(DIRECTORY, "copied");
      List<Work> copies =
          List.of(
              () -> stock.copyFromLocalFile(false, true, new Path(source.toUri()), target),
              () -> upload(conf, source, target));
      List<List<Pass>> passes = List.of(new ArrayList<>(), new ArrayList<>());
      for (Work copy : copies) {
        copy.run();
      }
      for (int run = 0; run < runs; run++) {
        for (int turn = 0; turn < copies.size(); turn++) {
          int i = (run + turn) % copies.size();
          passes.get(i).add(timed(i == 0 ? "stock puts" : "freshet puts", copies.get(i)));
        }
      }
      add("put", passes.get(1), passes.get(0), WRITE_TARGET);
      Files.delete(source);
    }

    /** Those that can be had; first the one that is preferred. */
    private static List<String> backends() {
      List<String> names = new ArrayList<>();
      Backends.probe()
          .forEach(
              (name, description) -> {
                try {
                  Backends.named(name);
                  names.add(name);
                } catch (IllegalStateException e) {
                  // It cannot be had here.
                }
              });
      Collections.swap(names, 0, names.indexOf(Backends.preferred().name()));
      return names;
    }

    private static void with(String backend, Work work) throws IOException {
      String before = System.getProperty(Backends.PROPERTY, Backends.AUTO);
      System.setProperty(Backends.PROPERTY, backend);
      try {
        work.run();
      } finally {
        System.setProperty(Backends.PROPERTY, before);
      }
    }

    private void add(String name, List<Pass> ours, List<Pass> stock, double target) {
      double stockRate = Samples.of(stock, this::rate).median();
      BenchRow throughput =
          BenchRow.of(name, "throughput", "MB/s", Better.HIGHER, Samples.of(ours, this::rate))
              .withStock(stockRate);
      rows.add(target > 0 ? throughput.withTarget(target * stockRate) : throughput);
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
        writeText(out);
      }
    }

    private void writeText(OutputStream out) throws IOException {
      for (long at = 0; at < bytes; at += PIECE_BYTES) {
        int from = (int) (at % (text.length - PIECE_BYTES));
        out.write(text, from, (int) Math.min(PIECE_BYTES, bytes - at));
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

    private IndexSize indexOf(FileSystem fs, Path file) throws IOException {
      FileIndexStore.Lookup found =
          FileIndexStore.of(conf).lookUp(fs, fs.getFileStatus(file), Optional.empty());
      try (FileIndex index =
          found
              .index()
              .orElseThrow(
                  () -> new IOException(file + " has no index: " + found.reason().orElseThrow()))) {
        return new IndexSize(index.count(), index.indexBytes());
      }
    }

    private static double blocks(FileSystem fs, Path file) throws IOException {
      return fs.getFileBlockLocations(file, 0, Long.MAX_VALUE).length;
    }
  }

  private static void upload(Configuration conf, java.nio.file.Path source, Path target)
      throws IOException {
    List<IOException> errors = new ArrayList<>();
    try (Uploader uploader = new Uploader(conf, UPLOAD_THREADS, sent -> {})) {
      uploader.put(
          List.of(new Uploader.Item(source, target, target)),
          outcome -> outcome.error().ifPresent(errors::add));
    }
    if (!errors.isEmpty()) {
      throw errors.get(0);
    }
  }

  /** A job on each of two versions of a file that {@code freshet put} copied. */
  private static final class TwoVersions {
    private static final String FILE_SYSTEMS = "File System Counters";
    private static final String READ = "HDFS: Number of bytes read";
    private static final double SHARE = 0.01;

    private final BenchContext context;
    private final LocalCluster cluster;
    private final Configuration conf;
    private final Comparison comparison;

    TwoVersions(BenchContext context, LocalCluster cluster) {
      this.context = context;
      this.cluster = cluster;
      this.conf = indexed(cluster.configuration());
      this.comparison = new Comparison(context);
    }

    void run(List<BenchRow> rows) throws IOException, InterruptedException {
      int sizeMb = context.sizeMb().orElse(context.quick() ? 256 : 1024);
      EditableText text =
          new EditableText(context.workDirectory().resolve("versions"), 1, sizeMb, SEED);
      java.nio.file.Path source = text.paths().get(0);
      Path input = new Path(DIRECTORY, "versions");
      Path store = new Path("bench-hdfs-memo");
      Map<String, String> properties = Map.of(HdfsKeys.INDEX_DIR.name(), INDEXES.toString());
      try (WordCountOnCluster wordCount = new WordCountOnCluster(context.installation(), cluster);
          FileSystem hdfs = FileSystem.newInstance(conf)) {
        upload(conf, source, new Path(input, source.getFileName().toString()));
        comparison.timed("first version", wordCount.freshet(input, store, properties));
        text.replaceStretches(SHARE);
        upload(conf, source, new Path(input, source.getFileName().toString()));
        Run second =
            comparison.timed("second version", wordCount.freshet(input, store, properties));
        Run stock = comparison.timed("second version, stock", wordCount.stock(input));
        wordCount.requireSame(stock, second);
        comparison.say("outputs identical");
        add(rows, "read to find chunks", second.counter(FreshetCounters.BYTES_DIGESTED), 0);
        add(rows, "input mapped", second.counter(FreshetCounters.BYTES_MAPPED), text.bytes());
        add(
            rows,
            "read from HDFS by tasks",
            second.counters().value(FILE_SYSTEMS, READ),
            stock.counters().value(FILE_SYSTEMS, READ));
        hdfs.delete(DIRECTORY, true);
        hdfs.delete(INDEXES, true);
        hdfs.delete(store, true);
      }
    }

    private static void add(List<BenchRow> rows, String metric, long ours, long stock) {
      rows.add(
          BenchRow.of(
                  "second version, 1 % changed", metric, "MB", Better.LOWER, Samples.of(ours / MB))
              .withStock(stock / MB));
    }
  }
}
