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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.freshet.cli.program.Installation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real daemons, started once; the other tests of this package need none. */
@Tag("daemons")
class LocalClusterTest {
  private static final ClusterOptions SMALL = new ClusterOptions(2, 1, 2048, 80, 0);

  private static final ClusterJars NONE = new ClusterJars(List::of, List::of, List::of);

  @TempDir private Path dir;

  @Test
  @Timeout(value = 180, unit = TimeUnit.SECONDS)
  void startsServesAndStopsExactlyItsOwnDaemons() throws Exception {
    ClusterJars jars = Installation.find().clusterJars();
    List<DaemonStatus> daemons;
    List<ProcessIdentity> processes;
    List<String> progress = new ArrayList<>();
    try (LocalCluster cluster = LocalCluster.start(dir, SMALL, jars, progress::add)) {
      assertThat(progress).anyMatch(line -> line.startsWith("YARN ready"));
      assertThat(cluster.complaints()).isEmpty();
      daemons = cluster.status();
      assertThat(daemons)
          .extracting(DaemonStatus::name)
          .containsExactlyInAnyOrder(
              "namenode",
              "datanode-1",
              "resourcemanager",
              "nodemanager-1",
              "nodemanager-2",
              "historyserver");
      assertThat(daemons).allMatch(DaemonStatus::running);
      processes = processesOf(daemons);

      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("greeting");
      try (FileSystem hdfs = FileSystem.newInstance(cluster.configuration())) {
        assertThat(hdfs.getUri().getScheme()).isEqualTo("hdfs");
        try (OutputStream out = hdfs.create(file)) {
          out.write("hello".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(hdfs.getFileStatus(file).getLen()).isEqualTo(5);
        assertThat(hdfs.getFileBlockLocations(file, 0, 5)[0].getHosts())
            .containsExactly("localhost");
      }

      assertThatThrownBy(() -> LocalCluster.start(dir, SMALL, jars, line -> {}))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("already running");
      assertThat(LocalCluster.find(dir)).isPresent();
    }
    assertThat(processes).noneMatch(ProcessIdentity::isAlive);
    assertThat(LocalCluster.find(dir)).isEmpty();
    assertThat(LocalCluster.at(dir).stop()).isZero();
  }

  /** A process that has ended may keep its id for a moment, until its parent has heard of it. */
  private static List<ProcessIdentity> processesOf(List<DaemonStatus> daemons)
      throws ClusterException {
    List<ProcessIdentity> processes = new ArrayList<>();
    for (DaemonStatus daemon : daemons) {
      processes.add(ProcessIdentity.of(daemon.pid()));
    }
    return processes;
  }

  /** A program that starts a cluster for itself and waits to be ended. */
  static final class Owner {
    public static void main(String[] args) throws Exception {
      LocalCluster.start(
              Path.of(args[0]), SMALL, Installation.find().clusterJars(), System.out::println)
          .untilExit();
      System.out.println("mine");
      Thread.currentThread().join();
    }
  }

  @Test
  @Timeout(value = 180, unit = TimeUnit.SECONDS)
  void aClusterOfAProgramEndsWithIt() throws Exception {
    Process owner =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                "-Dfreshet.root=" + Installation.find().root(),
                Owner.class.getName(),
                dir.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader lines = owner.inputReader()) {
      assertThat(lines.lines().anyMatch("mine"::equals)).isTrue();
      List<DaemonStatus> daemons = LocalCluster.at(dir).status();
      assertThat(daemons).hasSize(6).allMatch(DaemonStatus::running);
      List<ProcessIdentity> processes = processesOf(daemons);

      owner.destroy();
      owner.waitFor();

      assertThat(processes).noneMatch(ProcessIdentity::isAlive);
      assertThat(LocalCluster.find(dir)).isEmpty();
    } finally {
      owner.destroyForcibly();
      LocalCluster.at(dir).stop();
    }
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void aDaemonThatFailsIsNamedWithItsLogAndAllAreStopped() throws Exception {
    // Without Hadoop's jars, no daemon finds its main class.
    assertThatThrownBy(() -> LocalCluster.start(dir, SMALL, NONE, line -> {}))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("ended with exit code 1")
        .hasMessageContaining("ClassNotFoundException");
    assertThat(LocalCluster.find(dir)).isEmpty();
    assertThat(LocalCluster.at(dir).status()).isEmpty();
  }
}
