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
package org.freshet.it.layout;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The jar that users put on Hadoop's class path brings nothing that could clash there. */
class ShadedJarTest {
  private static final String SERVICE =
      "META-INF/services/org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider";

  private static JarFile jar;
  private static List<String> files;

  @BeforeAll
  static void open() throws IOException {
    jar = new JarFile(Path.of(System.getProperty("freshet.it.jar")).toFile());
    files = jar.stream().filter(e -> !e.isDirectory()).map(JarEntry::getName).toList();
  }

  @AfterAll
  static void close() throws IOException {
    jar.close();
  }

  @Test
  void everyClassIsInOurPackage() {
    Pattern versioned = Pattern.compile("META-INF/versions/\\d+/");
    List<String> classes = files.stream().filter(name -> name.endsWith(".class")).toList();
    assertThat(classes).isNotEmpty();
    assertThat(classes)
        .filteredOn(name -> !versioned.matcher(name).replaceFirst("").startsWith("org/freshet/"))
        .isEmpty();
  }

  @Test
  void whatWasBroughtIsRelocated() {
    assertThat(files)
        .filteredOn(name -> name.endsWith(".class"))
        .anyMatch(name -> name.startsWith("org/freshet/shaded/asm/"));
  }

  @Test
  void hadoopFindsTheProvider() throws IOException {
    JarEntry service = jar.getJarEntry(SERVICE);
    assertThat(service).as(SERVICE).isNotNull();
    List<String> providers =
        new String(jar.getInputStream(service).readAllBytes(), UTF_8)
            .lines()
            .map(line -> line.replaceFirst("#.*", "").trim())
            .filter(line -> !line.isEmpty())
            .toList();
    assertThat(providers)
        .singleElement()
        .satisfies(provider -> assertThat(files).contains(provider.replace('.', '/') + ".class"));
  }

  @Test
  void servicesNameOnlyClassesInTheJar() throws IOException {
    for (String name : files) {
      if (name.startsWith("META-INF/services/")) {
        String text = new String(jar.getInputStream(jar.getJarEntry(name)).readAllBytes(), UTF_8);
        assertThat(text.lines().map(line -> line.replaceFirst("#.*", "").trim()))
            .as(name)
            .filteredOn(line -> !line.isEmpty())
            .allSatisfy(line -> assertThat(files).contains(line.replace('.', '/') + ".class"));
      }
    }
  }

  @Test
  void licenceAndNoticeAreThereOnce() {
    assertThat(files)
        .filteredOn(name -> name.matches("(?i)(META-INF/)?LICENSE(\\.txt)?"))
        .as("licence")
        .hasSize(1);
    assertThat(files)
        .filteredOn(name -> name.matches("(?i)(META-INF/)?NOTICE(\\.txt)?"))
        .as("notice")
        .hasSize(1);
  }

  @Test
  void noFileIsThereTwice() {
    assertThat(files).doesNotHaveDuplicates();
  }

  /** Names of native methods hold the names of their classes: no relocation may touch those. */
  @Test
  void nativeCodeRunsFromThisJarAlone() throws Exception {
    assumeTrue(
        files.stream().anyMatch(name -> name.startsWith("META-INF/native/linux-x86_64/lib")),
        "built without a C compiler");
    assumeTrue(System.getProperty("os.name").equals("Linux"));
    URL[] alone = {Path.of(jar.getName()).toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(alone, ClassLoader.getPlatformClassLoader())) {
      Object known =
          loader.loadClass("org.freshet.shredder.Backends").getMethod("probe").invoke(null);

      assertThat(((Map<?, ?>) known).get("native")).asString().startsWith("native");
    }
  }
}
