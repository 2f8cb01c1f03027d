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
package org.freshet.it.differential;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;

/**
 * A directory on disk that follows an {@link InputTree}, the way people change files: what did not
 * change is not touched, what only moved is renamed and keeps its modification time. Not
 * thread-safe.
 */
final class InputDirectory {
  private final Path root;
  private final Configuration conf;
  private InputTree current = new InputTree(new TreeMap<>());

  InputDirectory(Path root, Configuration conf) throws IOException {
    this.root = Files.createDirectories(root);
    this.conf = conf;
  }

  Path root() {
    return root;
  }

  /** Makes the directory hold {@code next}. Directories are never removed. */
  void become(InputTree next) throws IOException {
    Map<InputFile, Path> moved = new HashMap<>();
    for (String path : current.paths()) {
      InputFile file = current.files().get(path);
      if (!file.equals(next.files().get(path))) {
        Path aside = root.resolveSibling("aside-" + moved.size());
        Path old = root.resolve(current.diskName(path));
        if (moved.putIfAbsent(file, aside) == null) {
          Files.move(old, aside);
        } else {
          Files.delete(old);
        }
      }
    }
    for (String path : next.paths()) {
      InputFile file = next.files().get(path);
      if (!file.equals(current.files().get(path))) {
        Path target = root.resolve(next.diskName(path));
        Files.createDirectories(target.getParent());
        Path aside = moved.remove(file);
        if (aside != null) {
          Files.move(aside, target);
        } else {
          file.write(target, conf);
        }
      }
    }
    for (Path left : moved.values()) {
      Files.delete(left);
    }
    current = next;
  }

  /** Sets every file's modification time to now and leaves its content. */
  void touch() throws IOException {
    FileTime now = FileTime.fromMillis(System.currentTimeMillis() + 1);
    for (String path : current.paths()) {
      Files.setLastModifiedTime(root.resolve(current.diskName(path)), now);
    }
  }
}
