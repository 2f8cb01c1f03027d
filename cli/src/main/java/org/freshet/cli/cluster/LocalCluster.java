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
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.freshet.cli.files.LockFile;

/**
 * A real Hadoop cluster on this machine, or a standalone Spark, or both, one JVM per daemon.
 *
 * <p>{@link #start} returns when the daemons themselves say that they are ready, and otherwise
 * leaves none running. The cluster belongs to its directory, not to this JVM: it runs on until
 * {@link #stop}, and {@link #find} gets hold of it from anywhere. HDFS keeps its data across
 * restarts.
 *
 * <pre>{@code
 * try (LocalCluster cluster =
 *     LocalCluster.start(dir, ClusterOptions.DEFAULT, jars, System.out::println)) {
 *   FileSystem hdfs = FileSystem.get(cluster.configuration());
 * }
 * }</pre>
 *
 * <p>Every address is on the loopback interface, except that NodeManagers serve map outputs on all
 * interfaces: the stock ShuffleHandler cannot be told otherwise. There is no authentication, as in
 * any Hadoop that was not secured: every user of this machine can use the cluster.
 *
 * <p>Thread-safe; a file lock keeps two starts or stops of one directory apart, across processes.
 */
public final class LocalCluster implements AutoCloseable {
  private final ClusterLayout layout;

  /** Stops the daemons when this process ends; null where they are to outlive it. */
  private Thread onExit;

  private LocalCluster(ClusterLayout layout) {
    this.layout = layout;
  }

  /**
   * Starts a cluster and waits until it is ready.
   *
   * @param dir the cluster's directory; data that a previous start left there is used
   * @param options its size
   * @param jars what it runs; none of Freshet's, which ships itself
   * @param progress told one line per step
   * @throws ClusterException if it runs already, or a daemon fails or is too late: then with the
   *     end of that daemon's log, and all daemons stopped again
   * @throws IOException if files cannot be written
   * @throws InterruptedException if interrupted; all daemons are stopped
   */
  public static LocalCluster start(
      Path dir, ClusterOptions options, ClusterJars jars, Consumer<String> progress)
      throws IOException, InterruptedException {
    ClusterLayout layout = new ClusterLayout(dir);
    Files.createDirectories(layout.root());
    LocalCluster cluster = new LocalCluster(layout);
    try (FileChannel channel = cluster.lock()) {
      Optional<ClusterState> prior = ClusterState.read(layout.stateFile());
      cluster.requireStopped(prior);
      requireAddresses(options.nodeManagers());
      Map<String, Integer> ports =
          new FreePorts(prior.map(ClusterState::ports).orElse(Map.of()), new SecureRandom())
              .allocate(ClusterSite.portNames(options));
      ClusterState state = new ClusterState(options, ports, List.of());
      state.write(layout.stateFile());
      if (options.hasHadoop()) {
        new ClusterSite(layout, state).write(jars.hadoop().get());
      }
      if (options.hasSpark()) {
        new SparkSite(layout, state).write(jars.spark().get(), jars.sparkHistory().get());
      }
      cluster.launch(state, progress);
    }
    return cluster;
  }

  /**
   * The cluster of a directory, if any of its daemons runs.
   *
   * @throws ClusterException if its state file cannot be understood
   */
  public static Optional<LocalCluster> find(Path dir) throws IOException {
    LocalCluster cluster = at(dir);
    return cluster.status().stream().anyMatch(DaemonStatus::running)
        ? Optional.of(cluster)
        : Optional.empty();
  }

  /** The cluster of a directory, running or not. */
  public static LocalCluster at(Path dir) {
    return new LocalCluster(new ClusterLayout(dir));
  }

  /**
   * Where {@code freshet cluster} keeps its cluster: {@code $FRESHET_HOME}, or the home directory.
   */
  public static Path defaultDirectory() {
    String home = System.getenv("FRESHET_HOME");
    return home == null || home.isBlank()
        ? Path.of(System.getProperty("user.home"), ".freshet", "cluster")
        : Path.of(home, "cluster");
  }

