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
package org.freshet.cli.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What a program prints that measures something: lines of fields with tabs between them. */
final class PrintedSamples {
  private PrintedSamples() {}

  /**
   * Runs a program to its end.
   *
   * @param what the program, as it is named if it fails
   * @param log what it says on its standard error is appended here
   * @param kinds first fields of the lines that are wanted
   * @return the fields of those
   * @throws IOException if it fails
   */
  static List<String[]> of(String what, List<String> command, Path log, Set<String> kinds)
      throws IOException, InterruptedException {
    List<String[]> printed = new ArrayList<>();
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] fields = line.split("\t");
        if (kinds.contains(fields[0])) {
          printed.add(fields);
        }
      }
      if (process.waitFor() != 0) {
        throw new IOException(what + " failed; see " + log);
      }
    } finally {
      process.destroy();
    }
    return printed;
  }
}
