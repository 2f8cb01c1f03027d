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
package org.freshet.cli.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A directory of links to jars, as a distribution would hold the jars themselves. */
final class JarLinks {
  private JarLinks() {}

  /** Links to these jars, and to no others. */
  static void make(Path directory, List<Path> jars) throws IOException {
    remove(directory);
    Files.createDirectories(directory);
    for (Path jar : jars) {
      if (!Files.isReadable(jar)) {
        throw new ClusterException(
            "cannot read " + jar + " of a class path; build again to get it");
      }
      Files.createSymbolicLink(directory.resolve(jar.getFileName()), jar.toAbsolutePath());
    }
  }

  /** Removes the links. */
  static void remove(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> links = Files.list(directory)) {
        for (Path link : links.filter(Files::isSymbolicLink).toList()) {
          Files.delete(link);
        }
      }
    }
  }
}
