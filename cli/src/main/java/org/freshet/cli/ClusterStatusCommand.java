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
import java.util.List;
import java.util.concurrent.Callable;
import org.freshet.cli.cluster.DaemonStatus;
import org.freshet.cli.cluster.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code freshet cluster status}. */
@Command(
    name = "status",
    description = "Shows each daemon and asks the cluster whether it can be used.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:the cluster can be used", "3:it is not running, or something is amiss"})
final class ClusterStatusCommand implements Callable<Integer> {
  private static final int NOT_RUNNING = 3;

  @Spec private CommandSpec spec;
  @Mixin private ClusterCommand.Directory directory;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    LocalCluster cluster = LocalCluster.at(directory.path());
    for (DaemonStatus daemon : cluster.status()) {
      out.printf(
          "%-18s %-8s pid %-8d %s%n",
          daemon.title(),
          daemon.running() ? "running" : "ended",
          daemon.pid(),
          daemon.web().orElse(""));
    }
    List<String> complaints = cluster.complaints();
    complaints.forEach(out::println);
    if (!complaints.isEmpty()) {
      return NOT_RUNNING;
    }
    out.println(
        cluster.hasHadoop()
            ? "The cluster can be used. HADOOP_CONF_DIR=" + cluster.confDirectory()
            : "The cluster can be used.");
    return 0;
  }
}
