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

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.cli.program.Installation;
import org.freshet.cli.quickstart.Quickstart;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code freshet quickstart}, also {@code bin/quickstart}. */
@Command(
    name = "quickstart",
    description = {
      "Counts the words of a release of Hadoop's sources, then of the next release: with stock Hadoop"
          + " and with Freshet, side by side, on the local job runner.",
      "Gets the sources through Maven and needs no cluster. Fails if two outputs differ."
    },
    mixinStandardHelpOptions = true)
final class QuickstartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where text, outputs and the memo store are kept (default: $FRESHET_HOME/quickstart, or"
              + " ~/.freshet/quickstart).")
  private Path dir;

  @Override
  public Integer call() throws Exception {
    Path directory =
        dir == null ? LocalCluster.defaultDirectory().resolveSibling("quickstart") : dir;
    new Quickstart(Installation.find(), directory, spec.commandLine().getOut()).run();
    return 0;
  }
}