  /** The cluster's directory. */
  public Path directory() {
    return layout.root();
  }

  /** The directory that clients use as {@code HADOOP_CONF_DIR}. */
  public Path confDirectory() {
    return layout.conf();
  }

  /** The {@code spark-submit} of its Spark, if it has one. */
  public Optional<Path> sparkSubmit() throws IOException {
    return state().options().hasSpark() ? Optional.of(layout.sparkSubmit()) : Optional.empty();
  }

  /** Whether it has HDFS and YARN. */
  public boolean hasHadoop() throws IOException {
    return state().options().hasHadoop();
  }

  /** A new client configuration of this cluster; changing it changes nothing else. */
  public Configuration configuration() {
    return clientConfiguration(layout.conf());
  }

  /** A new configuration from the site files of a {@code HADOOP_CONF_DIR}. */
  public static Configuration clientConfiguration(Path confDirectory) {
    Configuration conf = new Configuration();
    for (String site :
        List.of("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml")) {
      Path file = confDirectory.resolve(site);
      if (Files.exists(file)) {
        conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
      }
    }
    return conf;
  }

  /** Every daemon that was launched and not yet stopped, in launch order. */
  public List<DaemonStatus> status() throws IOException {
    Optional<ClusterState> read = ClusterState.read(layout.stateFile());
    if (read.isEmpty()) {
      return List.of();
    }
    ClusterState state = read.get();
    ClusterDaemons daemons = new ClusterDaemons(layout, state);
    List<DaemonStatus> all = new ArrayList<>();
    for (ClusterState.Daemon daemon : state.daemons()) {
      DaemonSpec spec =
          daemons.specs().stream()
              .filter(s -> s.name().equals(daemon.name()))
              .findFirst()
              .orElseThrow(
                  () ->
                      new ClusterException(
                          layout.stateFile() + " names an unknown daemon: " + daemon.name()));
      all.add(
          new DaemonStatus(
              spec.name(),
              spec.title(),
              daemon.process().pid(),
              daemon.process().isAlive(),
              Optional.of(daemons.web(spec)),
              Path.of(daemon.log())));
    }
    return all;
  }

  /**
   * Asks the daemons whether all is well.
   *
   * @return what is amiss, one sentence each; empty if the cluster can be used
   */
  public List<String> complaints() throws IOException, InterruptedException {
    List<String> complaints = new ArrayList<>();
    List<DaemonStatus> daemons = status();
    if (daemons.isEmpty()) {
      complaints.add("no cluster runs in " + layout.root());
      return complaints;
    }
    for (DaemonStatus daemon : daemons) {
      if (!daemon.running()) {
        complaints.add(daemon.title() + " ended; see " + daemon.log());
      }
    }
    if (complaints.isEmpty()) {
      ClusterHealth health = new ClusterHealth(state());
      ClusterOptions options = state().options();
      if (options.hasHadoop()) {
        complaints.addAll(List.of(health.hdfs(), health.yarn(), health.history()));
      }
      if (options.hasSpark()) {
        complaints.addAll(List.of(health.spark(), health.sparkHistory()));
      }
      complaints.removeIf(String::isEmpty);
    }
    return complaints;
  }

  /**
   * Makes the daemons end when this process does, in whatever way but a kill.
   *
   * @return this cluster
   */
  public synchronized LocalCluster untilExit() {
    if (onExit == null) {
      onExit = new Thread(this::stopQuietly, "stop-cluster");
      Runtime.getRuntime().addShutdownHook(onExit);
    }
    return this;
  }

  /**
   * Ends exactly the daemons that were launched, and waits until they are gone.
   *
   * @return how many were running
   * @throws ClusterException if one cannot be ended
   */
  public int stop() throws IOException, InterruptedException {
    try (FileChannel channel = lock()) {
      return stopLocked();
    }
  }

  /** Same as {@link #stop}. */
  @Override
  public void close() throws IOException {
    try {
      stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while stopping " + layout.root(), e);
    }
  }

