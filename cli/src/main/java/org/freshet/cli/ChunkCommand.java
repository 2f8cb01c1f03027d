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
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongConsumer;
import org.freshet.cli.chunk.ByteSize;
import org.freshet.cli.chunk.ChunkCounter;
import org.freshet.cli.chunk.ChunkJson;
import org.freshet.cli.chunk.ChunkStatistics;
import org.freshet.cli.chunk.ChunkText;
import org.freshet.cli.chunk.Progress;
import org.freshet.cli.chunk.WatchedSource;
import org.freshet.shredder.Backend;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.DigestAlgorithm;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code freshet chunk}. */
@Command(
    name = "chunk",
    description = {
      "Cuts files where their content says so, and shows the chunks.",
      "Prints offset, length and digest of each, then how long they are and how many repeat."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every file was cut",
      "1:a file could not be read; the others were cut",
      "2:wrong usage"
    },
    footer = {
      "",
      "For example: freshet chunk --summary --average 64K --lines access.log",
      "             freshet chunk --rule rabin --mask-bits 13 --marker 0x78 --json image.raw"
    })
final class ChunkCommand implements Callable<Integer> {
  private static final String STANDARD_INPUT = "-";

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "What to cut; - for the standard input.")
  private List<String> files;

  @Mixin private ChunkingOptions chunking;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads for files above 64 MiB (default: one a processor).")
  private Integer threads;

  @Option(
      names = "--digest",
      paramLabel = "NAME",
      converter = DigestConverter.class,
      description =
          "What names a chunk's content: sha-256, or blake3, which is faster where the backend is"
              + " native and the processor has AVX-512 (default: sha-256).")
  private DigestAlgorithm digest = DigestAlgorithm.SHA_256;

  @Option(names = "--no-digest", description = "Only find the cuts.")
  private boolean noDigest;

  @Option(names = "--summary", description = "Do not list each chunk.")
  private boolean summary;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private PrintWriter out;
  private Chunker chunker;
  private ExecutorService executor;
  private ChunkJson jsonOut;
  private ChunkCounter counter;
  private double seconds;

  @Override
  public Integer call() throws IOException {
    int parallelism = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
    if (parallelism < 1) {
      throw new ParameterException(
          spec.commandLine(), "--threads is " + parallelism + ", expected at least 1");
    }
    ChunkerConfig config = chunking.config().with(digest);
    Backend backend = chunking.backend();
    out = spec.commandLine().getOut();
    chunker = new Chunker(config, backend);
    counter = new ChunkCounter(!noDigest);
    executor = Executors.newFixedThreadPool(parallelism);
    try (ChunkJson writer =
        json ? new ChunkJson(config, backend.description(), !summary, out) : null) {
      jsonOut = writer;
      int failed = 0;
      for (String file : files) {
        failed += cut(file, parallelism) ? 0 : 1;
      }
      conclude(config, backend);
      out.flush();
      return failed == 0 ? 0 : 1;
    } finally {
      executor.shutdownNow();
    }
  }

  /** Whether the file could be read. */
  private boolean cut(String file, int parallelism) throws IOException {
    if (jsonOut != null) {
      jsonOut.begin(file);
    }
    double taken;
    try {
      taken =
          file.equals(STANDARD_INPUT) ? cutStandardInput(parallelism) : cutFile(file, parallelism);
    } catch (IOException e) {
      counter.dropFile();
      if (jsonOut != null) {
        jsonOut.fail(reason(e));
      }
      say("freshet: " + file + ": " + reason(e));
      return false;
    }
    seconds += taken;
    ChunkStatistics statistics = counter.endFile();
    if (jsonOut != null) {
      jsonOut.end(taken, statistics);
    } else {
      ChunkText.printStatistics(file, statistics, out);
      out.flush();
    }
    return true;
  }

  /** Counts and shows a chunk, of which nothing is kept: there may be any number. */
  private void take(long offset, long length, byte[] digest) {
    counter.add(length, digest);
    if (jsonOut != null) {
      try {
        jsonOut.chunk(offset, length, digest);
      } catch (IOException e) {
        // Not of the file that is read, and no reason to go on with the next.
        throw new UncheckedIOException("The chunks cannot be written", e);
      }
    } else if (!summary) {
      ChunkText.printChunk(offset, length, digest, out);
    }
  }

  private void take(Chunk chunk) {
    take(chunk.offset(), chunk.length(), chunk.digest());
  }

  /** Takes the ends of chunks that have no digests. */
  private LongConsumer ends() {
    long[] start = new long[1];
    return end -> {
      take(start[0], end - start[0], null);
      start[0] = end;
    };
  }

  /** In how many seconds. */
  private double cutFile(String name, int parallelism) throws IOException {
    Path file = Path.of(name);
    if (Files.isDirectory(file)) {
      throw new IOException("is a directory, expected a file");
    }
    ByteSource source = ByteSource.of(file);
    try (Progress progress = new Progress(name, source.length(), this::say)) {
      ByteSource watched = new WatchedSource(source, progress);
      if (noDigest) {
        chunker.boundaries(watched, executor, parallelism, ends());
      } else {
        chunker.chunk(watched, executor, parallelism, this::take);
      }
      return progress.seconds();
    }
  }

  private double cutStandardInput(int parallelism) throws IOException {
    try (Progress progress = new Progress("standard input", -1, this::say)) {
      InputStream in = WatchedSource.watch(System.in, progress);
      if (noDigest) {
        chunker.boundaries(in, ends());
      } else {
        chunker.chunk(in, executor, parallelism, this::take);
      }
      return progress.seconds();
    }
  }

  private void conclude(ChunkerConfig config, Backend backend) throws IOException {
    if (jsonOut != null) {
      jsonOut.finish(counter.total());
      return;
    }
    if (files.size() > 1) {
      ChunkText.printStatistics("all", counter.total(), out);
    }
    out.println("cut by " + config.fingerprint() + " with " + backend.description());
    if (seconds > 0) {
      double rate = counter.total().bytes() / seconds;
      out.printf(Locale.ROOT, "in %.2f s, %s/s%n", seconds, ByteSize.format(rate));
    }
  }

  private static String reason(IOException e) {
    return e instanceof NoSuchFileException ? "no such file" : String.valueOf(e.getMessage());
  }

  private void say(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }

  /** As in a fingerprint. */
  static final class DigestConverter implements ITypeConverter<DigestAlgorithm> {
    @Override
    public DigestAlgorithm convert(String value) {
      for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
        if (algorithm.label().equalsIgnoreCase(value)) {
          return algorithm;
        }
      }
      throw new TypeConversionException("'" + value + "' is neither sha-256 nor blake3");
    }
  }
}
