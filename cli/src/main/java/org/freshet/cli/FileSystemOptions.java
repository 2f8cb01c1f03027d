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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.freshet.cli.cluster.LocalCluster;
import picocli.CommandLine.Option;

/** The options that say on which file system a command finds its files. */
final class FileSystemOptions {
  @Option(
      names = "--local",
      description = "Paths without a scheme are on the local file system, not on the cluster's.")
  private boolean local;

  @Option(
      names = "-D",
      paramLabel = "name=value",
      description = "Set a property, such as freshet.index.dir or freshet.chunk.average.bytes.")
  private Map<String, String> properties = new LinkedHashMap<>();

  /**
   * A configuration that finds these paths. If all have schemes, no cluster is needed.
   *
   * @throws IOException if a cluster is needed and there is none
   */
  Configuration configuration(List<String> paths) throws IOException {
    boolean absolute = paths.stream().allMatch(path -> new Path(path).toUri().getScheme() != null);
    boolean configured = System.getenv("HADOOP_CONF_DIR") != null;
    Configuration conf =
        local || (absolute && !configured)
            ? new Configuration()
            : LocalCluster.clientConfiguration(TargetCluster.confDirectory());
    properties.forEach(conf::set);
    return conf;
  }
}
