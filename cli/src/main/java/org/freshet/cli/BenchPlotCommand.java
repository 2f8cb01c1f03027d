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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.freshet.cli.bench.BenchReport;
import org.freshet.cli.bench.plot.PlotPage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code freshet bench plot}. */
@Command(
    name = "plot",
    description = "Draws the curves that a benchmark has written with --json.",
    mixinStandardHelpOptions = true)
final class BenchPlotCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "JSON", description = "What the benchmark has written.")
  private Path json;

  @Parameters(
      index = "1",
      paramLabel = "PAGE",
      description = "The page to write, in HTML; it needs nothing else.")
  private Path page;

  @Override
  public Integer call() throws IOException {
    BenchReport report = BenchReport.read(json);
    if (report.series().isEmpty()) {
      throw new IOException(
          json
              + " has no curves: the benchmark '"
              + report.bench()
              + "' keeps none; drizzle-adapt, drizzle-sgd, drizzle-sql and drizzle-views do");
    }
    Files.writeString(page, PlotPage.of(report), StandardCharsets.UTF_8);
    spec.commandLine().getOut().println("Wrote " + page);
    return 0;
  }
}
