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
package org.freshet.cli.bench.stability;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.freshet.cli.bench.BenchContext;
import org.freshet.cli.bench.BenchRow;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.Benchmark;
import org.freshet.cli.bench.Samples;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.cli.quickstart.ReleaseText;
import org.freshet.hdfs.format.RecordFormat;
import org.freshet.hdfs.format.RecordFormats;
import org.freshet.hdfs.index.ChunkSizes;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.ChunkerConfig;

/**
 * Writes records of real text to each kind of file that can be cut, edits them, and writes them
 * again with the writer that users have; then looks which chunks of the first version are in the
 * second. The ideal are the chunks that hold no record that was edited: more no chunker can keep.
 */
public final class StabilityBenchmark implements Benchmark {
  /** Of the ideal, for records overwritten, inserted or deleted in text. */
  private static final double TARGET_PERCENT = 95;

  private static final long SEED = 4;

  @Override
  public String name() {
    return "stability";
  }

  @Override
  public String description() {
    return "Chunks that survive edits of records, in text, SequenceFiles and Avro files.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    return new Measurement(context).run();
  }

  /** One run of the benchmark. */
  private static final class Measurement {
    private final BenchContext context;
    private final Configuration conf = new Configuration(false);
    private final ChunkerConfig sizes = ChunkSizes.of(conf);
    private final int trials;

    Measurement(BenchContext context) {
      this.context = context;
      this.trials = context.runs().orElse(context.quick() ? 2 : 3);
    }

    List<BenchRow> run() throws IOException, InterruptedException {
      context.progress().accept("Getting the sources of a release of Hadoop through Maven");
      Records records = Records.lines(text());
      List<BenchRow> rows = new ArrayList<>();
      int threads = Runtime.getRuntime().availableProcessors();
      ExecutorService executor = Executors.newFixedThreadPool(threads);
      try {
        for (RecordFile kind : RecordFile.values()) {
          measure(kind, records, executor, threads, rows);
        }
      } finally {
        executor.shutdownNow();
      }
      return rows;
    }

    /** The text of a release so often that there is enough of it, each time marked in each line. */
    private byte[] text() throws IOException, InterruptedException {
      int bytes = context.sizeMb().orElse(context.quick() ? 64 : 600) * 1_000_000;
      Path sources =
          LocalCluster.defaultDirectory().resolveSibling("quickstart").resolve("sources");
      ReleaseText texts = new ReleaseText(context.installation(), sources);
      texts.get(List.of(ReleaseText.AFTER));
      List<byte[]> modules = new ArrayList<>();
      try (Stream<Path> files = Files.list(texts.text(ReleaseText.AFTER))) {
        for (Path file : files.sorted().toList()) {
          modules.add(Files.readAllBytes(file));
        }
      }
      ByteArrayOutputStream text = new ByteArrayOutputStream(bytes);
      for (int copy = 0; text.size() < bytes; copy++) {
        byte[] mark = (copy + "\t").getBytes(StandardCharsets.US_ASCII);
        for (byte[] module : modules) {
          Records lines = Records.lines(module);
          for (int i = 0; i < lines.count() && text.size() < bytes; i++) {
            text.writeBytes(mark);
            text.write(module, lines.start(i), lines.length(i));
          }
        }
      }
      return text.toByteArray();
    }

    private void measure(
        RecordFile kind,
        Records records,
        ExecutorService executor,
        int threads,
        List<BenchRow> rows)
        throws IOException {
      RecordFormat format = RecordFormats.of(kind.inputFormat(), conf).format().orElseThrow();
      Path before = context.workDirectory().resolve("before");
      Files.deleteIfExists(before);
      long[] positions = kind.write(before, conf, records);
      List<Chunk> chunks = chunks(format, before, executor, threads);
      rows.add(
          BenchRow.of(kind.title(), "chunks", "chunks", Better.HIGHER, Samples.of(chunks.size())));
      for (Edit.Kind edit : Edit.Kind.values()) {
        // One in a hundred chunks is touched, then one in ten.
        for (int share : List.of(100, 10)) {
          int count = Math.max(1, chunks.size() / share);
          String name = kind.title() + ", " + edit.title() + ", 1 for each " + share + " chunks";
          context.progress().accept("Measuring: " + name);
          // Side by side: most of the time goes into writing, which the formats do with one thread.
          List<Survival> survivals;
          try {
            survivals =
                IntStream.range(0, trials)
                    .parallel()
                    .mapToObj(
                        trial -> {
                          SplittableRandom random =
                              new SplittableRandom(SEED + 31L * trial + share);
                          Edit edited = Edit.of(edit, records.count(), count, random);
                          Path after = context.workDirectory().resolve("after-" + trial);
                          try {
                            Files.deleteIfExists(after);
                            kind.write(after, conf, records, edited.runs(), before, positions);
                            List<Chunk> now = chunks(format, after, executor, threads);
                            return Survival.of(chunks, now, positions, edited.touched());
                          } catch (IOException e) {
                            throw new UncheckedIOException(e);
                          }
                        })
                    .toList();
          } catch (UncheckedIOException e) {
            throw e.getCause();
          }
          BenchRow ratio =
              BenchRow.of(
                  name,
                  "kept of the ideal",
                  "%",
                  Better.HIGHER,
                  Samples.of(survivals, Survival::percentOfIdeal));
          boolean hasTarget =
              kind == RecordFile.TEXT && edit.ordinal() <= Edit.Kind.DELETE.ordinal();
          rows.add(hasTarget ? ratio.withTarget(TARGET_PERCENT) : ratio);
          rows.add(
              BenchRow.of(
                  name,
                  "kept of the file",
                  "%",
                  Better.HIGHER,
                  Samples.of(survivals, Survival::percentKept)));
        }
      }
    }

    private List<Chunk> chunks(
        RecordFormat format, Path file, ExecutorService executor, int threads) throws IOException {
      return format.chunks(ByteSource.of(file), sizes, executor, threads).orElseThrow();
    }
  }

  /**
   * What of a file's chunks a later version has.
   *
   * @param idealBytes of chunks that no edit touched
   * @param keptBytes of chunks that the later version has, each as often as it has it
   * @param bytes of the file
   */
  private record Survival(long idealBytes, long keptBytes, long bytes) {
    static Survival of(
        List<Chunk> before, List<Chunk> after, long[] positions, Iterable<Integer> touched) {
      Map<String, Integer> there = new HashMap<>();
      after.forEach(chunk -> there.merge(content(chunk), 1, Integer::sum));
      boolean[] spoilt = new boolean[before.size()];
      int at = 0;
      for (int record : touched) {
        while (before.get(at).end() <= positions[record] && at < before.size() - 1) {
          at++;
        }
        spoilt[at] = true;
      }
      long ideal = 0;
      long kept = 0;
      long bytes = 0;
      for (int i = 0; i < spoilt.length; i++) {
        Chunk chunk = before.get(i);
        bytes += chunk.length();
        ideal += spoilt[i] ? 0 : chunk.length();
        if (there.merge(content(chunk), -1, Integer::sum) >= 0) {
          kept += chunk.length();
        }
      }
      return new Survival(ideal, kept, bytes);
    }

    private static String content(Chunk chunk) {
      return HexFormat.of().formatHex(chunk.digest());
    }

    double percentOfIdeal() {
      return idealBytes == 0 ? 100 : 100.0 * keptBytes / idealBytes;
    }

    double percentKept() {
      return 100.0 * keptBytes / bytes;
    }
  }
}
