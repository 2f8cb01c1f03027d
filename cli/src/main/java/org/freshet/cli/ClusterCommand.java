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
import org.freshet.cli.cluster.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code freshet cluster}: a real Hadoop on this machine. */
@Command(
    name = "cluster",
    description = "Starts, stops or shows a real Hadoop cluster on this machine.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ClusterStartCommand.class, ClusterStopCommand.class, ClusterStatusCommand.class})
final class ClusterCommand {

  /** The directory option that the three commands share. */
  static final class Directory {
    @Option(
        names = "--dir",
        paramLabel = "DIR",
        description =
            "Where the cluster keeps configuration, data and logs (default: $FRESHET_HOME/cluster,"
                + " or ~/.freshet/cluster).")
    private Path dir;

    Path path() {
      return dir == null ? LocalCluster.defaultDirectory() : dir;
    }
  }
}
