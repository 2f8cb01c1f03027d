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

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The input of a job: files by their path below the input directory. Immutable.
 *
 * @param files content by path, such as {@code b/part-3}
 */
record InputTree(SortedMap<String, InputFile> files) {

  InputTree {
    files = Collections.unmodifiableSortedMap(new TreeMap<>(files));
  }

  InputTree with(String path, InputFile file) {
    TreeMap<String, InputFile> changed = new TreeMap<>(files);
    changed.put(path, file);
    return new InputTree(changed);
  }

  InputTree without(String path) {
    TreeMap<String, InputFile> changed = new TreeMap<>(files);
    changed.remove(path);
    return new InputTree(changed);
  }

  List<String> paths() {
    return List.copyOf(files.keySet());
  }

  long bytes() {
    return files.values().stream().mapToLong(InputFile::bytes).sum();
  }

  /** The bytes in files that are not compressed, so that chunks can be cut from them. */
  long plainBytes() {
    return files.values().stream()
        .filter(f -> f.container() == InputFile.Container.PLAIN)
        .mapToLong(InputFile::bytes)
        .sum();
  }

  /** The name on disk of the file at {@code path}. */
  String diskName(String path) {
    return path + files.get(path).extension();
  }

  /** The input paths that the job names, below {@code root}, separated by commas. */
  String paths(RandomJob.Select select, String root) {
    return switch (select) {
      case DIRECTORY, RECURSIVE -> root;
      case DIRECTORIES -> root + "/a," + root + "/b";
      case GLOB -> root + "/*/part-*";
      case FILES -> {
        List<String> named = files.keySet().stream().map(p -> root + "/" + diskName(p)).toList();
        yield named.isEmpty() ? root : String.join(",", named);
      }
    };
  }
}
