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

import java.nio.file.Files;
import java.util.concurrent.Callable;
import org.freshet.cli.cluster.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code freshet cluster stop}. */
@Command(
    name = "stop",
    description = "Ends the daemons that 'cluster start' launched, and no other process.",
    mixinStandardHelpOptions = true)
final class ClusterStopCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterCommand.Directory directory;

  @Override
  public Integer call() throws Exception {
    int stopped =
        Files.isDirectory(directory.path()) ? LocalCluster.at(directory.path()).stop() : 0;
    spec.commandLine()
        .getOut()
        .println(
            stopped == 0
                ? "No cluster is running in " + directory.path() + "."
                : stopped + " daemons stopped; data is kept in " + directory.path() + ".");
    return 0;
  }
}
