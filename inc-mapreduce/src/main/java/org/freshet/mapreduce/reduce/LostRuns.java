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
package org.freshet.mapreduce.reduce;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.hdfs.format.RecordFormat;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.mapreduce.plan.RunPlaces;
import org.freshet.mapreduce.plan.SplitTable;
import org.freshet.mapreduce.run.Run;
import org.freshet.memo.Manifest;
import org.freshet.slider.ContentGroupedTree;
import org.freshet.slider.Digest;
import org.freshet.slider.Grouping;
import org.freshet.slider.TreeShape;

/**
 * Makes memoized runs again that turned out to be missing or damaged when a reduce needed them: a
 * node from its children, a leaf by mapping its chunk within the reduce task. Reads the run's
 * manifest draft, which is as large as the input's list of chunks, only when that happens.
 */
final class LostRuns {
  private final JobConf job;
  private final LeafRemapper remapper;
  private Manifest draft;
  private Map<Digest, SplitTable.Entry> splits;
  private final Map<Digest, Manifest.LeafEntry> leaves = new HashMap<>();
  private final Map<Digest, List<Digest>> children = new HashMap<>();
  private final Set<Integer> wholeFiles = new HashSet<>();
  private int splitLag;

  LostRuns(JobConf job, LeafRemapper remapper) {
    this.job = job;
    this.remapper = remapper;
  }

  /** The children of a node, or null if the id is not a node's. */
  List<Digest> children(Digest id) throws IOException {
    load();
    return children.get(id);
  }

  /**
   * Maps the chunk of a leaf again.
   *
   * @throws IOException if the chunk can't be read as it was planned
   */
  Run remap(Digest id, int partition)
      throws IOException, InterruptedException, ClassNotFoundException {
    load();
    Manifest.LeafEntry leaf = leaves.get(id);
    if (leaf == null) {
      throw new IOException("the plan names run " + id + ", which is neither leaf nor node");
    }
    SplitTable.Entry listed = splits.get(id);
    List<Integer> sources = listed == null ? List.of(leaf.file()) : listed.files();
    requireUnchanged(sources);
    Writable split = listed == null ? split(leaf) : listed.split();
    Run run = remapper.map(split, leaf.length(), partition);
    requireUnchanged(sources);
    return run;
  }

  private void requireUnchanged(List<Integer> files) throws IOException {
    for (int file : files) {
      requireUnchanged(draft.files().get(file));
    }
  }

  private void requireUnchanged(Manifest.FileEntry file) throws IOException {
    Path path = new Path(file.path());
    FileSystem fs = path.getFileSystem(job);
    FileVersion version = FileVersion.observe(fs, path);
    String now = version.isBeingWritten() ? version + ", being written" : version.toString();
    if (!now.equals(file.version())) {
      throw new IOException(
          "A memoized run of "
              + path
              + " is damaged and can't be made again, because the file has changed since the job"
              + " was planned (then "
              + file.version()
              + ", now "
              + now
              + "). Run the job again.");
    }
  }

  private Writable split(Manifest.LeafEntry leaf) throws IOException {
    Manifest.FileEntry file = draft.files().get(leaf.file());
    Path path = new Path(file.path());
    long start = leaf.offset();
    long length = leaf.length();
    if (!wholeFiles.contains(leaf.file())) {
      RecordFormat.Range range = RecordFormat.split(start, length, file.length(), splitLag);
      start = range.start();
      length = range.length();
    }
    return job.getUseNewMapper()
        ? new org.apache.hadoop.mapreduce.lib.input.FileSplit(path, start, length, null)
        : new org.apache.hadoop.mapred.FileSplit(path, start, length, (String[]) null);
  }

  private void load() throws IOException {
    if (draft != null) {
      return;
    }
    Path file = RunPlaces.draft(RunPlaces.runDir(job));
    try (InputStream in = file.getFileSystem(job).open(file)) {
      draft = Manifest.read(in);
    }
    Path table = RunPlaces.splitTable(file.getParent());
    splits = SplitTable.read(table.getFileSystem(job), table);
    String whole = draft.properties().getOrDefault("whole.files", "");
    if (!whole.isEmpty()) {
      Arrays.stream(whole.split(",")).map(Integer::valueOf).forEach(wholeFiles::add);
    }
    splitLag = Integer.parseInt(draft.properties().getOrDefault(RunPlaces.SPLIT_LAG, "1"));
    List<Digest> ids = new ArrayList<>(draft.leaves().size());
    for (Manifest.LeafEntry leaf : draft.leaves()) {
      ids.add(leaf.id());
      leaves.putIfAbsent(leaf.id(), leaf);
    }
    String parameters = draft.treeParameters();
    int fanIn = Integer.parseInt(parameters.substring(parameters.lastIndexOf(' ') + 1));
    TreeShape shape = ContentGroupedTree.shape(ids, new Grouping(fanIn, 4 * fanIn));
    for (TreeShape.Node node : shape.nodes()) {
      List<Digest> members = new ArrayList<>();
      for (int child : node.children()) {
        members.add(shape.id(child));
      }
      children.put(node.id(), members);
    }
  }
}
