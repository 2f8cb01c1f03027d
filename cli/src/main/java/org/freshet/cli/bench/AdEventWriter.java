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

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.freshet.cli.program.Installation;

/**
 * A process with a Kafka broker, and with what writes the events of the Yahoo streaming benchmark
 * to it. Both end with this process at the latest.
 *
 * @param broker where it is, as {@code host:port}
 */
record AdEventWriter(Process process, String broker) implements AutoCloseable {
  /**
   * Starts one, and returns when there are events.
   *
   * @param directory an empty one, for what the broker keeps
   * @throws IOException if it does not start; what it said is in a file in that directory
   */
  static AdEventWriter start(Installation installation, Path directory, int eventsPerSecond)
      throws IOException {
    String classPath =
        Stream.of(
                List.of(installation.kafkaBench(), installation.drizzleBench()),
                installation.kafkaJars(),
                installation.sparkJars())
            .flatMap(List::stream)
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
    Path log = directory.resolve("writer.log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                "org.freshet.drizzle.kafka.EndsWithParent",
                "org.freshet.drizzle.bench.AdEventWriter",
                directory.toString(),
                String.valueOf(eventsPerSecond))
            .redirectError(log.toFile())
            .start();
    String broker = process.inputReader().readLine();
    if (broker == null) {
      MeasuringProgram.end(process);
      throw new IOException("The Kafka broker has not started; see " + log);
    }
    return new AdEventWriter(process, broker);
  }

  /** The broker ends with the process, whose input it sees closed. */
  @Override
  public void close() {
    MeasuringProgram.end(process);
  }
}
