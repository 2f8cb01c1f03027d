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
import java.util.Optional;

/**
 * One process for all time: its id, and when it was born, because the system hands ids out again.
 *
 * <p>On Linux the birth is the start tick in {@code /proc/PID/stat} (field 22 of proc(5)) with the
 * boot it counts from, which a step of the wall clock cannot move. Elsewhere it is the start
 * instant that the JDK reports.
 *
 * @param pid the process id
 * @param birth an opaque token that differs between two processes of one id
 */
public record ProcessIdentity(long pid, String birth) {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** Fields of {@code /proc/PID/stat} counted from the one after the command name. */
  private static final int STATE_FIELD = 0;

  private static final int START_FIELD = 19;

  /**
   * Identifies a running process.
   *
   * @throws ClusterException if it is no longer running
   */
  static ProcessIdentity of(long pid) throws ClusterException {
    return new ProcessIdentity(
        pid,
        birthOf(pid).orElseThrow(() -> new ClusterException("process " + pid + " is not running")));
  }

  /** Whether this very process still runs; a zombie that awaits its parent does not. */
  boolean isAlive() {
    return birthOf(pid).filter(birth::equals).isPresent();
  }

  /** The handle of this very process, or nothing when it ended, whoever has its id now. */
  Optional<ProcessHandle> handle() {
    return isAlive() ? ProcessHandle.of(pid) : Optional.empty();
  }

  private static Optional<String> birthOf(long pid) {
    Optional<ProcessHandle> handle = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
    if (handle.isEmpty()) {
      return Optional.empty();
    }
    Path stat = Path.of("/proc/" + pid + "/stat");
    if (!Files.exists(BOOT_ID)) {
      return handle.flatMap(h -> h.info().startInstant()).map(i -> "started " + i);
    }
    try {
      return parseStat(Files.readString(stat))
          .map(ticks -> "tick " + ticks + " of boot " + readBootId());
    } catch (IOException ended) {
      return Optional.empty();
    }
  }

  /**
   * The start tick in the content of a {@code /proc/PID/stat} file, or nothing for a zombie. The
   * command name may hold blanks and parentheses, so fields are counted after the last one.
   */
  static Optional<String> parseStat(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ", -1);
    String state = fields[STATE_FIELD];
    return state.equals("Z") || state.equals("X")
        ? Optional.empty()
        : Optional.of(fields[START_FIELD]);
  }

  private static String readBootId() {
    try {
      return Files.readString(BOOT_ID).trim();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
