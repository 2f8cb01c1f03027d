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
package org.freshet.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Builds jars from source text, as a user who changes a program does. Stateless. */
final class UserJar {
  private UserJar() {}

  /**
   * Compiles classes and packs them.
   *
   * @param jar the file to write; replaced by one rename
   * @param sources source text by class name
   * @param classPath what the sources need besides this JVM's class path
   */
  static Path build(Path jar, Map<String, String> sources, Path... classPath) throws IOException {
    Path work = Files.createTempDirectory(jar.getParent(), "build");
    List<String> arguments = new ArrayList<>();
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    for (Path entry : classPath) {
      path += java.io.File.pathSeparator + entry;
    }
    arguments.addAll(
        List.of("-nowarn", "-proc:none", "-cp", path, "-d", work.resolve("out").toString()));
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = work.resolve(source.getKey().replace('.', '/') + ".java");
      Files.createDirectories(file.getParent());
      Files.write(file, source.getValue().getBytes(UTF_8));
      arguments.add(file.toString());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
      throw new IOException("could not compile " + sources.keySet());
    }
    Path packed = work.resolve("packed.jar");
    try (OutputStream out = Files.newOutputStream(packed);
        JarOutputStream entries = new JarOutputStream(out);
        Stream<Path> classes = Files.walk(work.resolve("out"))) {
      for (Path file : classes.filter(Files::isRegularFile).sorted().toList()) {
        JarEntry entry = new JarEntry(work.resolve("out").relativize(file).toString());
        entry.setTime(0);
        entries.putNextEntry(entry);
        entries.write(Files.readAllBytes(file));
      }
    }
    return Files.move(packed, jar, StandardCopyOption.REPLACE_EXISTING);
  }
}
