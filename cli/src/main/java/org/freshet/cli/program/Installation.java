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

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.freshet.cli.cluster.ClusterJars;

/**
 * Where this build of Freshet keeps its jars, and Hadoop's.
 *
 * @param root the repository's root
 */
public record Installation(Path root) {
  private static final String ROOT_PROPERTY = "freshet.root";
  private static final String DRIZZLE = "drizzle-scheduler/target";
  private static final String DRIZZLE_JAR = "freshet-drizzle-spark4.1_2.13-";

  /**
   * Finds the installation: the system property {@code freshet.root}, which {@code bin/freshet}
   * sets, else the repository that this class was loaded from.
   *
   * @throws IOException if this class was not loaded from a repository
   */
  public static Installation find() throws IOException {
    String named = System.getProperty(ROOT_PROPERTY);
    if (named != null) {
      return new Installation(Path.of(named).toAbsolutePath());
    }
    for (Path start : List.of(ownLocation(), Path.of("").toAbsolutePath())) {
      for (Path dir = start; dir != null; dir = dir.getParent()) {
        if (Files.isExecutable(dir.resolve("mvnw")) && Files.isDirectory(dir.resolve("cli"))) {
          return new Installation(dir);
        }
      }
    }
    throw new IOException(
        "cannot find Freshet's repository above "
            + ownLocation()
            + "; start through bin/freshet or set -D"
            + ROOT_PROPERTY);
  }

  /** The jars of Hadoop 3.5 and of what it needs; none of Freshet's. */
  public List<Path> hadoopJars() throws IOException {
    return jars("cli/target/hadoop-classpath.txt");
  }

  /** The jars of Spark 4.1 and of what it needs; none of Freshet's. */
  public List<Path> sparkJars() throws IOException {
    return jars("drizzle-bench/target/classpath.txt");
  }

  /** What a cluster is started from. */
  public ClusterJars clusterJars() {
    return new ClusterJars(this::hadoopJars, this::sparkJars, this::drizzleJars);
  }

  /** The scheduler for Spark 4.1, if it was built. */
  private List<Path> drizzleJars() throws IOException {
    return find(DRIZZLE, DRIZZLE_JAR).stream().toList();
  }

  /** The jar with the scheduler for Spark 4.1. */
  public Path drizzleJar() throws IOException {
    return artifact(DRIZZLE, DRIZZLE_JAR);
  }

  /** The jar with the applications that show what the scheduler is worth. */
  public Path drizzleBench() throws IOException {
    return artifact("drizzle-bench/target", "freshet-drizzle-bench-");
  }

  /** The jar with a Kafka broker, and with the applications that read from one. */
  public Path kafkaBench() throws IOException {
    return artifact("drizzle-kafka-bench/target", "freshet-drizzle-kafka-bench-");
  }

  /**
   * The jars of Kafka, and those with which Spark reads from it; none of Freshet's, nor of Spark.
   */
  public List<Path> kafkaJars() throws IOException {
    return jars("drizzle-kafka-bench/target/classpath.txt");
  }

  /** The jar that makes unmodified jobs incremental. */
  public Path freshetJar() throws IOException {
    return artifact("dist/target", "freshet-hadoop-");
  }

  /** The stock hadoop-mapreduce-examples jar. */
  public Path stockExamples() throws IOException {
    return built(root.resolve("cli/target/jars/hadoop-mapreduce-examples.jar"));
  }

  /** The jar of this project's own example jobs. */
  public Path freshetExamples() throws IOException {
    return artifact("examples/target", "freshet-examples-");
  }

  private List<Path> jars(String classPathFile) throws IOException {
    Path list = built(root.resolve(classPathFile));
    return Arrays.stream(Files.readString(list).trim().split(File.pathSeparator))
        .map(Path::of)
        .toList();
  }

  private Path artifact(String directory, String prefix) throws IOException {
    return find(directory, prefix)
        .orElseThrow(() -> missing(root.resolve(directory).resolve(prefix + "*.jar")));
  }

  private Optional<Path> find(String directory, String prefix) throws IOException {
    Path target = root.resolve(directory);
    if (!Files.isDirectory(target)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(target)) {
      return files.filter(file -> isArtifact(file.getFileName().toString(), prefix)).findFirst();
    }
  }

  private static boolean isArtifact(String name, String prefix) {
    return name.startsWith(prefix)
        && name.endsWith(".jar")
        && Character.isDigit(name.charAt(prefix.length()))
        && Stream.of("-sources.jar", "-javadoc.jar", "-tests.jar", "-shaded.jar")
            .noneMatch(name::endsWith);
  }

  private static Path built(Path path) throws IOException {
    if (!Files.exists(path)) {
      throw missing(path);
    }
    return path;
  }

  private static IOException missing(Path path) {
    return new IOException(
        path + " was not built; run './mvnw package -DskipTests' in its repository");
  }

  private static Path ownLocation() throws IOException {
    try {
      return Path.of(
          Installation.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException("cannot tell where Freshet's classes are", e);
    }
  }
}
