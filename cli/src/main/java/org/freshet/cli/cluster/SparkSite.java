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
package org.freshet.cli.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * Writes what a Spark distribution has and Maven's jars lack: a directory of jars, the scripts that
 * start daemons and applications, and their configuration.
 *
 * <p>Everything is stock except what one machine needs: addresses on the loopback interface. The
 * scripts let Spark's own launcher make the commands.
 */
final class SparkSite {
  /** The history server's configuration. */
  static final String HISTORY = "history.conf";

  private final ClusterLayout layout;
  private final ClusterState state;

  SparkSite(ClusterLayout layout, ClusterState state) {
    this.layout = layout;
    this.state = state;
  }

  /**
   * Writes everything anew.
   *
   * @param sparkJars Spark's class path, without any jar of Freshet
   * @param historyJars what only the history server has
   */
  void write(List<Path> sparkJars, List<Path> historyJars) throws IOException {
    Files.createDirectories(layout.sparkConf());
    Files.createDirectories(layout.logs());
    Files.createDirectories(layout.sparkEvents());
    Files.createDirectories(layout.sparkClass().getParent());
    JarLinks.make(layout.sparkJars(), sparkJars);
    JarLinks.make(layout.sparkHistoryJars(), historyJars);
    String events = layout.sparkEvents().toUri().toString();
    write(
        layout.sparkConf().resolve("spark-defaults.conf"),
        "spark.master " + ClusterDaemons.sparkMaster(state),
        "spark.driver.host 127.0.0.1",
        "spark.driver.bindAddress 127.0.0.1",
        "spark.eventLog.enabled true",
        "spark.eventLog.dir " + events);
    write(
        layout.sparkConf().resolve(HISTORY),
        "spark.history.ui.port " + state.port(Ports.SPARK_HISTORY_WEB),
        "spark.history.fs.logDirectory " + events,
        // Whoever has just run an application wants to see it.
        "spark.history.fs.update.interval 2s");
    script(
        layout.sparkClass(),
        "# Starts a class of Spark with the command that Spark's own launcher makes for it: words that end",
        "# with NUL, behind whatever it has to say.",
        "set -euo pipefail",
        "export SPARK_HOME=" + quoted(layout.sparkHome()),
        "export SPARK_CONF_DIR=" + quoted(layout.sparkConf()),
        "export SPARK_SCALA_VERSION=2.13 SPARK_LOCAL_IP=127.0.0.1",
        "java=${JAVA_HOME:-" + quoted(Path.of(System.getProperty("java.home"))) + "}/bin/java",
        "words=()",
        "while IFS= read -r -d '' word; do",
        "  words+=(\"$word\")",
        "done < <(\"$java\" -Xmx128m -XX:TieredStopAtLevel=1 -cp \"$SPARK_HOME/jars/*\" \\",
        "  org.apache.spark.launcher.Main \"$@\"; printf '%d\\0' $?)",
        "status=${words[-1]}",
        "unset 'words[-1]'",
        "if [[ $status != 0 ]]; then",
        "  exit \"$status\"",
        "fi",
        "printf '%s' \"${words[0]}\"",
        "words[1]=${words[1]#$'\\n'}",
        "exec \"${words[@]:1}\"");
    script(
        layout.sparkSubmit(),
        "# Submits an application to the Spark of this cluster.",
        "exec " + quoted(layout.sparkClass()) + " org.apache.spark.deploy.SparkSubmit \"$@\"");
  }

  /** Removes the links to jars, which may be gone when a cluster starts again. */
  void unlinkJars() throws IOException {
    JarLinks.remove(layout.sparkJars());
    JarLinks.remove(layout.sparkHistoryJars());
  }

  private static void script(Path file, String... lines) throws IOException {
    write(file, "#!/usr/bin/env bash\n" + String.join("\n", lines));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void write(Path file, String... lines) throws IOException {
    Files.writeString(file, String.join("\n", lines) + "\n");
  }

  private static String quoted(Path path) {
    return "'" + path.toString().replace("'", "'\\''") + "'";
  }
}
