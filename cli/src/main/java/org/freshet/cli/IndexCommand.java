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
package org.freshet.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.cli.chunk.ByteSize;
import org.freshet.cli.chunk.Progress;
import org.freshet.cli.index.InputFiles;
import org.freshet.hdfs.index.FileIndexStore;
import org.freshet.hdfs.index.FileIndexer;
import org.freshet.hdfs.index.IndexCollection;
import org.freshet.hdfs.index.NoIndex;
import org.freshet.mapreduce.index.IndexJob;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code freshet index}. */
@Command(
    name = "index",
    description = {
      "Finds the chunks of files and keeps them, so that jobs need not read the files for it.",
      "Reads only files that changed since; directories with all that is below them."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every file has its index; with --check, and the content is what they say",
      "1:a file could not be read, has no index, or is not what its index says",
      "2:wrong usage"
    },
    footer = {
      "",
      "For example: freshet index in/logs",
      "             freshet index --check in/logs",
      "             freshet index --job in",
      "             freshet index --collect /"
    })
final class IndexCommand implements Callable<Integer> {
  private static final long PROGRESS_NANOS = 3_000_000_000L;

  @Spec private CommandSpec spec;
  @Mixin private FileSystemOptions fileSystem;

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH",
      description =
          "Files and directories. In directories, names that begin with _ or . are left out.")
  private List<String> paths;

  @Option(
      names = "--check",
      description = "Read the files and compare them with their indexes; change nothing.")
  private boolean check;

  @Option(
      names = "--collect",
      description =
          "Delete indexes whose files are gone or have changed, on the file systems of the paths.")
  private boolean collect;

  @Option(
      names = "--job",
      description =
          "Have the cluster do it, in a MapReduce job on the hosts that hold the files; for more"
              + " files than one machine should read.")
  private boolean job;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Files, or pieces of a large file, read at a time (default: one a processor).")
  private Integer threads;

  @Option(
      names = "--verbose",
      description = "A line for each file, not only where there is trouble.")
  private boolean verbose;

  private PrintWriter out;
  private int troubles;
  private long toldNanos = System.nanoTime();

  @Override
  public Integer call() throws IOException, InterruptedException {
    int parallelism = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
    if (parallelism < 1) {
      throw usage("--threads is " + parallelism + ", expected at least 1");
    }
    if ((check ? 1 : 0) + (collect ? 1 : 0) + (job ? 1 : 0) > 1) {
      throw usage("--check, --collect and --job exclude each other; name one");
    }
    out = spec.commandLine().getOut();
    Configuration conf = fileSystem.configuration(paths);
    if (collect) {
      collect(conf, parallelism);
    } else if (job) {
      runJob(conf);
    } else {
      List<FileStatus> files = files(conf);
      long bytes = files.stream().mapToLong(FileStatus::getLen).sum();
      try (Progress progress = new Progress(check ? "checking" : "indexing", bytes, this::say)) {
        AtomicLong told = new AtomicLong();
        try (FileIndexer indexer =
            new FileIndexer(conf, parallelism, now -> progress.add(now - told.getAndSet(now)))) {
          if (check) {
            check(indexer, files, progress);
          } else {
            index(indexer, files, progress, told);
          }
        }
      }
    }
    out.flush();
    return troubles == 0 ? 0 : 1;
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private List<FileStatus> files(Configuration conf) throws IOException {
    Map<Path, FileStatus> files = new LinkedHashMap<>();
    for (String path : paths) {
      try {
        InputFiles.below(conf, path).forEach(file -> files.put(file.getPath(), file));
      } catch (FileNotFoundException e) {
        trouble(e.getMessage());
      }
    }
    return new ArrayList<>(files.values());
  }

  private void index(
      FileIndexer indexer, List<FileStatus> files, Progress progress, AtomicLong read)
      throws IOException {
    // Files read and kept, files known, empty files, chunks.
    long[] counts = new long[4];
    indexer.index(
        files,
        outcome -> {
          counts[3] += outcome.chunks();
          Path file = outcome.status().getPath();
          if (outcome.error().isPresent()) {
            trouble(file + ": " + outcome.error().get().getMessage());
          } else if (outcome.known()) {
            counts[1]++;
            tell(file + ": known, " + outcome.chunks() + " chunks");
          } else if (outcome.reason().isEmpty()) {
            counts[0]++;
            tell(file + ": indexed, " + outcome.chunks() + " chunks");
          } else if (outcome.reason().get() == NoIndex.EMPTY) {
            counts[2]++;
            tell(file + ": empty, needs no index");
          } else {
            trouble(file + ": no index is kept: " + outcome.reason().get().description());
          }
        });
    double seconds = progress.seconds();
    out.printf(
        Locale.ROOT,
        "%d files: %d indexed, %d known, %d empty, %d failed; %d chunks cut by %s%n",
        files.size(),
        counts[0],
        counts[1],
        counts[2],
        troubles,
        counts[3],
        indexer.fingerprint());
    out.printf(
        Locale.ROOT,
        "read %s in %.2f s, %s/s%n",
        ByteSize.format(read.get()),
        seconds,
        ByteSize.format(read.get() / seconds));
  }

  private void runJob(Configuration conf) throws IOException, InterruptedException {
    List<FileStatus> files = files(conf);
    long begin = System.nanoTime();
    IndexJob.Result result =
        new IndexJob(conf)
            .run(files, (id, page) -> say("job " + id + " indexes the files: " + page));
    result.failures().forEach((file, why) -> trouble(file + ": " + why));
    double seconds = (System.nanoTime() - begin) / 1e9;
    out.printf(
        Locale.ROOT,
        "%d files: %d indexed, %d known, %d empty, %d failed; %d chunks%n",
        files.size(),
        result.indexed(),
        result.known(),
        result.empty(),
        troubles,
        result.chunks());
    out.printf(
        Locale.ROOT,
        "read %s in %.2f s, %s/s%n",
        ByteSize.format(result.bytesRead()),
        seconds,
        ByteSize.format(result.bytesRead() / seconds));
  }

  private void check(FileIndexer indexer, List<FileStatus> files, Progress progress)
      throws IOException {
    // Files that agree with their indexes, empty files, chunks.
    long[] counts = new long[3];
    indexer.check(
        files,
        checked -> {
          Path file = checked.status().getPath();
          counts[2] += checked.chunks();
          if (checked.error().isPresent()) {
            trouble(file + ": " + checked.error().get().getMessage());
          } else if (checked.status().getLen() == 0) {
            counts[1]++;
          } else if (checked.reason().isPresent()) {
            trouble(file + ": no index: " + checked.reason().get().description());
          } else if (checked.differences().isEmpty()) {
            counts[0]++;
            tell(file + ": " + checked.chunks() + " chunks are as " + checked.place() + " says");
          } else {
            trouble(
                file
                    + ": differs from its index; delete "
                    + checked.place()
                    + " and index the file again");
            checked.differences().forEach(difference -> out.println("  " + difference));
          }
        });
    out.printf(
        Locale.ROOT,
        "%d files: %d as their indexes say, %d empty, %d not; %d chunks compared in %.2f s%n",
        files.size(),
        counts[0],
        counts[1],
        troubles,
        counts[2],
        progress.seconds());
  }

  private void collect(Configuration conf, int parallelism) throws IOException {
    FileIndexStore store = FileIndexStore.of(conf);
    Map<Path, FileSystem> roots = new LinkedHashMap<>();
    for (String path : paths) {
      FileSystem fs = new Path(path).getFileSystem(conf);
      roots.put(store.root(fs), fs);
    }
    for (Map.Entry<Path, FileSystem> root : roots.entrySet()) {
      IndexCollection done = store.collect(root.getValue(), parallelism, this::tellCollected);
      out.printf(
          "%s: %d indexes deleted (%s), %d kept, %d undecided%n",
          root.getKey(),
          done.deleted(),
          ByteSize.format(done.deletedBytes()),
          done.kept(),
          done.undecided());
      if (done.others() > 0) {
        out.printf(
            "%s: %d files or directories are no indexes and were left alone%n",
            root.getKey(), done.others());
      }
    }
  }

  private void tellCollected(IndexCollection soFar) {
    long now = System.nanoTime();
    if (now - toldNanos > PROGRESS_NANOS) {
      toldNanos = now;
      long seen = soFar.kept() + soFar.deleted() + soFar.undecided();
      say("collecting: " + seen + " indexes looked at, " + soFar.deleted() + " deleted");
    }
  }

  private void tell(String line) {
    if (verbose) {
      out.println(line);
    }
  }

  private void trouble(String line) {
    troubles++;
    say("freshet: " + line);
  }

  private void say(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }
}
