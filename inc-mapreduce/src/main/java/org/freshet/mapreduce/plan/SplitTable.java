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

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Writable;
import org.freshet.mapreduce.map.SplitKinds;
import org.freshet.slider.Digest;

/**
 * The splits of a plan's leaves that are more than one range of one file, such as {@code
 * CombineFileSplit}: what a reduce needs to map such a leaf again. Other leaves are described by
 * the manifest.
 */
public final class SplitTable {

  /**
   * A split and what it reads.
   *
   * @param files indexes into the manifest's files
   */
  public record Entry(List<Integer> files, Writable split) {}

  private SplitTable() {}

  /** Writes the table as a new file, unless it would be empty. */
  static void write(FileSystem fs, Path file, List<Leaf> leaves) throws IOException {
    List<Leaf> listed =
        leaves.stream().filter(leaf -> SplitKinds.ranges(leaf.split()).size() != 1).toList();
    if (listed.isEmpty()) {
      return;
    }
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(fs.create(file, true)))) {
      out.writeInt(listed.size());
      for (Leaf leaf : listed) {
        leaf.id().write(out);
        out.writeInt(leaf.sources().length);
        for (int source : leaf.sources()) {
          out.writeInt(source);
        }
        out.writeUTF(leaf.split().getClass().getName());
        leaf.split().write(out);
      }
    }
  }

  /** Reads the table of a run; empty if the run has none. */
  public static Map<Digest, Entry> read(FileSystem fs, Path file) throws IOException {
    Map<Digest, Entry> entries = new HashMap<>();
    if (!fs.exists(file)) {
      return entries;
    }
    try (DataInputStream in = new DataInputStream(new BufferedInputStream(fs.open(file)))) {
      int count = in.readInt();
      for (int i = 0; i < count; i++) {
        Digest id = Digest.read(in);
        Integer[] files = new Integer[in.readInt()];
        for (int f = 0; f < files.length; f++) {
          files[f] = in.readInt();
        }
        Writable split = SplitKinds.create(in.readUTF());
        split.readFields(in);
        entries.put(id, new Entry(List.of(files), split));
      }
    }
    return entries;
  }
}
