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
package org.freshet.it.harness;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.freshet.it.jobs.NewMappers;

/** Packs the user code of the tests into a job jar, as a build would. Stateless. */
public final class JobJar {
  private JobJar() {}

  /**
   * Writes a jar of {@code org.freshet.it.jobs}; the same classes give the same bytes.
   *
   * @param jar the file to write
   * @return {@code jar}
   */
  public static Path ofTestJobs(Path jar) throws IOException {
    Path classes;
    try {
      classes =
          Path.of(NewMappers.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException("test classes are not in a directory", e);
    }
    Path jobs = classes.resolve(NewMappers.class.getPackageName().replace('.', '/'));
    List<Path> files;
    try (Stream<Path> listed = Files.list(jobs)) {
      files = listed.sorted().toList();
    }
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out)) {
      for (Path file : files) {
        JarEntry entry = new JarEntry(classes.relativize(file).toString());
        entry.setTime(0);
        entries.putNextEntry(entry);
        entries.write(Files.readAllBytes(file));
        entries.closeEntry();
      }
    }
    return jar;
  }
}
