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

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.cli.chunk.ByteSize;
import org.freshet.cli.chunk.Progress;
import org.freshet.hdfs.io.Uploader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code freshet put}. */
@Command(
    name = "put",
    description = {
      "Copies local files to HDFS and leaves a chunk index of each, so that jobs need not read them"
          + " to find what changed.",
      "Large files go in parts, several at a time. The same command goes on where one was broken"
          + " off."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every file was copied",
      "1:a file was not copied; its target is as it was",
      "2:wrong usage"
    },
    footer = {
      "",
      "For example: freshet put today.log in/logs",
      "             freshet put -f --previous in/dump-1 dump-2.csv in/dump-2"
    })
final class PutCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private FileSystemOptions fileSystem;

  @Parameters(
      arity = "2..*",
      paramLabel = "PATH",
      description = {
        "Local files and directories, with all that is below them, and last the target.",
        "It is the directory to copy into if it is one, or there are several sources; else the"
            + " copy."
      })
  private List<String> paths;

  @Option(
      names = {"-f", "--force"},
      description = "Replace files that are there.")
  private boolean force;

  @Option(
      names = "--previous",
      paramLabel = "PATH",
      description =
          "Tell what the copies have in common with these files: a directory if several files are"
              + " copied (default: those that are replaced).")
  private String previous;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Files, or parts of a large file, sent at a time (default: ${DEFAULT-VALUE}).",
      defaultValue = "4")
  private int threads;

  @Option(names = "--verbose", description = "A line for each file.")
  private boolean verbose;

  private PrintWriter out;
  private int failed;

  @Override
  public Integer call() throws IOException {
    if (threads < 1) {
      throw new ParameterException(
          spec.commandLine(), "--threads is " + threads + ", expected at least 1");
    }
    out = spec.commandLine().getOut();
    String target = paths.get(paths.size() - 1);
    List<String> remote = previous == null ? List.of(target) : List.of(target, previous);
    Configuration conf = fileSystem.configuration(remote);
    List<Uploader.Item> items = items(conf, paths.subList(0, paths.size() - 1), new Path(target));
    long bytes = 0;
    for (Uploader.Item item : items) {
      bytes += Files.size(item.source());
    }
    try (Progress progress = new Progress("copying", bytes, this::say);
        Uploader uploader = new Uploader(conf, threads, progress::add)) {
      Summary summary = new Summary();
      uploader.put(items, outcome -> tell(outcome, summary));
      print(summary, items.size(), progress.seconds(), uploader.fingerprint());
    }
    out.flush();
    return failed == 0 ? 0 : 1;
  }

  /** Sums over the files that were copied. */
  private static final class Summary {
    private long bytes;
    private long resumedBytes;
    private long chunks;
    private long indexed;
    private long compared;
    private long comparedBytes;
    private long keptChunks;
    private long keptBytes;
  }

  private List<Uploader.Item> items(Configuration conf, List<String> sources, Path target)
      throws IOException {
    FileSystem fs = target.getFileSystem(conf);
    boolean directory = fs.exists(target) && fs.getFileStatus(target).isDirectory();
    if (sources.size() > 1 && !directory && fs.exists(target)) {
      throw new IOException(target + " is a file, expected a directory for several sources");
    }
    List<Uploader.Item> items = new ArrayList<>();
    Set<Path> targets = new HashSet<>();
    for (String name : sources) {
      java.nio.file.Path source = java.nio.file.Path.of(name);
      if (!Files.exists(source)) {
        failed(source + ": no such file or directory");
        continue;
      }
      String last = source.toAbsolutePath().normalize().getFileName().toString();
      Path copy = directory || sources.size() > 1 ? new Path(target, last) : target;
      Path before = before(copy, last, sources.size() > 1 || directory);
      for (java.nio.file.Path file : filesBelow(source)) {
        String below = source.relativize(file).toString();
        Path to = below.isEmpty() ? copy : new Path(copy, below);
        if (!targets.add(to)) {
          failed(file + ": another file is copied to " + to);
        } else if (fs.exists(to) && !force) {
          failed(to + ": is there already; -f replaces it");
        } else {
          items.add(
              new Uploader.Item(file, to, below.isEmpty() ? before : new Path(before, below)));
        }
      }
    }
    return items;
  }

  /** Links are followed; what is no file is told. */
  private List<java.nio.file.Path> filesBelow(java.nio.file.Path source) throws IOException {
    List<java.nio.file.Path> found = new ArrayList<>();
    try (Stream<java.nio.file.Path> all = Files.walk(source, FileVisitOption.FOLLOW_LINKS)) {
      for (java.nio.file.Path file : all.sorted().toList()) {
        if (Files.isRegularFile(file)) {
          found.add(file);
        } else if (!Files.isDirectory(file)) {
          failed(file + ": is neither a file nor a directory");
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return found;
  }

  private Path before(Path copy, String name, boolean several) {
    if (previous == null) {
      return copy;
    }
    return several ? new Path(previous, name) : new Path(previous);
  }

  private void tell(Uploader.Outcome outcome, Summary summary) {
    Path target = outcome.item().target();
    if (outcome.error().isPresent()) {
      failed(outcome.item().source() + ": " + outcome.error().get().getMessage());
      return;
    }
    summary.bytes += outcome.bytes();
    summary.resumedBytes += outcome.resumedBytes();
    summary.chunks += outcome.chunks();
    summary.indexed += outcome.indexed() ? 1 : 0;
    Optional<Uploader.Kept> kept = outcome.kept();
    if (kept.isPresent()) {
      summary.compared++;
      summary.comparedBytes += outcome.bytes();
      summary.keptChunks += kept.get().chunks();
      summary.keptBytes += kept.get().bytes();
    }
    if (verbose) {
      out.printf(
          "%s: %d bytes, %d chunks%s%s%s%n",
          target,
          outcome.bytes(),
          outcome.chunks(),
          kept.map(k -> ", " + k.chunks() + " of them as before").orElse(""),
          outcome.whyOneStream().map(why -> "; in one stream: " + why).orElse(""),
          outcome.indexed() || outcome.bytes() == 0 ? "" : "; no index is kept");
    }
  }

  private void print(Summary summary, int files, double seconds, String fingerprint) {
    out.printf(
        Locale.ROOT,
        "%d files: %d indexed, %d failed; %s in %d chunks cut by %s%n",
        files,
        summary.indexed,
        failed,
        ByteSize.format(summary.bytes),
        summary.chunks,
        fingerprint);
    if (summary.compared > 0) {
      out.printf(
          Locale.ROOT,
          "kept from the versions before: %d chunks, %s (%.1f %% of %d files that had an index)%n",
          summary.keptChunks,
          ByteSize.format(summary.keptBytes),
          summary.comparedBytes == 0 ? 0 : 100.0 * summary.keptBytes / summary.comparedBytes,
          summary.compared);
    }
    out.printf(
        Locale.ROOT,
        "%.2f s, %s/s%s%n",
        seconds,
        ByteSize.format((summary.bytes - summary.resumedBytes) / seconds),
        summary.resumedBytes == 0
            ? ""
            : "; " + ByteSize.format(summary.resumedBytes) + " had arrived before");
  }

  private void failed(String line) {
    failed++;
    say("freshet: " + line);
  }

  private void say(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }
}
