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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One start of a cluster: launches every daemon, then waits until the daemons say that they are
 * ready.
 *
 * <p>They are launched at once, since each retries until those it needs answer; that uses all cores
 * and takes about half the time of one after the other. Only the history server waits for HDFS: it
 * would look again only ten seconds later. While this class waits, a daemon that ends is an error
 * at once, not when the time is up.
 */
final class ClusterStarter {
  private static final long POLL_MS = 200;
  private static final int LOG_LINES = 20;
  private static final String HISTORY_SERVER = "historyserver";

  /** A question to the daemons, answered with what is missing or with an empty string. */
  private interface Question {
    String ask() throws InterruptedException;
  }

  /** A step that reads or writes the file system. */
  interface Step {
    void run() throws IOException;
  }

  private final ClusterLayout layout;
  private final ClusterDaemons daemons;
  private final ClusterHealth health;
  private final Duration limit;
  private final Consumer<String> progress;
  private final Map<DaemonSpec, Process> launched = new LinkedHashMap<>();
  private final long begin = System.nanoTime();
  private ClusterState state;
  private boolean cancelled;

  ClusterStarter(ClusterLayout layout, ClusterState state, Consumer<String> progress) {
    this.layout = layout;
    this.state = state;
    this.daemons = new ClusterDaemons(layout, state);
    this.health = new ClusterHealth(state);
    this.limit = state.options().startLimit();
    this.progress = progress;
  }

  /**
   * Starts the cluster.
   *
   * @param format prepares the NameNode's directory before anything is launched
   * @param onHdfsReady what to do in HDFS as soon as it is ready
   */
  void start(Step format, Step onHdfsReady) throws IOException, InterruptedException {
    boolean hasHadoop = state.options().hasHadoop();
    if (hasHadoop) {
      format.run();
    }
    List<DaemonSpec> specs = daemons.specs();
    progress.accept("Starting " + specs.size() + " daemons; logs in " + layout.logs());
    for (DaemonSpec spec : specs) {
      if (!spec.name().equals(HISTORY_SERVER)) {
        launch(spec);
      }
    }
    if (hasHadoop) {
      await("HDFS", health::hdfs, List.of("namenode", "datanode"));
      for (DaemonSpec spec : specs) {
        if (spec.name().equals(HISTORY_SERVER)) {
          launch(spec);
        }
      }
      onHdfsReady.run();
      await("YARN", health::yarn, List.of("resourcemanager", "nodemanager"));
      await("Job history", health::history, List.of(HISTORY_SERVER));
    }
    if (state.options().hasSpark()) {
      await("Spark", health::spark, List.of("spark-master", "spark-worker"));
      await("Spark history", health::sparkHistory, List.of("spark-historyserver"));
    }
  }

  /** Launches nothing more; when this returns, every daemon that was launched is recorded. */
  synchronized void cancel() {
    cancelled = true;
  }

  private synchronized void launch(DaemonSpec spec) throws IOException {
    if (cancelled) {
      throw new ClusterException("the start was interrupted");
    }
    Process process = daemons.launch(spec);
    launched.put(spec, process);
    try {
      state =
          state.with(
              new ClusterState.Daemon(
                  spec.name(),
                  ProcessIdentity.of(process.pid()),
                  layout.log(spec.name()).toString()));
    } catch (ClusterException gone) {
      throw failure(spec.title() + " ended at once", List.of(spec.name()));
    }
    state.write(layout.stateFile());
  }

  private void await(String what, Question question, List<String> kinds)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    String missing = question.ask();
    while (!missing.isEmpty()) {
      requireAlive();
      if (System.nanoTime() > deadline) {
        throw failure(what + " is not ready after " + limit.toSeconds() + " s: " + missing, kinds);
      }
      // The only event there is comes from a daemon that ends.
      launched.values().iterator().next().waitFor(POLL_MS, TimeUnit.MILLISECONDS);
      missing = question.ask();
    }
    progress.accept(String.format("%s ready (%.1f s)", what, (System.nanoTime() - begin) / 1e9));
  }

  private void requireAlive() throws IOException {
    for (Map.Entry<DaemonSpec, Process> daemon : launched.entrySet()) {
      if (!daemon.getValue().isAlive()) {
        throw failure(
            daemon.getKey().title() + " ended with exit code " + daemon.getValue().exitValue(),
            List.of(daemon.getKey().name()));
      }
    }
  }

  /** An error with the end of the log of each daemon whose name begins so. */
  private ClusterException failure(String message, List<String> kinds) throws IOException {
    StringBuilder text = new StringBuilder(message);
    for (DaemonSpec spec : launched.keySet()) {
      if (kinds.stream().anyMatch(spec.name()::startsWith)) {
        Path log = layout.log(spec.name());
        text.append("\nThe last lines of ").append(log).append(":\n");
        lastLines(log).forEach(line -> text.append("  ").append(line).append('\n'));
      }
    }
    return new ClusterException(text.append("All daemons were stopped.").toString());
  }

  private static List<String> lastLines(Path log) throws IOException {
    if (!Files.exists(log)) {
      return List.of("(no log was written)");
    }
    List<String> lines =
        new ArrayList<>(
            new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList());
    return lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size());
  }
}
