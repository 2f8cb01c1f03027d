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

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.cli.cluster.LocalCluster;
import org.freshet.cli.program.FreshetProperties;
import org.freshet.memo.MemoStore;
import org.freshet.memo.StoreStats;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code freshet memo stats}. */
@Command(
    name = "stats",
    description = "Shows how much a memo store holds.",
    mixinStandardHelpOptions = true)
final class MemoStatsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--store",
      paramLabel = "URI",
      description =
          "The store's directory (default: "
              + FreshetProperties.STORE
              + " of the cluster, or "
              + FreshetProperties.DEFAULT_STORE
              + " in the home directory there).")
  private URI store;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    Configuration conf =
        store != null && store.isAbsolute()
            ? new Configuration()
            : LocalCluster.clientConfiguration(TargetCluster.confDirectory());
    Path root = root(conf);
    if (!root.getFileSystem(conf).exists(root)) {
      throw new IOException("there is no memo store at " + root + "; name one with --store");
    }
    StoreStats stats = MemoStore.open(conf, root).stats();
    if (json) {
      out.println(new ObjectMapper().writeValueAsString(stats));
    } else {
      out.printf("%-10s %s%n", "store", root);
      out.printf(Locale.ROOT, "%-10s %,d%n", "bytes", stats.bytes());
      out.printf(Locale.ROOT, "%-10s %,d%n", "packs", stats.packs());
      out.printf(Locale.ROOT, "%-10s %,d%n", "runs", stats.runs());
      out.printf(Locale.ROOT, "%-10s %,d%n", "lineages", stats.lineages());
      out.printf(Locale.ROOT, "%-10s %,d%n", "manifests", stats.manifests());
    }
    return 0;
  }

  private Path root(Configuration conf) throws IOException {
    if (store != null) {
      return new Path(store);
    }
    String configured = conf.getTrimmed(FreshetProperties.STORE, "");
    return configured.isEmpty()
        ? new Path(FileSystem.get(conf).getHomeDirectory(), FreshetProperties.DEFAULT_STORE)
        : new Path(configured);
  }
}
