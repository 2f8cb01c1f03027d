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

import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.util.ToolRunner;
import org.freshet.cli.cluster.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code freshet fs}: {@code hdfs dfs} on the same cluster as {@code freshet run}. */
@Command(
    name = "fs",
    description = "Works on the cluster's file system as 'hdfs dfs' does.",
    mixinStandardHelpOptions = true,
    customSynopsis = "freshet fs ARGS...",
    footer = {"", "For example: freshet fs -put book.txt in/", "             freshet fs -ls in"})
final class FsCommand implements Callable<Integer> {
  @Parameters(arity = "0..*", paramLabel = "ARGS", description = "What 'hdfs dfs' takes.")
  private List<String> arguments = List.of();

  @Override
  public Integer call() throws Exception {
    Configuration conf = LocalCluster.clientConfiguration(TargetCluster.confDirectory());
    return ToolRunner.run(conf, new FsShell(conf), arguments.toArray(String[]::new));
  }
}
