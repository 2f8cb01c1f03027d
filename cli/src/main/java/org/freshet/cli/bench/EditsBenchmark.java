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

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.freshet.cli.bench.BenchRow.Better;
import org.freshet.cli.bench.WordCountOnCluster.Run;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.mapreduce.FreshetCounters;

/**
 * Word count over a gigabyte in a thousand chunks or more, and again after each kind of edit: a
 * line changed, inserted, deleted, a file added, removed, renamed, and nothing at all.
 *
 * <p>After each edit stock Hadoop runs over the same input, and both outputs must be equal in every
 * byte. Last, one line is changed of the same text cut into about a hundred and about two thousand
 * chunks: the containers that are launched must not depend on the number of chunks.
 */
final class EditsBenchmark implements Benchmark {
  private static final int FILES = 8;
  private static final long SEED = 20_261_122;
  private static final int CHUNKS = 1_000;
  private static final int FEW_CHUNKS = 100;
  private static final int MANY_CHUNKS = 2_000;
  private static final double FIRST_RUN_TARGET_PERCENT = 5;
  private static final double ONE_CHUNK_CONTAINERS = 4;

  @Override
  public String name() {
    return "edits";
  }

  @Override
  public String description() {
    return "Word count on YARN over a thousand chunks, after each kind of edit, outputs compared.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    try (LocalCluster cluster = Comparison.startCluster(context);
        WordCountOnCluster wordCount = new WordCountOnCluster(context.installation(), cluster)) {
      return new Measurement(context, wordCount).run();
    }
  }

  /** What becomes of a line. */
  private enum LineEdit {
    CHANGE("one line changed"),
    INSERT("one line inserted"),
    DELETE("one line deleted");

    private final String title;

    LineEdit(String title) {
      this.title = title;
    }

    void write(byte[] line, OutputStream out) throws IOException {
      byte[] fresh = ("this line is new: " + title + "\n").getBytes(StandardCharsets.US_ASCII);
      switch (this) {
        case CHANGE -> out.write(fresh);
        case INSERT -> {
          out.write(line);
          out.write(fresh);
        }
        case DELETE -> {
          // The line is left out.
        }
      }
    }
  }

  /** An edit of the input on the cluster. */
  private interface InputEdit {
    void apply() throws IOException;
  }

  /** One run of the benchmark on a running cluster. */
  private static final class Measurement {
    private final BenchContext context;
    private final WordCountOnCluster wordCount;
    private final EditableText text;
    private final int runs;
    private final Path input = new Path("input");
    private final Comparison comparison;

    Measurement(BenchContext context, WordCountOnCluster wordCount) throws IOException {
      this.context = context;
      this.wordCount = wordCount;
      this.comparison = new Comparison(context);
      this.runs = context.runs().orElse(context.quick() ? 1 : 3);
      int sizeMb = context.sizeMb().orElse(context.quick() ? 64 : 1024);
      comparison.say("Generating " + sizeMb + " MB of text");
      this.text = new EditableText(context.workDirectory().resolve("text"), FILES, sizeMb, SEED);
    }

    List<BenchRow> run() throws IOException, InterruptedException {
      wordCount.upload(text.paths(), input);
      Path warmUp = new Path("warm-up");
      wordCount.upload(text.paths().subList(0, 1), warmUp);
      comparison.say("Warming up the cluster");
      wordCount.stock(warmUp);
      Path store = measureFirstRuns();
      java.nio.file.Path file = text.paths().get(FILES / 2);
      for (LineEdit edit : LineEdit.values()) {
        measureEdit(edit.title, store, () -> editLine(file, edit, text.bytes() / FILES / 3));
      }
      java.nio.file.Path added = context.workDirectory().resolve("text-added.txt");
      Files.write(added, new ZipfText(~SEED).lines((int) (text.bytes() / FILES / 8)));
      measureEdit("a file added", store, () -> wordCount.upload(List.of(added), input));
      Path removed = new Path(input, text.paths().get(1).getFileName().toString());
      measureEdit("a file removed", store, () -> wordCount.remove(removed));
      Path renamed = new Path(input, text.paths().get(2).getFileName().toString());
      measureEdit(
          "a file renamed", store, () -> wordCount.rename(renamed, new Path(input, "renamed.txt")));
      measureEdit("nothing changed", store, () -> {});
      for (int chunks : List.of(FEW_CHUNKS, MANY_CHUNKS)) {
        measureContainers(chunks, file);
      }
      return comparison.rows();
    }

    private Path measureFirstRuns() throws IOException, InterruptedException {
      List<JobOutcome> stock = new ArrayList<>();
      List<JobOutcome> first = new ArrayList<>();
      String name = "first run";
      Path store = null;
      for (int run = 0; run < runs; run++) {
        store = new Path("memo-" + run);
        // Whoever runs second finds warmer caches: take turns.
        Run expected = run % 2 == 0 ? comparison.timed("stock", wordCount.stock(input)) : null;
        Run actual = comparison.timed(name, wordCount.freshet(input, store, chunks(CHUNKS)));
        expected = expected == null ? comparison.timed("stock", wordCount.stock(input)) : expected;
        wordCount.requireSame(expected, actual);
        stock.add(expected.outcome());
        first.add(actual.outcome());
        if (run == runs - 1) {
          addChunks(name, actual);
        }
      }
      addCosts(name, first, stock);
      comparison.addOverhead(
          name,
          "wall time over stock",
          first,
          stock,
          JobOutcome::wallSeconds,
          FIRST_RUN_TARGET_PERCENT);
      return store;
    }

    private void measureEdit(String name, Path store, InputEdit edit)
        throws IOException, InterruptedException {
      edit.apply();
      Run actual = comparison.timed(name, wordCount.freshet(input, store, chunks(CHUNKS)));
      Run expected = comparison.timed(name + ", stock", wordCount.stock(input));
      wordCount.requireSame(expected, actual);
      comparison.say(name + ": outputs identical");
      addCosts(name, List.of(actual.outcome()), List.of(expected.outcome()));
      if (name.equals("nothing changed")) {
        comparison.targetOfLast(0);
      } else {
        addChunks(name, actual);
      }
    }

    private void measureContainers(int chunks, java.nio.file.Path file)
        throws IOException, InterruptedException {
      Path store = new Path("memo-" + chunks + "-chunks");
      String name = "one line changed, about " + chunks + " chunks";
      comparison.timed(name + ", first run", wordCount.freshet(input, store, chunks(chunks)));
      editLine(file, LineEdit.CHANGE, text.bytes() / FILES / 2 + chunks);
      Run actual = comparison.timed(name, wordCount.freshet(input, store, chunks(chunks)));
      Run expected = comparison.timed(name + ", stock", wordCount.stock(input));
      wordCount.requireSame(expected, actual);
      addCosts(name, List.of(actual.outcome()), List.of(expected.outcome()));
      comparison.targetOfLast(ONE_CHUNK_CONTAINERS);
      addChunks(name, actual);
    }

    /** The property that cuts the text into so many chunks at least, also when a file is gone. */
    private Map<String, String> chunks(int wanted) {
      long average = text.bytes() / (wanted + wanted / 5);
      return Map.of(HdfsKeys.CHUNK_AVERAGE.name(), Long.toString(average));
    }

    /** Changes the first line that begins at or after an offset, and uploads the file. */
    private void editLine(java.nio.file.Path file, LineEdit edit, long offset) throws IOException {
      java.nio.file.Path edited = file.resolveSibling(file.getFileName() + ".edited");
      try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
          OutputStream out = new BufferedOutputStream(Files.newOutputStream(edited), 1 << 16)) {
        copy(in, out, offset);
        copyLine(in, out);
        java.io.ByteArrayOutputStream line = new java.io.ByteArrayOutputStream();
        copyLine(in, line);
        edit.write(line.toByteArray(), out);
        in.transferTo(out);
      }
      Files.move(edited, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      wordCount.upload(List.of(file), input);
    }

    private static void copy(InputStream in, OutputStream out, long bytes) throws IOException {
      for (long i = 0; i < bytes; i++) {
        out.write(in.read());
      }
    }

    private static void copyLine(InputStream in, OutputStream out) throws IOException {
      int read;
      do {
        read = in.read();
        if (read < 0) {
          throw new IOException("the text ended within a line");
        }
        out.write(read);
      } while (read != '\n');
    }

    private void addCosts(String name, List<JobOutcome> ours, List<JobOutcome> stock) {
      comparison.addBeside(name, "wall time", "s", ours, stock, JobOutcome::wallSeconds);
      comparison.addBeside(name, "CPU time of tasks", "s", ours, stock, JobOutcome::cpuSeconds);
      comparison.addBeside(name, "containers", "", ours, stock, JobOutcome::containers);
    }

    private void addChunks(String name, Run run) {
      comparison.add(
          BenchRow.of(
              name,
              "chunks",
              "",
              Better.LOWER,
              Samples.of((double) run.counter(FreshetCounters.CHUNKS_TOTAL))));
      comparison.add(
          BenchRow.of(
              name,
              "chunks mapped",
              "",
              Better.LOWER,
              Samples.of((double) run.counter(FreshetCounters.CHUNKS_ADDED))));
    }
  }
}
