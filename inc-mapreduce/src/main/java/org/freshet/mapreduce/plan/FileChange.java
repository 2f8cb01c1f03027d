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
package org.freshet.mapreduce.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.freshet.memo.Manifest;
import org.freshet.slider.Digest;

/**
 * What became of one input file since the run before, for people.
 *
 * @param path the file
 * @param change how it compares
 * @param chunks its chunks now (or then, for a removed file)
 * @param mapped those that had to be mapped
 */
public record FileChange(String path, Change change, int chunks, int mapped) {
  /** How a file compares with the run before. */
  public enum Change {
    ADDED,
    CHANGED,
    REMOVED,
    UNCHANGED
  }

  static List<FileChange> changes(Optional<Manifest> previous, InputScan scan, Delta delta) {
    Set<Digest> fresh = new HashSet<>(delta.fresh());
    int[] chunks = new int[scan.files().size()];
    int[] mapped = new int[chunks.length];
    for (Leaf leaf : scan.leaves()) {
      chunks[leaf.file()]++;
      if (fresh.contains(leaf.id())) {
        mapped[leaf.file()]++;
      }
    }
    Map<String, String> versions = new HashMap<>();
    Map<String, Integer> oldChunks = new HashMap<>();
    previous.ifPresent(
        manifest -> {
          manifest.files().forEach(file -> versions.put(file.path(), file.version()));
          manifest
              .leaves()
              .forEach(
                  leaf ->
                      oldChunks.merge(manifest.files().get(leaf.file()).path(), 1, Integer::sum));
        });
    List<FileChange> changes = new ArrayList<>();
    for (int i = 0; i < chunks.length; i++) {
      Manifest.FileEntry file = scan.files().get(i);
      String before = versions.remove(file.path());
      Change change =
          before == null
              ? Change.ADDED
              : before.equals(file.version()) ? Change.UNCHANGED : Change.CHANGED;
      changes.add(new FileChange(file.path(), change, chunks[i], mapped[i]));
    }
    versions
        .keySet()
        .forEach(
            path ->
                changes.add(
                    new FileChange(path, Change.REMOVED, oldChunks.getOrDefault(path, 0), 0)));
    changes.sort(Comparator.comparing(FileChange::change).thenComparing(FileChange::path));
    return changes;
  }
}
