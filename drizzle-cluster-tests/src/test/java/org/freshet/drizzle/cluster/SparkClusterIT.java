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
package org.freshet.drizzle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the guide for Spark says, as a user does it: a cluster with Spark, an application submitted
 * with the scheduler's jar and key, the history server, the end.
 */
@Tag("daemons")
class SparkClusterIT {
  private static final Path ROOT = Path.of(System.getProperty("freshet.root")).normalize();
  private static final long LIMIT_SECONDS = 120;

  @TempDir private Path dir;

  @Test
  @Timeout(value = 300, unit = TimeUnit.SECONDS)
  void anApplicationRunsOnTheClusterThatTheCommandLineStarts() throws Exception {
    try {
      String started =
          freshet("cluster", "start", "--spark", "--nodemanagers", "0", "--datanodes", "0");
      assertThat(started).contains("Spark ready").contains("Spark history ready");

      List<String> submit = new ArrayList<>();
      submit.add(dir.resolve("cluster/spark/bin/spark-submit").toString());
      submit.addAll(List.of("--class", "org.freshet.drizzle.bench.MicroBatches"));
      submit.addAll(List.of("--jars", jar("drizzle-scheduler", "freshet-drizzle-spark4.1_2.13-")));
      submit.addAll(
          List.of(
              "--conf",
              "spark.plugins=org.apache.spark.scheduler.drizzle.DrizzlePlugin",
              "--conf",
              "spark.freshet.bench.warmUp=0s"));
      submit.add(jar("drizzle-bench", "freshet-drizzle-bench-"));
      submit.addAll(List.of("4", "2", "5", "5"));
      String ran = output(submit);

      assertThat(ran).contains("Freshet sends the stages of each job ahead");
      // The application checks what its jobs have counted.
      assertThat(ran).containsPattern("sample\t2\t4\t5\t");
      awaitInHistory(started, "Micro-batches");
      assertThat(freshet("cluster", "status")).contains("The cluster can be used");
    } finally {
      assertThat(freshet("cluster", "stop")).contains("daemons stopped");
    }
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void aClusterOfNothingIsRefused() throws Exception {
    List<String> command = command("cluster", "start", "--nodemanagers", "0", "--datanodes", "0");
    Path log = dir.resolve("refused.log");
    Process process = start(command, log);

    assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isNotZero();
    assertThat(Files.readString(log)).contains("NodeManagers: 0, expected 1 to 16");
  }

  /** The history server reads directories again and again; there is no event to wait for. */
  private static void awaitInHistory(String started, String application) throws Exception {
    Matcher address = Pattern.compile("Spark history +(http://\\S+)").matcher(started);
    assertThat(address.find()).isTrue();
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(address.group(1) + "api/v1/applications?status=completed"))
            .timeout(Duration.ofSeconds(10))
            .build();
    HttpClient http = HttpClient.newHttpClient();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    String shown = "";
    while (!shown.contains(application)) {
      assertThat(System.nanoTime()).as("shown: %s", shown).isLessThan(deadline);
      shown = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
      Thread.sleep(200);
    }
  }

  private String freshet(String... arguments) throws Exception {
    return output(command(arguments));
  }

  /** What {@code bin/freshet} starts, without its look at the sources. */
  private static List<String> command(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Dfreshet.root=" + ROOT, "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(
        String.join(
            File.pathSeparator,
            jar("cli", "freshet-cli-"),
            jar("dist", "freshet-hadoop-"),
            Files.readString(ROOT.resolve("cli/target/classpath.txt")).trim()));
    command.add("org.freshet.cli.FreshetCommand");
    command.addAll(List.of(arguments));
    return command;
  }

  private static String jar(String module, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve(module).resolve("target"))) {
      return files
          .filter(file -> file.getFileName().toString().matches(prefix + "[0-9.]+\\.jar"))
          .findFirst()
          .orElseThrow()
          .toString();
    }
  }

  private String output(List<String> command) throws Exception {
    Path log = Files.createTempFile(dir, "command", ".log");
    Process process = start(command, log);
    try {
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
          .as(() -> "ended; it has written: " + read(log))
          .isTrue();
    } finally {
      process.destroy();
    }
    assertThat(process.exitValue()).as(() -> read(log)).isZero();
    return read(log);
  }

  private Process start(List<String> command, Path log) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("FRESHET_HOME", dir.toString());
    return builder.start();
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
