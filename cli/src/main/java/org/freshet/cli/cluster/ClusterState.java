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

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What is known about a local cluster, as {@code state.json} in its directory keeps it.
 *
 * <p>A daemon is written here before anyone waits for it, so that whatever goes wrong later, {@code
 * stop} knows every process that was launched. The file outlives a stopped cluster with an empty
 * list of daemons: it remembers the ports.
 *
 * @param options the size that was asked for
 * @param ports TCP ports by name, such as {@code namenode.rpc}
 * @param daemons the daemons that were launched and not yet stopped, in launch order
 */
record ClusterState(ClusterOptions options, Map<String, Integer> ports, List<Daemon> daemons) {

  /**
   * A launched daemon.
   *
   * @param name unique in the cluster, such as {@code nodemanager-2}
   * @param process the very process
   * @param log the file that holds its log
   */
  record Daemon(String name, ProcessIdentity process, String log) {}

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  ClusterState {
    ports = Collections.unmodifiableMap(new TreeMap<>(ports));
    daemons = List.copyOf(daemons);
  }

  ClusterState with(Daemon daemon) {
    List<Daemon> more = new ArrayList<>(daemons);
    more.add(daemon);
    return new ClusterState(options, ports, more);
  }

  ClusterState withDaemons(List<Daemon> those) {
    return new ClusterState(options, ports, those);
  }

  /** The port of that name; an error in the program if there is none. */
  int port(String name) {
    Integer port = ports.get(name);
    if (port == null) {
      throw new IllegalArgumentException("no port named " + name + " among " + ports.keySet());
    }
    return port;
  }

  /**
   * Reads a state file.
   *
   * @return nothing if there is no file
   * @throws ClusterException if the file cannot be understood
   */
  static Optional<ClusterState> read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(JSON.readValue(Files.readString(file), ClusterState.class));
    } catch (JsonProcessingException e) {
      throw new ClusterException(
          "cannot understand "
              + file
              + " ("
              + e.getOriginalMessage()
              + "); end the daemons it names by hand and delete it",
          e);
    }
  }

  /** Replaces the state file in one step, so that a reader sees the old state or the new one. */
  void write(Path file) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(fresh, JSON.writeValueAsString(this) + "\n");
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
