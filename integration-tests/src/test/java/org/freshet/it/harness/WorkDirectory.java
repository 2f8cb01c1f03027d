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
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Directories for tests, below the module's build directory. Thread-safe. */
public final class WorkDirectory {
  private static final Path ROOT =
      Path.of(System.getProperty("freshet.it.work", "target/work")).toAbsolutePath().normalize();

  private static final Path SHARED =
      Path.of(System.getProperty("freshet.it.shared", "target/work/shared"))
          .toAbsolutePath()
          .normalize();

  private WorkDirectory() {}

  /**
   * A directory of that name that the JVMs of all tests have in common, and those of later builds.
   */
  public static Path shared(String name) throws IOException {
    return Files.createDirectories(SHARED.resolve(name));
  }

  /** An empty directory of that name; what an earlier run left there is deleted. */
  public static Path fresh(String name) throws IOException {
    Path directory = ROOT.resolve(name);
    delete(directory);
    return Files.createDirectories(directory);
  }

  /**
   * Deletes a directory and all in it; no error if there is none, nor if someone else deletes there
   * as well: the local job runner does so for some moments after it reported a job's end.
   */
  public static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            return orGone(failure);
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failure)
              throws IOException {
            if (failure != null) {
              return orGone(failure);
            }
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }

          private FileVisitResult orGone(IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }
        });
  }
}
