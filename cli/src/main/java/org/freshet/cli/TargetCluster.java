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
import java.nio.file.Files;
import java.nio.file.Path;
import org.freshet.cli.cluster.LocalCluster;

/** Chooses the cluster that a command works on. */
final class TargetCluster {
  private static final String CONF_DIR = "HADOOP_CONF_DIR";

  private TargetCluster() {}

  /**
   * The configuration directory: {@code HADOOP_CONF_DIR} where it is set, else that of the running
   * local cluster.
   *
   * @throws IOException if there is neither
   */
  static Path confDirectory() throws IOException {
    String named = System.getenv(CONF_DIR);
    if (named != null && !named.isBlank()) {
      Path directory = Path.of(named).toAbsolutePath();
      if (!Files.isDirectory(directory)) {
        throw new IOException(
            CONF_DIR + " is " + named + ", which is no directory; correct or unset it");
      }
      return directory;
    }
    Path directory = LocalCluster.defaultDirectory();
    return LocalCluster.find(directory)
        .map(LocalCluster::confDirectory)
        .orElseThrow(
            () ->
                new IOException(
                    "no cluster is running in "
                        + directory
                        + "; start one with 'freshet cluster start', set HADOOP_CONF_DIR, or, with"
                        + " commands that have it, use --local"));
  }
}
