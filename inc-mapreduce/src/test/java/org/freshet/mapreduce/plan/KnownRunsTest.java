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

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.mapreduce.plan.KnownRuns.Inventory;
import org.freshet.memo.LineageStore;
import org.freshet.memo.Manifest;
import org.freshet.memo.Manifest.FileEntry;
import org.freshet.memo.Manifest.LeafEntry;
import org.freshet.memo.Manifest.NodeEntry;
import org.freshet.memo.Manifest.RunEntry;
import org.freshet.memo.MemoStore;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two job runs: "old" made leaf a and node n, "new" made leaf b and has old's index entries. */
class KnownRunsTest {
  private static final Digest A = digest("a");
  private static final Digest B = digest("b");
  private static final Digest N = digest("n");

  @TempDir private java.nio.file.Path temporary;
  private LineageStore lineage;
  private java.nio.file.Path runs;

  private static Digest digest(String text) {
    return Digest.sha256(text.getBytes(UTF_8));
  }

  @BeforeEach
  void writeTwoRuns() throws IOException {
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRaw();
    lineage =
        MemoStore.open(fs, new Path(temporary.resolve("store").toUri())).lineage(digest("lineage"));
    runs = java.nio.file.Path.of(lineage.runDir("old").getParent().toUri().getPath());
    for (String run : List.of("old", "new")) {
      Files.createDirectories(runs.resolve(run));
      Files.writeString(runs.resolve(run + "/m-0.pack"), "packed runs of " + run);
      Files.writeString(runs.resolve(run + "/m-1.pack"), "more packed runs of " + run);
      Files.writeString(runs.resolve(run + "/p-000000-r.idx"), "index");
      Files.writeString(runs.resolve(run + "/reduce.plan"), "neither pack nor index");
    }
  }

  private KnownRuns known(List<String> pinsOfNew) throws IOException {
    Manifest.Builder manifest =
        Manifest.builder("new")
            .addFile(new FileEntry("f", "v", 2))
            .addRun(new RunEntry("old", List.of()))
            .addRun(new RunEntry("new", pinsOfNew))
            .addLeaf(new LeafEntry(A, 0, 0, 1, 0))
            .addLeaf(new LeafEntry(B, 0, 1, 1, 1))
            .addNode(new NodeEntry(N, 0));
    for (String run : List.of("old", "new")) {
      manifest.property(KnownRuns.inventoryProperty(run), inventory.get(run));
    }
    return KnownRuns.of(lineage, Optional.of(manifest.build()));
  }

  private final java.util.Map<String, String> inventory = new java.util.HashMap<>();

  private void takeInventory() throws IOException {
    for (String run : List.of("old", "new")) {
      inventory.put(run, KnownRuns.inventory(lineage.fileSystem(), lineage.runDir(run)).text());
    }
  }

  @Test
  void firstRunKnowsNothing() throws IOException {
    KnownRuns known = KnownRuns.of(lineage, Optional.empty());

    assertThat(known.previous()).isEmpty();
    assertThat(known.liveRuns()).isEmpty();
    assertThat(known.knows(A)).isFalse();
  }

  @Test
  void wholeRunsAreKnownByTheRunThatMadeThem() throws IOException {
    takeInventory();
    KnownRuns known = known(List.of());

    assertThat(known.previous()).isPresent();
    assertThat(known.liveRuns()).containsExactly("old", "new");
    assertThat(known.birth(A)).isEqualTo("old");
    assertThat(known.birth(N)).isEqualTo("old");
    assertThat(known.birth(B)).isEqualTo("new");
    assertThat(known.knows(digest("other"))).isFalse();
  }

  @Test
  void runThatLostAPackIsForgottenAndOthersAreNot() throws IOException {
    takeInventory();
    Files.delete(runs.resolve("old/m-0.pack"));

    KnownRuns known = known(List.of());

    assertThat(known.knows(A)).isFalse();
    assertThat(known.knows(N)).isFalse();
    assertThat(known.knows(B)).isTrue();
    assertThat(known.liveRuns()).containsExactly("new");
    assertThat(known.previous()).isPresent();
  }

  @Test
  void runWithATruncatedPackIsForgotten() throws IOException {
    takeInventory();
    Files.writeString(runs.resolve("new/m-0.pack"), "packed");

    KnownRuns known = known(List.of());

    assertThat(known.knows(B)).isFalse();
    assertThat(known.knows(A)).isTrue();
  }

  @Test
  void runWhosePackWasMovedIntoAnotherIsForgottenThoughTheBytesAddUp() throws IOException {
    takeInventory();
    Files.delete(runs.resolve("old/m-1.pack"));
    Files.writeString(
        runs.resolve("old/m-0.pack"), "packed runs of old" + "more packed runs of old");

    assertThat(known(List.of()).knows(A)).isFalse();
  }

  @Test
  void runThatPointsIntoALostOneIsForgottenToo() throws IOException {
    takeInventory();
    Files.delete(runs.resolve("old/m-0.pack"));

    KnownRuns known = known(List.of("old"));

    assertThat(known.knows(B)).isFalse();
    assertThat(known.liveRuns()).isEmpty();
  }

  @Test
  void aMissingIndexMakesEverythingUnknown() throws IOException {
    takeInventory();
    Files.delete(runs.resolve("old/p-000000-r.idx"));

    KnownRuns known = known(List.of());

    assertThat(known.knows(A)).isFalse();
    assertThat(known.knows(B)).isFalse();
    assertThat(known.previous()).isEmpty();
  }

  @Test
  void aRunDirectoryThatIsGoneMakesEverythingUnknown() throws IOException {
    takeInventory();
    lineage.fileSystem().delete(lineage.runDir("old"), true);

    assertThat(known(List.of()).previous()).isEmpty();
  }

  @Test
  void runWithoutInventoryIsNotTrusted() throws IOException {
    takeInventory();
    Manifest manifest =
        Manifest.builder("new")
            .addFile(new FileEntry("f", "v", 2))
            .addRun(new RunEntry("old", List.of()))
            .addLeaf(new LeafEntry(A, 0, 0, 1, 0))
            .build();

    assertThat(KnownRuns.of(lineage, Optional.of(manifest)).knows(A)).isFalse();
  }

  @Test
  void inventoryCountsPacksTheirBytesAndIndexesAndNothingElse() throws IOException {
    Inventory found = KnownRuns.inventory(lineage.fileSystem(), lineage.runDir("old"));

    assertThat(found)
        .isEqualTo(
            new Inventory(
                2, "packed runs of old".length() + "more packed runs of old".length(), 1));
    assertThat(Inventory.parse(found.text())).isEqualTo(found);
    assertThat(KnownRuns.inventory(lineage.fileSystem(), lineage.runDir("absent")))
        .isEqualTo(new Inventory(0, 0, 0));
  }
}
