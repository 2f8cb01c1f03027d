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

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.freshet.memo.CounterSet;
import org.freshet.memo.Manifest;
import org.freshet.memo.Manifest.RunEntry;
import org.freshet.slider.Digest;
import org.freshet.slider.TreeShape;

/**
 * The manifest of a run as far as it is known before the job has run: everything but the partitions
 * and the counters of fresh leaves, which the commit adds.
 */
final class ManifestDraft {
  private final String runId;
  private final InputScan scan;
  private final TreeShape tree;
  private final Delta delta;
  private final KnownRuns known;
  private final Map<String, Integer> runs = new LinkedHashMap<>();

  ManifestDraft(String runId, InputScan scan, TreeShape tree, Delta delta, KnownRuns known) {
    this.runId = runId;
    this.scan = scan;
    this.tree = tree;
    this.delta = delta;
    this.known = known;
  }

  Manifest build(String jobId, String jobName, String outputDir, int fanIn) {
    runIndex(runId);
    Manifest.Builder draft =
        Manifest.builder(runId)
            .jobId(jobId)
            .jobName(jobName)
            .createdMillis(System.currentTimeMillis())
            .treeParameters("fan-in " + fanIn)
            .addFiles(scan.files());
    if (outputDir != null) {
      draft.outputDir(outputDir);
    }
    Map<Digest, CounterSet> counters =
        known.previous().map(Manifest::leafCounters).orElse(Map.of());
    Set<Digest> counted = new HashSet<>();
    for (Leaf leaf : scan.leaves()) {
      draft.addLeaf(
          new Manifest.LeafEntry(
              leaf.id(), leaf.file(), leaf.offset(), leaf.length(), birth(leaf.id())));
      if (known.knows(leaf.id()) && counters.containsKey(leaf.id()) && counted.add(leaf.id())) {
        draft.leafCounters(leaf.id(), counters.get(leaf.id()));
      }
    }
    for (Digest node : DeltaPlanner.nodesAfter(tree, delta, known::knows)) {
      draft.addNode(new Manifest.NodeEntry(node, birth(node)));
    }
    Map<String, List<String>> pins = new HashMap<>();
    known
        .previous()
        .ifPresent(
            manifest -> {
              manifest.runs().forEach(run -> pins.put(run.runId(), run.pins()));
              // Index chains may lead through runs that made none of the present leaves.
              manifest.runs().forEach(run -> runIndex(run.runId()));
              manifest
                  .properties()
                  .forEach(
                      (name, value) -> {
                        if (name.startsWith("inventory.")) {
                          draft.property(name, value);
                        }
                      });
            });
    runs.keySet()
        .forEach(run -> draft.addRun(new RunEntry(run, pins.getOrDefault(run, List.of()))));
    draft.property("whole.files", wholeFiles());
    draft.property(RunPlaces.SPLIT_LAG, Integer.toString(scan.splitLag()));
    return draft.build();
  }

  private String wholeFiles() {
    return scan.wholeFiles().stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private int birth(Digest id) {
    return runIndex(known.knows(id) ? known.birth(id) : runId);
  }

  private int runIndex(String run) {
    return runs.computeIfAbsent(run, r -> runs.size());
  }
}