  private ClusterState state() throws IOException {
    return ClusterState.read(layout.stateFile())
        .orElseThrow(() -> new ClusterException("no cluster was started in " + layout.root()));
  }

  private synchronized int stopLocked() throws IOException, InterruptedException {
    Optional<ClusterState> state = ClusterState.read(layout.stateFile());
    if (state.isEmpty()) {
      return 0;
    }
    List<ClusterState.Daemon> daemons = state.get().daemons();
    int running = (int) daemons.stream().filter(d -> d.process().isAlive()).count();
    List<ClusterState.Daemon> left = new DaemonStopper().stop(daemons);
    if (onExit != null) {
      removeHook(onExit);
      onExit = null;
    }
    state.get().withDaemons(left).write(layout.stateFile());
    if (left.isEmpty()) {
      new ClusterSite(layout, state.get()).unlinkJars();
      new SparkSite(layout, state.get()).unlinkJars();
    } else {
      throw new ClusterException(
          "cannot end "
              + left.stream().map(d -> d.name() + " (process " + d.process().pid() + ")").toList()
              + "; end them by hand, then stop again");
    }
    return running;
  }

  private void launch(ClusterState initial, Consumer<String> progress)
      throws IOException, InterruptedException {
    ClusterStarter starter = new ClusterStarter(layout, initial, progress);
    Thread halfWay =
        new Thread(
            () -> {
              starter.cancel();
              stopQuietly();
            },
            "stop-half-started-cluster");
    Runtime.getRuntime().addShutdownHook(halfWay);
    try {
      starter.start(this::format, this::makeHomeDirectories);
    } catch (IOException | InterruptedException | RuntimeException e) {
      try {
        stopLocked();
      } catch (IOException | InterruptedException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    } finally {
      removeHook(halfWay);
    }
  }

  private void stopQuietly() {
    try {
      stopLocked();
    } catch (IOException e) {
      System.err.println("freshet: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // The hook is running already, which is what it is for.
    }
  }

  private void format() throws IOException {
    if (!Files.exists(layout.nameNodeData().resolve("current").resolve("VERSION"))) {
      NameNode.format(configuration());
    }
  }

  /** Stock jobs expect a home directory, and a /tmp where everybody may write. */
  private void makeHomeDirectories() throws IOException {
    try (FileSystem hdfs = FileSystem.newInstance(configuration())) {
      hdfs.mkdirs(hdfs.getHomeDirectory());
      org.apache.hadoop.fs.Path temporary = new org.apache.hadoop.fs.Path("/tmp");
      if (!hdfs.exists(temporary)) {
        hdfs.mkdirs(temporary);
        hdfs.setPermission(temporary, new FsPermission((short) 01777));
      }
    }
  }

  private void requireStopped(Optional<ClusterState> prior) throws ClusterException {
    long running =
        prior.stream()
            .flatMap(s -> s.daemons().stream())
            .filter(d -> d.process().isAlive())
            .count();
    if (running > 0) {
      throw new ClusterException(
          running
              + " daemons of the cluster in "
              + layout.root()
              + " are already running; stop it first, or use it");
    }
  }

  private static void requireAddresses(int nodes) throws ClusterException {
    for (int node = 1; node <= nodes; node++) {
      String host = ClusterSite.host(node);
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
        if (!socket.isBound()) {
          throw new IOException("not bound");
        }
      } catch (IOException e) {
        throw new ClusterException(
            "NodeManager "
                + node
                + " needs the loopback address "
                + host
                + ", which this machine does not have ("
                + e.getMessage()
                + "); add it, or start with --nodemanagers "
                + Math.max(1, node - 1),
            e);
      }
    }
  }

  /** The lock is held until the channel is closed. */
  private FileChannel lock() throws IOException {
    Files.createDirectories(layout.root());
    return LockFile.tryLock(layout.lockFile())
        .orElseThrow(
            () ->
                new ClusterException(
                    "somebody else is starting or stopping the cluster in "
                        + layout.root()
                        + "; wait for them and try again"));
  }
}
