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

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.freshet.cli.docs.ConfigurationReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code freshet docs}: writes the manual's reference pages, for those who work on Freshet. */
@Command(
    name = "docs",
    hidden = true,
    description = "Prints the reference pages that are made from the code.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "PAGE",
    subcommands = DocsCommand.Configuration.class)
final class DocsCommand {

  /** {@code freshet docs configuration}. */
  @Command(
      name = "configuration",
      description = "Prints docs/configuration.md.",
      mixinStandardHelpOptions = true)
  static final class Configuration implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      PrintWriter out = spec.commandLine().getOut();
      out.print(ConfigurationReference.markdown());
      out.flush();
      return 0;
    }
  }
}
