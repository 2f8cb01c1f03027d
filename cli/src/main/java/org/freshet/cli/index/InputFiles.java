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
package org.freshet.cli.index;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Finds the files that paths on a command line stand for. */
public final class InputFiles {
  private InputFiles() {}

  /**
   * Each file named, and those below each directory named but for hidden ones: jobs do not read
   * what begins with {@code _} or {@code .} either.
   *
   * @param path may be a glob
   * @throws FileNotFoundException if there is nothing there
   */
  public static List<FileStatus> below(Configuration conf, String path) throws IOException {
    List<FileStatus> files = new ArrayList<>();
    Path parsed = new Path(path);
    FileSystem fs = parsed.getFileSystem(conf);
    for (FileStatus status : named(fs, parsed)) {
      add(fs, status, files);
    }
    return files;
  }

  /**
   * The one file of that name.
   *
   * @throws IOException if there is none, or it is a directory
   */
  public static FileStatus one(Configuration conf, String path) throws IOException {
    Path parsed = new Path(path);
    FileStatus status = named(parsed.getFileSystem(conf), parsed).get(0);
    if (!status.isFile()) {
      throw new IOException(status.getPath() + " is a directory, expected a file");
    }
    return status;
  }

  private static List<FileStatus> named(FileSystem fs, Path path) throws IOException {
    FileStatus[] found = fs.globStatus(path);
    if (found == null || found.length == 0) {
      throw new FileNotFoundException(fs.makeQualified(path) + ": no such file or directory");
    }
    return Arrays.asList(found);
  }

  private static void add(FileSystem fs, FileStatus status, List<FileStatus> files)
      throws IOException {
    if (status.isFile()) {
      files.add(status);
      return;
    }
    FileStatus[] children = fs.listStatus(status.getPath());
    Arrays.sort(children);
    for (FileStatus child : children) {
      String name = child.getPath().getName();
      if (!name.startsWith("_") && !name.startsWith(".")) {
        add(fs, child, files);
      }
    }
  }
}
