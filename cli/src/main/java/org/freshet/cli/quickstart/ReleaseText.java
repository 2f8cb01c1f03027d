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
package org.freshet.cli.quickstart;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.freshet.cli.program.Installation;

/**
 * The source text of two consecutive releases of Hadoop, one text file per module.
 *
 * <p>The {@code -sources} jars come through Maven, so that the user's mirrors and local repository
 * serve them. A module's files are put one after the other in the order of their paths, which makes
 * the text the same on every machine; that of 17 modules is about 85 MB. What is there already is
 * not made again.
 */
public final class ReleaseText {
  /** A release, and the one that followed it. */
  public static final String BEFORE = "3.4.1";

  public static final String AFTER = "3.4.2";

  private static final String GROUP = "org.apache.hadoop";
  private static final List<String> MODULES =
      List.of(
          "hadoop-aws",
          "hadoop-azure",
          "hadoop-common",
          "hadoop-distcp",
          "hadoop-hdfs",
          "hadoop-hdfs-client",
          "hadoop-hdfs-rbf",
          "hadoop-kms",
          "hadoop-mapreduce-client-app",
          "hadoop-mapreduce-client-common",
          "hadoop-mapreduce-client-core",
          "hadoop-yarn-api",
          "hadoop-yarn-client",
          "hadoop-yarn-common",
          "hadoop-yarn-server-common",
          "hadoop-yarn-server-nodemanager",
          "hadoop-yarn-server-resourcemanager");

  private final Installation installation;
  private final Path directory;

  /**
   * @param directory where jars and text are kept
   */
  public ReleaseText(Installation installation, Path directory) {
    this.installation = installation;
    this.directory = directory;
  }

  /** The directory with a release's text, after {@link #get}. */
  public Path text(String release) {
    return directory.resolve("text").resolve(release);
  }

  /**
   * Makes the text of these releases.
   *
   * @throws IOException if Maven cannot get the jars; with the end of what it printed
   */
  public void get(List<String> releases) throws IOException, InterruptedException {
    if (!releases.stream().allMatch(release -> Files.exists(complete(release)))) {
      fetch(releases);
    }
    for (String release : releases) {
      if (!Files.exists(complete(release))) {
        Files.createDirectories(text(release));
        for (String module : MODULES) {
          extract(jar(release, module), text(release).resolve(module + ".txt"));
        }
        Files.writeString(complete(release), "");
      }
    }
  }

  /** Marks a release whose text is complete. */
  private Path complete(String release) {
    return directory.resolve("text").resolve(release + ".complete");
  }

  private Path jar(String release, String module) {
    return directory.resolve("jars").resolve(release + "-" + module + ".jar");
  }

  private void fetch(List<String> releases) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path pom = directory.resolve("pom.xml");
    Files.writeString(pom, pom(releases));
    Path log = directory.resolve("maven.log");
    int exitCode =
        new ProcessBuilder(
                installation.root().resolve("mvnw").toString(),
                "-B",
                "-ntp",
                "-f",
                pom.toString(),
                "dependency:copy")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    if (exitCode != 0) {
      List<String> lines = Files.readAllLines(log);
      throw new IOException(
          "Maven could not get the -sources jars of Hadoop "
              + String.join(" and ", releases)
              + ":\n"
              + String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()))
              + "\nCheck the network or the mirror in your Maven settings, then try again.");
    }
  }

  private String pom(List<String> releases) {
    StringBuilder items = new StringBuilder();
    for (String release : releases) {
      for (String module : MODULES) {
        items.append(
            """
                      <artifactItem>
                        <groupId>%s</groupId>
                        <artifactId>%s</artifactId>
                        <version>%s</version>
                        <classifier>sources</classifier>
                        <destFileName>%s</destFileName>
                      </artifactItem>
            """
                .formatted(GROUP, module, release, jar(release, module).getFileName()));
      }
    }
    return """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>org.freshet.quickstart</groupId>
          <artifactId>sources</artifactId>
          <version>1</version>
          <packaging>pom</packaging>
          <build>
            <plugins>
              <plugin>
                <artifactId>maven-dependency-plugin</artifactId>
                <version>3.8.1</version>
                <configuration>
                  <outputDirectory>%s</outputDirectory>
                  <artifactItems>
        %s          </artifactItems>
                </configuration>
              </plugin>
            </plugins>
          </build>
        </project>
        """
        .formatted(directory.resolve("jars"), items);
  }

  /** Writes the Java files of a jar, one after the other by path. */
  static void extract(Path jar, Path target) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile(), StandardCharsets.UTF_8);
        OutputStream out = new BufferedOutputStream(Files.newOutputStream(target))) {
      List<ZipEntry> entries = new ArrayList<>();
      zip.stream().filter(entry -> entry.getName().endsWith(".java")).forEach(entries::add);
      entries.sort(Comparator.comparing(ZipEntry::getName));
      for (ZipEntry entry : entries) {
        try (InputStream in = zip.getInputStream(entry)) {
          in.transferTo(out);
        }
      }
    }
  }
}
