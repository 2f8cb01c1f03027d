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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.freshet.cli.bench.BenchContext;
import org.freshet.cli.bench.BenchReport;
import org.freshet.cli.bench.BenchRow;
import org.freshet.cli.bench.BenchSeries;
import org.freshet.cli.bench.BenchTable;
import org.freshet.cli.bench.Benchmark;
import org.freshet.cli.bench.Benchmarks;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.cli.program.Installation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code freshet bench}. */
@Command(
    name = "bench",
    description =
        "Measures Freshet beside what it replaces on this machine; without a NAME, lists what it can.",
    subcommands = BenchPlotCommand.class,
    mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "The benchmark.")
  private String name;

  @Option(
      names = "--quick",
      description = "Less data and fewer cases: minutes on two cores, half an hour at most.")
  private boolean quick;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the figures as JSON, for 'bench plot' with curves.")
  private Path json;

  @Option(
      names = "--size",
      paramLabel = "MB",
      description = "The size of the input (default: as the benchmark chooses).")
  private Integer sizeMb;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "How often each case is measured (default: as the benchmark chooses).")
  private Integer runs;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    if (name == null) {
      Benchmarks.all().forEach(b -> out.printf("%-15s %s%n", b.name(), b.description()));
      return 0;
    }
    Benchmark benchmark =
        Benchmarks.named(name)
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(),
                        "no benchmark is named '"
                            + name
                            + "', expected one of: "
                            + Benchmarks.all().stream()
                                .map(Benchmark::name)
                                .collect(Collectors.joining(", "))));
    requirePositive("--size", sizeMb);
    requirePositive("--runs", runs);
    Path work = LocalCluster.defaultDirectory().resolveSibling("bench").resolve(name);
    clear(work);
    List<BenchSeries> series = new ArrayList<>();
    List<BenchRow> rows =
        benchmark.run(
            new BenchContext(
                Installation.find(),
                work,
                quick,
                optional(sizeMb),
                optional(runs),
                this::say,
                series::add));
    clear(work);
    BenchReport report = BenchReport.now(name, rows, series);
    if (json != null) {
      report.write(json);
    }
    out.println();
    out.print(BenchTable.render(report));
    return 0;
  }

  private void say(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }

  private void requirePositive(String option, Integer value) {
    if (value != null && value < 1) {
      throw new ParameterException(
          spec.commandLine(), option + " is " + value + ", expected at least 1");
    }
  }

  private static OptionalInt optional(Integer value) {
    return value == null ? OptionalInt.empty() : OptionalInt.of(value);
  }

  /** Empties the work directory, after ending the cluster that a killed benchmark may have left. */
  private static void clear(Path work) throws IOException, InterruptedException {
    Files.createDirectories(work);
    LocalCluster.at(work.resolve("cluster")).stop();
    try (Stream<Path> files = Files.walk(work)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    Files.createDirectories(work);
  }
}
