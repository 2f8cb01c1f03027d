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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.mapreduce.plan.FileChange.Change;
import org.freshet.memo.CounterSet;
import org.freshet.memo.LineageStore;
import org.freshet.memo.Manifest;
import org.freshet.memo.Manifest.LeafEntry;
import org.freshet.memo.Manifest.NodeEntry;
import org.freshet.memo.Manifest.RunEntry;
import org.freshet.memo.MemoStore;
import org.freshet.slider.ContentGroupedTree;
import org.freshet.slider.Digest;
import org.freshet.slider.Grouping;
import org.freshet.slider.TreeShape;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run says of itself before it has run: its manifest's draft, and its files' changes. */
class RunDescriptionTest {
  private static final Grouping GROUPING = new Grouping(4, 16);

  @TempDir private java.nio.file.Path temporary;
  private ScannedInput input;
  private LineageStore lineage;

  @BeforeEach
  void makeInput() throws IOException {
    input = new ScannedInput(temporary);
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRaw();
    lineage =
        MemoStore.open(fs, new Path(temporary.resolve("memo").toUri()))
            .lineage(Digest.sha256("lineage".getBytes(UTF_8)));
  }

  private record Planned(InputScan scan, TreeShape tree, Delta delta, KnownRuns known) {
    Manifest draft(String runId) throws IOException {
      Manifest draft =
          new ManifestDraft(runId, scan, tree, delta, known).build("job_1_1", "name", null, 4);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      draft.write(bytes);
      return Manifest.read(new ByteArrayInputStream(bytes.toByteArray()));
    }

    List<FileChange> changes() {
      return FileChange.changes(known.previous(), scan, delta);
    }
  }

  private Planned plan(Optional<Manifest> previous) throws Exception {
    InputScan scan = input.text(LeafNaming.CONTENT, "*");
    KnownRuns known = KnownRuns.of(lineage, previous);
    TreeShape tree =
        ContentGroupedTree.shape(scan.leaves().stream().map(Leaf::id).toList(), GROUPING);
    return new Planned(
        scan, tree, new DeltaPlanner(scan.leaves(), tree, known::knows, 1000).plan(), known);
  }

  private static String runOf(Manifest manifest, int run) {
    return manifest.runs().get(run).runId();
  }

  @Test
  void draftOfAFirstRunNamesEveryLeafAndNodeAsItsOwn() throws Exception {
    input.write("a.txt", ScannedInput.randomText(300, 1));
    Planned planned = plan(Optional.empty());

    Manifest draft = planned.draft("r1");

    assertThat(draft.leaves()).hasSameSizeAs(planned.scan().leaves());
    assertThat(draft.leaves()).allMatch(leaf -> runOf(draft, leaf.run()).equals("r1"));
    assertThat(draft.nodes()).hasSizeGreaterThan(5);
    assertThat(draft.nodes()).allMatch(node -> runOf(draft, node.run()).equals("r1"));
    assertThat(draft.files()).isEqualTo(planned.scan().files());
    assertThat(draft.treeParameters()).isEqualTo("fan-in 4");
    assertThat(draft.properties()).contains(entry("whole.files", ""));
  }

  @Test
  void draftKeepsBirthsCountersPinsAndInventoriesOfWhatItReuses() throws Exception {
    String text = ScannedInput.randomText(300, 2);
    input.write("a.txt", text);
    Manifest first = plan(Optional.empty()).draft("r1");
    LeafEntry kept = first.leaves().get(0);
    LeafEntry lost = first.leaves().get(first.leaves().size() - 1);
    CounterSet counted = CounterSet.builder().add("g", "n", 7).build();
    Manifest published =
        Manifest.builder("r1")
            .addFiles(first.files())
            .addLeaves(first.leaves())
            .addNodes(first.nodes())
            .addRun(new RunEntry("r1", List.of("r0")))
            .leafCounters(kept.id(), counted)
            .leafCounters(lost.id(), counted)
            .property(KnownRuns.inventoryProperty("r1"), "0 0 0")
            .property("other", "not kept")
            .build();
    // An edit of the last chunk.
    input.write("a.txt", text + "one line more\n");

    Planned second = plan(Optional.of(published));
    Manifest draft = second.draft("r2");

    assertThat(second.delta().fresh()).hasSize(1);
    assertThat(runOf(draft, draft.leaves().get(0).run())).isEqualTo("r1");
    assertThat(runOf(draft, draft.leaves().get(draft.leaves().size() - 1).run())).isEqualTo("r2");
    assertThat(draft.leafCounters()).containsExactly(entry(kept.id(), counted));
    assertThat(draft.runs())
        .containsExactly(new RunEntry("r2", List.of()), new RunEntry("r1", List.of("r0")));
    assertThat(draft.properties())
        .contains(entry(KnownRuns.inventoryProperty("r1"), "0 0 0"))
        .doesNotContainKey("other");
    assertThat(draft.nodes().stream().map(NodeEntry::id))
        .containsExactlyInAnyOrderElementsOf(
            second.tree().nodes().stream().map(TreeShape.Node::id).toList());
  }

