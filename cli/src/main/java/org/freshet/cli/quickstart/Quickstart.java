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
package org.freshet.cli.quickstart;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.freshet.cli.program.Installation;
import org.freshet.cli.program.Program;
import org.freshet.cli.program.ProgramLauncher;
import org.freshet.cli.program.ProgramResult;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.mapreduce.FreshetKeys;

/**
 * Runs Hadoop's own, unmodified word count over a release of Hadoop's sources, and again over the
 * next release: each with stock Hadoop and with Freshet, on the local job runner.
 *
 * <p>All five runs are programs of their own with the same JVM options and client settings. The
 * outputs must be the same byte for byte, or the quick start fails.
 */
public final class Quickstart {
  private static final String BEFORE = ReleaseText.BEFORE;
  private static final String AFTER = ReleaseText.AFTER;
  private static final List<String> JVM_OPTIONS = List.of("-Xmx1g");
  private static final int LINES_ON_FAILURE = 30;

  /** The default is made for gigabytes: in less than a hundred megabytes few chunks would be. */
  private static final String CHUNK_AVERAGE = "256k";

  /** The client asks once a second whether a job is done, which is long for jobs this short. */
  private static final Map<String, String> BOTH =
      Map.of("mapreduce.client.progressmonitor.pollinterval", "100");

  private final Installation installation;
  private final Path directory;
  private final PrintWriter out;
  private final ProgramLauncher launcher;
  private final ReleaseText releases;

  /**
   * @param directory where text, outputs and the memo store are kept; outputs and store of an
   *     earlier quick start in it are deleted
   * @param out told what happens, and shown the table
   */
  public Quickstart(Installation installation, Path directory, PrintWriter out) {
    this.installation = installation;
    this.directory = directory.toAbsolutePath().normalize();
    this.out = out;
    this.launcher = new ProgramLauncher(installation);
    this.releases = new ReleaseText(installation, this.directory.resolve("sources"));
  }

  /**
   * Runs the quick start.
   *
   * @throws IOException if a run fails or two outputs differ
   */
  public void run() throws IOException, InterruptedException {
    say("Getting the sources of Hadoop " + BEFORE + " and " + AFTER + " through Maven");
    releases.get(List.of(BEFORE, AFTER));
    for (String stale : List.of("input", "output", "memo")) {
      delete(directory.resolve(stale));
    }

    int changed = update(BEFORE);
    say("Input: release " + BEFORE + ", " + changed + " files in " + directory.resolve("input"));
    say("Freshet's setting: " + HdfsKeys.CHUNK_AVERAGE.name() + "=" + CHUNK_AVERAGE);
    QuickstartRun stockBefore = wordCount("stock", BEFORE, "stock-before", true);
    QuickstartRun first = wordCount("Freshet, first run", BEFORE, "freshet-first", false);

    changed = update(AFTER);
    say("Input: now release " + AFTER + ", " + changed + " files changed");
    QuickstartRun stockAfter = wordCount("stock", AFTER, "stock-after", true);
    QuickstartRun second = wordCount("Freshet, second run", AFTER, "freshet-second", false);
    QuickstartRun again = wordCount("Freshet, nothing changed", AFTER, "freshet-again", false);

    requireSame(stockBefore, first);
    requireSame(stockAfter, second);
    requireSame(stockAfter, again);
    out.println();
    out.print(
        QuickstartTable.render(List.of(stockBefore, first), List.of(stockAfter, second, again)));
    out.println("Starting Java and the job client takes about 1.5 s of each time.");
    out.println("Outputs identical: Freshet's are those of stock Hadoop, byte for byte.");
    out.flush();
  }

  private QuickstartRun wordCount(String title, String release, String name, boolean stock)
      throws IOException, InterruptedException {
    say("Word count of " + release + ": " + title);
    Path output = directory.resolve("output").resolve(name);
    Program program =
        new Program(
            stock,
            Optional.empty(),
            stock ? BOTH : incremental(),
            JVM_OPTIONS,
            installation.stockExamples(),
            List.of("wordcount", directory.resolve("input").toString(), output.toString()));
    ProgramResult result = launcher.capture(program);
    if (result.exitCode() != 0 || result.jobs().isEmpty()) {
      throw new IOException(
          "word count ("
              + title
              + ") failed with exit code "
              + result.exitCode()
              + "; the last lines of its log:\n"
              + result.tail(LINES_ON_FAILURE));
    }
    return QuickstartRun.of(release + ", " + title, result, output);
  }

  private Map<String, String> incremental() {
    Map<String, String> properties = new HashMap<>(BOTH);
    properties.put(FreshetKeys.STORE.name(), directory.resolve("memo").toUri().toString());
    properties.put(HdfsKeys.CHUNK_AVERAGE.name(), CHUNK_AVERAGE);
    return properties;
  }

  /**
   * Makes the input that of a release, as a synchronizing copy does: files that are equal stay
   * untouched.
   *
   * @return how many files were written
   */
  private int update(String release) throws IOException {
    Path input = Files.createDirectories(directory.resolve("input"));
    int written = 0;
    try (Stream<Path> files = Files.list(releases.text(release))) {
      for (Path file : files.sorted().toList()) {
        Path target = input.resolve(file.getFileName());
        if (!Files.exists(target) || Files.mismatch(file, target) >= 0) {
          Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
          written++;
        }
      }
    }
    return written;
  }

  private static void requireSame(QuickstartRun expected, QuickstartRun actual) throws IOException {
    List<Path> stock = parts(expected.output());
    List<Path> ours = parts(actual.output());
    if (!stock.stream()
        .map(Path::getFileName)
        .toList()
        .equals(ours.stream().map(Path::getFileName).toList())) {
      throw new IOException("OUTPUTS DIFFER: stock wrote " + stock + ", Freshet wrote " + ours);
    }
    for (int i = 0; i < stock.size(); i++) {
      long position = Files.mismatch(stock.get(i), ours.get(i));
      if (position >= 0) {
        throw new IOException(
            "OUTPUTS DIFFER: "
                + ours.get(i)
                + " is not "
                + stock.get(i)
                + ", which stock Hadoop wrote; first at byte "
                + position);
      }
    }
  }

  private static List<Path> parts(Path output) throws IOException {
    try (Stream<Path> files = Files.list(output)) {
      return files.filter(f -> f.getFileName().toString().startsWith("part-")).sorted().toList();
    }
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }

  private static void delete(Path tree) throws IOException {
    if (Files.exists(tree)) {
      try (Stream<Path> files = Files.walk(tree)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
