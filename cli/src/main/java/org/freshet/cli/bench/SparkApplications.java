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

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.freshet.cli.cluster.ClusterOptions;
import org.freshet.cli.cluster.LocalCluster;

/**
 * A standalone Spark of two workers of one core each, and the applications that are measured on it,
 * each in JVMs of its own. All run without what nobody looks at; a small task spends much of its
 * time on logging.
 */
final class SparkApplications implements AutoCloseable {
  private static final int WORKERS_OF_EACH = 2;

  private static final List<String> UNWATCHED =
      List.of("spark.ui.enabled=false", "spark.eventLog.enabled=false");

  /**
   * A level that is set in a running executor has no effect: Spark sets up its logging twice, and
   * sets the level of what it has set up first.
   */
  private static final String LOGGING =
      """
      rootLogger.level = warn
      rootLogger.appenderRef.stderr.ref = console
      appender.console.type = Console
      appender.console.name = console
      appender.console.target = SYSTEM_ERR
      appender.console.layout.type = PatternLayout
      appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
      """;

  private final BenchContext context;
  private final Path logging;
  private final LocalCluster cluster;

  /** For one application at a time. */
  SparkApplications(BenchContext context) throws IOException, InterruptedException {
    this(context, 1);
  }

  /** For so many applications at a time, each of which gets two workers. */
  SparkApplications(BenchContext context, int atOnce) throws IOException, InterruptedException {
    this.context = context;
    this.logging =
        Files.writeString(context.workDirectory().resolve("spark-log4j2.properties"), LOGGING);
    this.cluster =
        Comparison.startCluster(context, ClusterOptions.sparkAlone(atOnce * WORKERS_OF_EACH));
  }

  /** Spark as it is. */
  static final Way STOCK = new Way("stock", List.of());

  /** Turned on, with nothing else set. */
  static final Way FRESHET = STOCK.withFreshet("Freshet");

  /**
   * How an application is run.
   *
   * @param settings those that make it so; as stock Spark does if none names a plug-in
   * @param jars more of them, of the application
   */
  record Way(String title, List<String> settings, List<Path> jars) {
    Way(String title, List<String> settings) {
      this(title, settings, List.of());
    }

    /** With the one setting that turns Freshet on, and others. */
    Way withFreshet(String newTitle, String... others) {
      return new Way(
          newTitle,
          Stream.concat(
                  Stream.of("spark.plugins=org.apache.spark.scheduler.drizzle.DrizzlePlugin"),
                  Stream.of(others))
              .toList(),
          jars);
    }

    /** The same with more settings, which say nothing of Freshet. */
    Way with(String... others) {
      return new Way(title, Stream.concat(settings.stream(), Stream.of(others)).toList(), jars);
    }

    /** The same with jars that the application needs. */
    Way withJars(List<Path> others) {
      return new Way(title, settings, Stream.concat(jars.stream(), others.stream()).toList());
    }

    /** Whether it gets Freshet's jar. */
    private boolean hasFreshet() {
      return settings.stream().anyMatch(setting -> setting.startsWith("spark.plugins="));
    }
  }

  /**
   * Runs one of the applications.
   *
   * @param kinds first fields of the lines that are wanted
   * @return the lines that it has written, in fields
   */
  List<String[]> run(Way way, String application, List<String> arguments, Set<String> kinds)
      throws IOException, InterruptedException {
    return run(way, application, arguments, kinds, MeasuringProgram.LIMIT);
  }

  /**
   * Runs one of the applications, which may take so long.
   *
   * @throws IOException if it fails, or takes longer
   */
  List<String[]> run(
      Way way, String application, List<String> arguments, Set<String> kinds, Duration limit)
      throws IOException, InterruptedException {
    try (MeasuringProgram program = start(way, application, arguments, kinds, limit)) {
      return program.finish();
    }
  }

  /**
   * Starts one of the applications, beside others if the workers are {@linkplain
   * #SparkApplications(BenchContext, int) enough}.
   */
  MeasuringProgram start(
      Way way, String application, List<String> arguments, Set<String> kinds, Duration limit)
      throws IOException {
    return new MeasuringProgram(
        application + ", " + way.title(),
        command(way, application, arguments),
        log(),
        kinds,
        limit);
  }

  private Path log() {
    return context.workDirectory().resolve("application.log");
  }

  private List<String> command(Way way, String application, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(cluster.sparkSubmit().orElseThrow().toString());
    command.addAll(List.of("--class", "org.freshet.drizzle.bench." + application));
    command.addAll(List.of("--conf", "spark.cores.max=" + WORKERS_OF_EACH));
    UNWATCHED.forEach(setting -> command.addAll(List.of("--conf", setting)));
    for (String process : List.of("driver", "executor")) {
      String options = "-Dlog4j2.configurationFile=" + logging.toUri();
      command.addAll(List.of("--conf", "spark." + process + ".extraJavaOptions=" + options));
    }
    way.settings().forEach(setting -> command.addAll(List.of("--conf", setting)));
    List<Path> jars = new ArrayList<>(way.jars());
    if (way.hasFreshet()) {
      jars.add(context.installation().drizzleJar());
    }
    if (!jars.isEmpty()) {
      command.addAll(List.of("--jars", jars.stream().map(Path::toString).collect(joining(","))));
    }
    command.add(context.installation().drizzleBench().toString());
    command.addAll(arguments);
    return command;
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }
}