  @Test
  void draftNamesFilesWhoseLeavesAreSplits() throws Exception {
    input.write("a.txt", ScannedInput.randomText(20, 3));
    input.write("b.txt", ScannedInput.randomText(20, 4));
    InputScan scan = input.text(LeafNaming.SPLIT, "*");
    KnownRuns known = KnownRuns.of(lineage, Optional.empty());
    TreeShape tree = ContentGroupedTree.flat(scan.leaves().stream().map(Leaf::id).toList());
    Delta delta = new DeltaPlanner(scan.leaves(), tree, known::knows, 1000).plan();

    Manifest draft = new Planned(scan, tree, delta, known).draft("r1");

    assertThat(draft.properties()).contains(entry("whole.files", "0,1"));
  }

  @Test
  void filesAreToldApartByWhatBecameOfThem() throws Exception {
    String text = ScannedInput.randomText(200, 5);
    input.write("changed.txt", text);
    input.write("removed.txt", ScannedInput.randomText(50, 6));
    input.write("same.txt", ScannedInput.randomText(50, 7));
    Planned first = plan(Optional.empty());
    Manifest manifest = withInventory(first.draft("r1"));
    int removedChunks = chunksOf(first, "removed.txt");
    java.nio.file.Files.delete(input.dir.resolve("removed.txt"));
    input.write("changed.txt", text + "one line more\n");
    input.write("added.txt", ScannedInput.randomText(50, 8));

    Planned second = plan(Optional.of(manifest));

    List<FileChange> changes = second.changes();
    assertThat(changes)
        .extracting(FileChange::change)
        .containsExactly(Change.ADDED, Change.CHANGED, Change.REMOVED, Change.UNCHANGED);
    assertThat(changes)
        .extracting(change -> new Path(change.path()).getName())
        .containsExactly("added.txt", "changed.txt", "removed.txt", "same.txt");
    assertThat(changes.get(0).mapped()).isEqualTo(changes.get(0).chunks()).isPositive();
    assertThat(changes.get(1).mapped()).isEqualTo(1);
    assertThat(changes.get(2).chunks()).isEqualTo(removedChunks);
    assertThat(changes.get(2).mapped()).isZero();
    assertThat(changes.get(3).mapped()).isZero();
    assertThat(changes.get(3).chunks()).isPositive();
  }

  private static int chunksOf(Planned planned, String name) {
    return (int)
        planned.scan().leaves().stream()
            .filter(leaf -> planned.scan().files().get(leaf.file()).path().endsWith(name))
            .count();
  }

  /** As if published: the run directory holds nothing, and nothing is expected of it. */
  private static Manifest withInventory(Manifest draft) {
    return Manifest.builder(draft.runId())
        .addFiles(draft.files())
        .addLeaves(draft.leaves())
        .addNodes(draft.nodes())
        .addRuns(draft.runs())
        .property(KnownRuns.inventoryProperty(draft.runId()), "0 0 0")
        .build();
  }

  @Test
  void theOneChangedFileOfManyComesFirst() throws Exception {
    for (int i = 0; i < 1100; i++) {
      input.write("%04d.txt".formatted(i), "the same line\n");
    }
    Manifest manifest = withInventory(plan(Optional.empty()).draft("r1"));
    input.write("1099.txt", "another line\n");

    List<FileChange> changes = plan(Optional.of(manifest)).changes();

    assertThat(changes.get(0).path()).endsWith("1099.txt");
    assertThat(changes.get(0).change()).isEqualTo(Change.CHANGED);
    assertThat(changes.get(1).change()).isEqualTo(Change.UNCHANGED);
  }
}
