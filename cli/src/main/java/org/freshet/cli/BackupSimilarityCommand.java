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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.freshet.cli.backup.SimilarityExperiment;
import org.freshet.cli.chunk.ByteSize;
import org.freshet.shredder.Chunker;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code freshet backup similarity}. */
@Command(
    name = "similarity",
    description = {
      "Shows backup bandwidth and bytes sent as images resemble the first one less and less.",
      "Starts a server of its own; images are random, in memory; each is restored and compared."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class BackupSimilarityCommand implements Callable<Integer> {
  private static final int MAX_IMAGE = 1 << 30;

  @Spec private CommandSpec spec;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "256M",
      converter = ChunkingOptions.SizeConverter.class,
      description = "Length of an image, at most 1G (default: ${DEFAULT-VALUE}).")
  private long size;

  @Option(
      names = "--segment",
      paramLabel = "SIZE",
      defaultValue = "256K",
      converter = ChunkingOptions.SizeConverter.class,
      description = "Length of the segments that are replaced (default: ${DEFAULT-VALUE}).")
  private long segment;

  @Option(
      names = "--replaced",
      split = ",",
      paramLabel = "PERCENT",
      defaultValue = "0,5,10,15,20,25,30,35,40",
      description = "Which share of the segments is replaced (default: ${DEFAULT-VALUE}).")
  private List<Double> percents;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads of the agent that search and digest (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Mixin private ChunkingOptions chunking;

  @Override
  public Integer call() throws Exception {
    if (size < 1 || size > MAX_IMAGE || segment < 1 || segment > size || threads < 1) {
      throw new ParameterException(
          spec.commandLine(),
          "--size, --segment and --threads are "
              + size
              + ", "
              + segment
              + " and "
              + threads
              + ", expected 1 to "
              + MAX_IMAGE
              + ", 1 to the size, and at least 1");
    }
    Chunker chunker = chunking.chunker();
    SimilarityExperiment experiment =
        new SimilarityExperiment(
            (int) size, (int) segment, percents.stream().map(percent -> percent / 100).toList());
    Path directory = Files.createTempDirectory("freshet-similarity");
    try {
      show(experiment.run(directory.resolve("store"), chunker, threads, this::say), chunker);
    } finally {
      delete(directory);
    }
    return 0;
  }

  private void show(List<SimilarityExperiment.Step> steps, Chunker chunker) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        "images of "
            + ByteSize.format(size)
            + " in segments of "
            + ByteSize.format(segment)
            + ", cut by "
            + chunker.config().fingerprint()
            + " with "
            + chunker.backend().description());
    out.println("replaced   new content  chunks sent     bytes sent    bandwidth");
    for (SimilarityExperiment.Step step : steps) {
      out.printf(
          Locale.ROOT,
          "%6.1f %%  %12s %12d %14s %10s/s%n",
          100 * step.share(),
          ByteSize.format(step.replacedBytes()),
          step.put().sentChunks(),
          ByteSize.format(step.put().wireBytes()),
          ByteSize.format(step.put().bandwidth()));
    }
    out.println("100 % is the first image, of which the server knew nothing.");
  }

  private void say(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }

  private static void delete(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
