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

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs Hadoop programs in JVMs of their own.
 *
 * <p>The class path of a run is, in this order: its site files, the cluster's configuration
 * directory, the Freshet jar unless the run is stock, Hadoop's jars, and {@code HADOOP_CLASSPATH}.
 * Stock Hadoop's {@code RunJar} then loads the program, as {@code hadoop jar} does. If this JVM is
 * told to end, the program is too.
 *
 * <p>Thread-safe.
 */
public final class ProgramLauncher {
  private static final String RUN_JAR = "org.apache.hadoop.util.RunJar";

  private final Installation installation;

  public ProgramLauncher(Installation installation) {
    this.installation = installation;
  }

  /**
   * Runs a program on this JVM's terminal.
   *
   * @return its exit code
   */
  public int run(Program program) throws IOException, InterruptedException {
    return inSite(program, builder -> supervise(builder.inheritIO().start(), Process::waitFor));
  }

  /** Runs a program and keeps what it prints. */
  public ProgramResult capture(Program program) throws IOException, InterruptedException {
    return inSite(
        program,
        builder -> {
          builder.redirectErrorStream(true).redirectInput(new File("/dev/null"));
          long begin = System.nanoTime();
          return supervise(
              builder.start(),
              process -> {
                List<String> lines = readLines(process);
                int exitCode = process.waitFor();
                return new ProgramResult(
                    exitCode, Duration.ofNanos(System.nanoTime() - begin), lines);
              });
        });
  }

  /** Something done with an argument that may fail as input and output do. */
  private interface Work<A, R> {
    R with(A argument) throws IOException, InterruptedException;
  }

  private <R> R inSite(Program program, Work<ProcessBuilder, R> work)
      throws IOException, InterruptedException {
    Path site = Files.createTempDirectory("freshet-site-");
    try {
      ClientSite.write(program, site);
      ProcessBuilder builder = new ProcessBuilder(command(program, site));
      // Hadoop's own scripts would set it; libraries that read it must see this run's files.
      builder.environment().put("HADOOP_CONF_DIR", site.toString());
      return work.with(builder);
    } finally {
      delete(site);
    }
  }

  private static <R> R supervise(Process process, Work<Process, R> work)
      throws IOException, InterruptedException {
    Thread onExit = new Thread(process::destroy, "end-program");
    Runtime.getRuntime().addShutdownHook(onExit);
    try {
      return work.with(process);
    } finally {
      process.destroy();
      try {
        Runtime.getRuntime().removeShutdownHook(onExit);
      } catch (IllegalStateException shuttingDown) {
        // The hook is running already.
      }
    }
  }

  private List<String> command(Program program, Path site) throws IOException {
    List<String> classPath = new ArrayList<>();
    classPath.add(site.toString());
    program.conf().ifPresent(conf -> classPath.add(conf.toString()));
    if (!program.stock()) {
      classPath.add(installation.freshetJar().toString());
    }
    installation.hadoopJars().forEach(jar -> classPath.add(jar.toString()));
    environment("HADOOP_CLASSPATH").ifPresent(classPath::add);

    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(program.jvmOptions());
    environment("HADOOP_CLIENT_OPTS")
        .ifPresent(options -> command.addAll(List.of(options.trim().split("\\s+"))));
    command.add("-cp");
    command.add(String.join(File.pathSeparator, classPath));
    command.add(RUN_JAR);
    command.add(program.jar().toString());
    command.addAll(program.arguments());
    return command;
  }

  private static Optional<String> environment(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
  }

  private static List<String> readLines(Process process) throws IOException {
    List<String> lines = new ArrayList<>();
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
    }
    return lines;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
