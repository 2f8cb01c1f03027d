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
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.mapreduce.FreshetKeys;
import org.freshet.memo.MemoStore;
import picocli.CommandLine.Option;

/** The options that say which memo store a command reads. */
final class StoreOptions {
  @Option(
      names = "--store",
      paramLabel = "URI",
      description =
          "The store's directory (default: what freshet.store of the cluster says, or .freshet/store"
              + " in the home directory there).")
  private String store;

  @Option(
      names = "--local",
      description = "Look on the local file system, where 'freshet run --local' works.")
  private boolean local;

  @Option(
      names = "-D",
      paramLabel = "name=value",
      description = "Set a property, as for 'freshet run'.")
  private Map<String, String> properties = new LinkedHashMap<>();

  /**
   * What the job was submitted with, as far as it says where things are. A store with a scheme
   * needs no cluster.
   *
   * @throws IOException if a cluster is needed and there is none
   */
  Configuration configuration() throws IOException {
    String named = store != null ? store : properties.get(FreshetKeys.STORE.name());
    boolean absolute = named != null && new Path(named).toUri().getScheme() != null;
    Configuration conf =
        local || absolute
            ? new Configuration()
            : LocalCluster.clientConfiguration(TargetCluster.confDirectory());
    properties.forEach(conf::set);
    if (store != null) {
      conf.set(FreshetKeys.STORE.name(), store);
    }
    return conf;
  }

  /**
   * Opens the store.
   *
   * @throws IOException if there is none
   */
  static MemoStore open(Configuration conf) throws IOException {
    Path root = FreshetKeys.store(conf);
    MemoStore memo = MemoStore.open(conf, root);
    if (!memo.fileSystem().exists(root)) {
      throw new IOException("there is no memo store at " + root + "; name one with --store");
    }
    return memo;
  }
}
