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

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.memo.LineageStore;
import org.freshet.memo.Manifest;
import org.freshet.memo.Manifest.LeafEntry;
import org.freshet.memo.Manifest.NodeEntry;
import org.freshet.memo.Manifest.RunEntry;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the last run of a lineage left that is still there. A job run whose packs are not as they
 * were when it was published counts as lost, and what it made is made again; if index files are
 * missing, nothing is known. (Damage within a file shows when a run is read.)
 */
public final class KnownRuns {
  private static final Logger LOG = LoggerFactory.getLogger(KnownRuns.class);
  private static final String INVENTORY = "inventory.";

  private final Manifest previous;
  private final Map<Digest, String> births;
  private final Set<String> liveRuns;

  private KnownRuns(Manifest previous, Map<Digest, String> births, Set<String> liveRuns) {
    this.previous = previous;
    this.births = births;
    this.liveRuns = liveRuns;
  }

  static KnownRuns of(LineageStore lineage, Optional<Manifest> previous) throws IOException {
    if (previous.isEmpty()) {
      return new KnownRuns(null, Map.of(), Set.of());
    }
    Manifest manifest = previous.get();
    List<RunEntry> runs = manifest.runs();
    Set<String> lost = new HashSet<>();
    for (RunEntry run : runs) {
      String expected = manifest.properties().get(INVENTORY + run.runId());
      Inventory found = inventory(lineage.fileSystem(), lineage.runDir(run.runId()));
      Inventory wanted = Inventory.parse(expected);
      if (found.indexes() < wanted.indexes()) {
        LOG.warn(
            "Run {} of lineage {} lost {} of {} index files: all is computed again",
            run.runId(),
            lineage.id().shortHex(),
            wanted.indexes() - found.indexes(),
            wanted.indexes());
        return new KnownRuns(null, Map.of(), Set.of());
      }
      // More than there was is what a straggling attempt finished after the run was published.
      if (expected == null
          || found.packBytes() < wanted.packBytes()
          || found.packs() < wanted.packs()) {
        LOG.warn(
            "Run {} of lineage {} has {} packs of {} bytes, not {} of {}: what it made is made"
                + " again",
            run.runId(),
            lineage.id().shortHex(),
            found.packs(),
            found.packBytes(),
            wanted.packs(),
            wanted.packBytes());
        lost.add(run.runId());
      }
    }
    for (RunEntry run : runs) {
      if (run.pins().stream().anyMatch(lost::contains)) {
        lost.add(run.runId());
      }
    }
    Map<Digest, String> births = new HashMap<>();
    for (LeafEntry leaf : manifest.leaves()) {
      String run = runs.get(leaf.run()).runId();
      if (!lost.contains(run)) {
        births.put(leaf.id(), run);
      }
    }
    for (NodeEntry node : manifest.nodes()) {
      String run = runs.get(node.run()).runId();
      if (!lost.contains(run)) {
        births.put(node.id(), run);
      }
    }
    Set<String> live = new LinkedHashSet<>();
    runs.forEach(run -> live.add(run.runId()));
    live.removeAll(lost);
    return new KnownRuns(manifest, births, live);
  }

  /** The manifest that was planned with. */
  Optional<Manifest> previous() {
    return Optional.ofNullable(previous);
  }

  /** Job runs that are whole. */
  Set<String> liveRuns() {
    return liveRuns;
  }

  boolean knows(Digest id) {
    return births.containsKey(id);
  }

  /** The job run that made a leaf or node. */
  String birth(Digest id) {
    return births.get(id);
  }

  /** What a run directory held when its manifest was published. */
  public record Inventory(int packs, long packBytes, int indexes) {
    static Inventory parse(String text) {
      if (text == null) {
        return new Inventory(0, 0, 0);
      }
      String[] parts = text.split(" ", 3);
      return new Inventory(
          Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Integer.parseInt(parts[2]));
    }

    /** As it stands in a manifest's properties. */
    public String text() {
      return packs + " " + packBytes + " " + indexes;
    }
  }

  /** The manifest property that holds a run's inventory. */
  public static String inventoryProperty(String runId) {
    return INVENTORY + runId;
  }

  /** Counts what a run directory holds. */
  public static Inventory inventory(FileSystem fs, Path runDir) throws IOException {
    int packs = 0;
    long bytes = 0;
    int indexes = 0;
    for (FileStatus file : list(fs, runDir)) {
      String name = file.getPath().getName();
      if (name.endsWith(".pack")) {
        packs++;
        bytes += file.getLen();
      } else if (name.endsWith(".idx")) {
        indexes++;
      }
    }
    return new Inventory(packs, bytes, indexes);
  }

  private static List<FileStatus> list(FileSystem fs, Path dir) throws IOException {
    try {
      return List.of(fs.listStatus(dir));
    } catch (FileNotFoundException e) {
      return new ArrayList<>();
    }
  }
}
