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

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReleaseTextTest {
  @TempDir private Path dir;

  @Test
  void theTextOfAJarDoesNotDependOnTheOrderOfItsEntries() throws Exception {
    Path one = extract(List.of("b/B.java", "a/A.java", "a/logo.png"));
    Path two = extract(List.of("a/logo.png", "a/A.java", "b/B.java"));
    assertThat(one).hasContent("text of a/A.java\ntext of b/B.java\n");
    assertThat(two).hasSameBinaryContentAs(one);
  }

  private Path extract(List<String> entries) throws Exception {
    Path jar = Files.createTempFile(dir, "sources", ".jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (String name : entries) {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(("text of " + name + "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
    Path text = Files.createTempFile(dir, "text", ".txt");
    ReleaseText.extract(jar, text);
    return text;
  }
}
