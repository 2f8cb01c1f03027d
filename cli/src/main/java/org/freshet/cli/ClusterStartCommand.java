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
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.freshet.cli.cluster.ClusterException;
import org.freshet.cli.cluster.ClusterOptions;
import org.freshet.cli.cluster.DaemonStatus;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.cli.program.Installation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code freshet cluster start}. */
@Command(
    name = "start",
    description =
        "Starts NameNode, DataNodes, ResourceManager, NodeManagers and JobHistoryServer on free"
            + " ports of this machine, with --spark a standalone Spark beside them, and waits until"
            + " they are ready.",
    mixinStandardHelpOptions = true)
final class ClusterStartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterCommand.Directory directory;

  @Option(
      names = "--nodemanagers",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "How many NodeManagers (default: ${DEFAULT-VALUE}); with 0 here and of DataNodes, only"
              + " what --spark starts.")
  private int nodeManagers;

  @Option(
      names = "--datanodes",
      paramLabel = "N",
      defaultValue = "2",
      description = "How many DataNodes (default: ${DEFAULT-VALUE}).")
  private int dataNodes;

  @Option(
      names = "--memory-mb",
      paramLabel = "MIB",
      defaultValue = "4096",
      description = "What each NodeManager offers to containers (default: ${DEFAULT-VALUE}).")
  private int memoryMb;

  @Option(
      names = "--spark",
      description = "Also start a Spark master, its workers and its history server.")
  private boolean spark;

  @Option(
      names = "--spark-workers",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "How many workers --spark starts, each of one core and 1 GiB (default:"
              + " ${DEFAULT-VALUE}).")
  private int sparkWorkers;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    Optional<LocalCluster> running = LocalCluster.find(directory.path());
    boolean isMissed = spark && running.isPresent() && running.get().sparkSubmit().isEmpty();
    if (isMissed) {
      throw new ClusterException(
          "the cluster in "
              + running.get().directory()
              + " runs without Spark; stop it first, its data stays");
    }
    if (running.isPresent() && running.get().complaints().isEmpty()) {
      out.println("The cluster in " + running.get().directory() + " is already running.");
      describe(running.get(), out);
      return 0;
    }
    ClusterOptions options =
        new ClusterOptions(
            nodeManagers,
            dataNodes,
            memoryMb,
            ClusterOptions.DEFAULT.startLimitSeconds(),
            spark ? sparkWorkers : 0);
    LocalCluster cluster =
        LocalCluster.start(
            directory.path(),
            options,
            Installation.find().clusterJars(),
            line -> {
              out.println(line);
              out.flush();
            });
    describe(cluster, out);
    return 0;
  }

  private static void describe(LocalCluster cluster, PrintWriter out) throws Exception {
    out.println();
    for (DaemonStatus daemon : cluster.status()) {
      if (!daemon.name().matches(".*-\\d+")) {
        daemon.web().ifPresent(web -> out.printf("  %-18s %s%n", daemon.title(), web));
      }
    }
    out.println();
    if (cluster.hasHadoop()) {
      out.println("  export HADOOP_CONF_DIR=" + cluster.confDirectory());
    }
    Optional<Path> submit = cluster.sparkSubmit();
    submit.ifPresent(
        script -> out.println("  export PATH=" + script.getParent() + ":$PATH  # spark-submit"));
    out.println();
    if (cluster.hasHadoop()) {
      out.println("Run a job with 'freshet run', end the cluster with 'freshet cluster stop'.");
    } else {
      out.println("End the cluster with 'freshet cluster stop'.");
    }
    out.flush();
  }
}
