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
package org.freshet.memo;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Directory listings in which a missing directory is an empty one: the store creates its
 * directories late.
 */
final class Listing {
  private Listing() {}

  /** Takes one file at a time. */
  @FunctionalInterface
  interface FileVisitor {
    void visit(FileStatus file);
  }

  /** What is at a path, if anything is. */
  static Optional<FileStatus> status(FileSystem fs, Path path) throws IOException {
    try {
      return Optional.of(fs.getFileStatus(path));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  /** The children of a directory, in no particular order. */
  static List<FileStatus> of(FileSystem fs, Path dir) throws IOException {
    try {
      return Arrays.asList(fs.listStatus(dir));
    } catch (FileNotFoundException e) {
      return List.of();
    }
  }

  /** Visits the files at any depth below a directory; what is deleted meanwhile may be missed. */
  static void walk(FileSystem fs, Path dir, FileVisitor visitor) throws IOException {
    try {
      RemoteIterator<LocatedFileStatus> files = fs.listFiles(dir, true);
      while (files.hasNext()) {
        visitor.visit(files.next());
      }
    } catch (FileNotFoundException e) {
      // The directory or one below it was deleted: nothing more to see there.
      return;
    }
  }
}
