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
package org.freshet.cli.program;

import java.time.Duration;
import java.util.List;

/**
 * How a program ended.
 *
 * @param exitCode its exit code
 * @param wall from the launch of its JVM to its end
 * @param output what it printed, standard output and standard error together, by lines
 */
public record ProgramResult(int exitCode, Duration wall, List<String> output) {
  public ProgramResult {
    output = List.copyOf(output);
  }

  /** The counters of every job that it ran to the end, in order. */
  public List<JobCounters> jobs() {
    return JobCounters.parse(output);
  }

  /** The last lines of its output, for an error message. */
  public String tail(int lines) {
    return String.join("\n", output.subList(Math.max(0, output.size() - lines), output.size()));
  }
}
