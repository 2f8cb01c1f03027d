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

import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A real standalone Spark on the loopback interface, one JVM for the master and for each worker. It
 * lives as long as this JVM, at most.
 *
 * <p>For one thread.
 */
public final class StandaloneSpark implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final long START_LIMIT_SECONDS = 60;
  private static final long POLL_MS = 50;

  /** What Spark needs opened in Java 17 and later, as its own launcher does. */
  public static final List<String> JVM_OPTIONS =
      List.of(
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-opens=java.base/java.io=ALL-UNNAMED",
          "--add-opens=java.base/java.net=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.cs=ALL-UNNAMED",
          "--add-opens=java.base/sun.security.action=ALL-UNNAMED",
          "--add-opens=java.base/sun.util.calendar=ALL-UNNAMED");

  private final Path dir;
  private final String classPath;
  private final String master;
  private final List<Process> daemons = new ArrayList<>();
  private final Thread onExit = new Thread(this::endDaemons, "stop-spark");

  private StandaloneSpark(Path dir, List<Path> sparkJars, int port) {
    this.dir = dir;
    this.classPath = join(sparkJars);
    this.master = "spark://" + HOST + ":" + port;
  }

  /**
   * Starts a master and workers.
   *
   * @param dir where they write
   * @param sparkJars Spark's class path
   * @param workers how many, of one core each
   * @param memoryMb what each worker offers to executors, in MiB
   * @throws ClusterException if the master does not listen within a minute
   */
  public static StandaloneSpark start(Path dir, List<Path> sparkJars, int workers, int memoryMb)
      throws IOException, InterruptedException {
    int port =
        new FreePorts(Map.of(), new SecureRandom()).allocate(List.of("master")).get("master");
    StandaloneSpark spark = new StandaloneSpark(dir, sparkJars, port);
    // Workers look for a directory of jars, though applications bring theirs.
    Files.createDirectories(dir.resolve("home").resolve("jars"));
    Runtime.getRuntime().addShutdownHook(spark.onExit);
    try {
      spark.launch(
          "master",
          List.of(
              "org.apache.spark.deploy.master.Master",
              "--port",
              Integer.toString(port),
              "--webui-port",
              "0"));
      spark.awaitMaster(port);
      for (int worker = 1; worker <= workers; worker++) {
        spark.launch(
            "worker-" + worker,
            List.of(
                "org.apache.spark.deploy.worker.Worker",
                "--port",
                "0",
                "--webui-port",
                "0",
                "--cores",
                "1",
                "--memory",
                memoryMb + "m",
                "--work-dir",
                dir.resolve("work-" + worker).toString(),
                spark.master));
      }
      return spark;
    } catch (IOException | InterruptedException | RuntimeException e) {
      spark.close();
      throw e;
    }
  }

  /** The master's address, such as {@code spark://127.0.0.1:7077}. */
  public String master() {
    return master;
  }

  /** Ends the daemons, and with them the executors that they launched. */
  @Override
  public void close() {
    endDaemons();
    try {
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IllegalStateException shuttingDown) {
      // The hook is running already, which is what it is for.
    }
  }

  /** A class path of these jars. */
  public static String join(List<Path> jars) {
    return String.join(File.pathSeparator, jars.stream().map(Path::toString).toList());
  }

  private void launch(String name, List<String> command) throws IOException {
    List<String> all = new ArrayList<>();
    all.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    all.add("-Xmx256m");
    all.addAll(JVM_OPTIONS);
    all.addAll(List.of("-cp", classPath, command.get(0), "--host", HOST));
    all.addAll(command.subList(1, command.size()));
    ProcessBuilder builder =
        new ProcessBuilder(all)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve(name + ".log").toFile());
    builder.environment().put("SPARK_HOME", dir.resolve("home").toString());
    builder.environment().put("SPARK_SCALA_VERSION", "2.13");
    builder.environment().put("SPARK_LOCAL_IP", HOST);
    daemons.add(builder.start());
  }

  private void awaitMaster(int port) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_LIMIT_SECONDS);
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(HOST, port), 1000);
        return;
      } catch (IOException notYet) {
        // That it listens is no event that could be awaited from another process.
        if (System.nanoTime() > deadline || !daemons.get(0).isAlive()) {
          throw new ClusterException(
              "Spark's master does not listen at " + master + "; see " + dir.resolve("master.log"),
              notYet);
        }
        Thread.sleep(POLL_MS);
      }
    }
  }

  private void endDaemons() {
    // Workers first: they end their executors.
    for (int i = daemons.size() - 1; i >= 0; i--) {
      end(daemons.get(i));
    }
  }

  private static void end(Process daemon) {
    daemon.destroy();
    try {
      if (!daemon.waitFor(20, TimeUnit.SECONDS)) {
        daemon.destroyForcibly();
      }
    } catch (InterruptedException e) {
      daemon.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
