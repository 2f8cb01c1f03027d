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
package org.freshet.mapreduce.commit;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.mapreduce.FreshetKeys;
import org.freshet.mapreduce.plan.KnownRuns;
import org.freshet.mapreduce.plan.RunPlaces;
import org.freshet.mapreduce.reduce.PartitionRecord;
import org.freshet.mapreduce.submit.CacheFileWatch;
import org.freshet.memo.CounterSet;
import org.freshet.memo.LineageStore;
import org.freshet.memo.Manifest;
import org.freshet.memo.Manifest.RunEntry;
import org.freshet.memo.MemoStore;
import org.freshet.memo.PartitionFile;
import org.freshet.memo.RetentionPolicy;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes what a run left visible, when its job has committed: completes the manifest, publishes it
 * by one rename, and collects what no kept manifest needs. Problems are logged and leave the run
 * unpublished; they never fail a job whose output is committed.
 */
public final class RunPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(RunPublisher.class);

  private final Configuration conf;
  private final LineageStore lineage;
  private final String runId;

  /** Finds the run in a delta job's configuration. */
  public RunPublisher(Configuration conf) throws IOException {
    this.conf = conf;
    Path lineageDir = RunPlaces.lineageDir(conf);
    MemoStore store = MemoStore.open(conf, lineageDir.getParent().getParent().getParent());
    lineage = store.lineage(Digest.fromHex(lineageDir.getName()));
    runId = RunPlaces.runId(conf);
  }

  /**
   * Publishes the run of a job that has committed; does nothing for a job that was not planned.
   *
   * @param conf the job's configuration as it was submitted
   */
  public static void committed(Configuration conf) {
    if (RunPlaces.planned(conf)) {
      try {
        new RunPublisher(conf).publish();
      } catch (IOException | RuntimeException e) {
        LOG.warn("Run {} is not memoized: {}", RunPlaces.runId(conf), e.toString());
      }
    }
  }

  /**
   * Removes what the tasks of a job have written. The plan and its lease stay, and are collected
   * when they have grown old: an application master that takes over from one that died aborts its
   * predecessor's work, and then runs the same job by the same plan (stock {@code
   * MRAppMaster.cleanUpPreviousJobOutput}). A published run stays whole: stock application masters
   * abort once more when they shut down, whatever became of the job.
   */
  public static void aborted(Configuration conf) {
    if (RunPlaces.planned(conf)) {
      try {
        new RunPublisher(conf).removeWorkOfTasks();
      } catch (IOException | RuntimeException e) {
        LOG.warn("Run {} could not be cleared: {}", RunPlaces.runId(conf), e.toString());
      }
    }
  }

  /** Removes the whole run of a job that will never start. */
  public static void abandoned(Configuration conf) {
    if (RunPlaces.planned(conf)) {
      try {
        new RunPublisher(conf).discard();
      } catch (IOException | RuntimeException e) {
        LOG.warn("Run {} could not be removed: {}", RunPlaces.runId(conf), e.toString());
      }
    }
  }

  private void removeWorkOfTasks() throws IOException {
    if (lineage.isPublished(runId)) {
      return;
    }
    Path runDir = lineage.runDir(runId);
    Set<String> kept =
        Stream.of(
                RunPlaces.draft(runDir), RunPlaces.reducePlan(runDir), RunPlaces.splitTable(runDir))
            .map(Path::getName)
            .collect(Collectors.toSet());
    for (FileStatus file : lineage.fileSystem().listStatus(runDir)) {
      if (!kept.contains(file.getPath().getName())) {
        lineage.fileSystem().delete(file.getPath(), true);
      }
    }
  }

  private void publish() {
    try {
      Map<Integer, String> names = partitionFiles();
      int partitions = new JobConf(conf).getNumReduceTasks();
      if (names.size() < partitions) {
        LOG.warn(
            "Run {} is not memoized: only {} of its {} partitions were stored",
            runId,
            names.size(),
            partitions);
        discard();
        return;
      }
      Optional<String> changed = CacheFileWatch.sharedFileChanged(conf);
      if (changed.isPresent()) {
        LOG.warn(
            "Run {} is not memoized: the job's file {} changed while the job ran",
            runId,
            changed.get());
        discard();
        return;
      }
      List<String> ordered = new ArrayList<>();
      for (int p = 0; p < partitions; p++) {
        ordered.add(names.get(p));
      }
      lineage.publish(complete(draft(), ordered, true));
      lineage.release(runId);
      collect();
    } catch (IOException | RuntimeException e) {
      LOG.warn("Run {} could not be published and is not memoized: {}", runId, e.toString());
      discardUnlessPublished();
    }
  }

  /**
   * Publishes a run that did nothing: its partitions and results are the previous run's. Nodes that
   * it planned were not made: chunks in another order have another tree.
   *
   * @param partitions the previous run's index files
   */
  public void publishUnchanged(List<String> partitions) {
    try {
      lineage.publish(complete(draft(), partitions, false));
      lineage.release(runId);
      collect();
    } catch (IOException | RuntimeException e) {
      LOG.warn("Run {} could not be published: {}", runId, e.toString());
      discardUnlessPublished();
    }
  }

  private void discard() {
    try {
      lineage.discard(runId);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Run {} could not be removed from the store: {}", runId, e.toString());
    }
  }

  /** Nothing would give its lease back, which also keeps the runs that it was planned with. */
  private void discardUnlessPublished() {
    try {
      if (lineage.isPublished(runId)) {
        lineage.release(runId);
      } else {
        lineage.discard(runId);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Run {} could not be removed from the store: {}", runId, e.toString());
    }
  }

  private void collect() {
    try {
      lineage.collect(
          RetentionPolicy.DEFAULT.withManifests(FreshetKeys.RETAIN_RUNS.getInt(conf, 1, 1000)),
          Instant.now());
    } catch (IOException | RuntimeException e) {
      LOG.warn("The memo store could not be collected: {}", e.toString());
    }
  }

  private Manifest draft() throws IOException {
    try (InputStream in = lineage.fileSystem().open(RunPlaces.draft(lineage.runDir(runId)))) {
      return Manifest.read(in);
    }
  }

  /**
   * One index file for each partition; of several attempts any will do that wrote it to its end,
   * their content is checked.
   */
  private Map<Integer, String> partitionFiles() throws IOException {
    Map<Integer, List<String>> attempts = new HashMap<>();
    for (FileStatus file : lineage.fileSystem().listStatus(lineage.runDir(runId))) {
      String name = file.getPath().getName();
      if (name.startsWith("p-") && name.endsWith(".idx")) {
        int partition = Integer.parseInt(name.substring(2, name.indexOf('-', 2)));
        attempts
            .computeIfAbsent(partition, p -> new ArrayList<>())
            .add("runs/" + runId + "/" + name);
      }
    }
    Map<Integer, String> names = new HashMap<>();
    attempts.forEach((partition, files) -> names.put(partition, whole(files)));
    return names;
  }

  /** The first that can be read: one of an attempt that died may end anywhere. */
  private String whole(List<String> files) {
    for (String name : files.size() == 1 ? List.<String>of() : files) {
      Path path = new Path(lineage.dir(), name);
      try (PartitionFile file = PartitionFile.open(lineage.fileSystem(), path)) {
        PartitionRecord.of(file.record());
        return name;
      } catch (IOException | RuntimeException e) {
        LOG.info("{} is of an attempt that did not finish: {}", path, e.toString());
      }
    }
    return files.get(0);
  }

  private Manifest complete(Manifest draft, List<String> partitions, boolean nodesMade)
      throws IOException {
    FileSystem fs = lineage.fileSystem();
    Set<String> pins = new LinkedHashSet<>();
    Set<String> used = new LinkedHashSet<>();
    Map<Digest, CounterSet> leafCounters = new LinkedHashMap<>(draft.leafCounters());
    Set<Digest> leaves = new HashSet<>();
    draft.leaves().forEach(leaf -> leaves.add(leaf.id()));
    for (String name : partitions) {
      used.add(runOf(name));
      try (PartitionFile file = PartitionFile.open(fs, new Path(lineage.dir(), name))) {
        PartitionRecord record = PartitionRecord.of(file.record());
        record.chain().forEach(link -> used.add(runOf(link)));
        if (runOf(name).equals(runId)) {
          pins.addAll(record.pins());
        }
        record
            .leafCounters()
            .forEach(
                (leaf, counters) -> {
                  if (leaves.contains(leaf) && !counters.isEmpty()) {
                    leafCounters.putIfAbsent(leaf, counters);
                  }
                });
      }
    }
    List<RunEntry> runs = draft.runs();
    draft.leaves().forEach(leaf -> used.add(runs.get(leaf.run()).runId()));
    draft.nodes().forEach(node -> used.add(runs.get(node.run()).runId()));
    used.add(runId);
    pins.remove(runId);
    List<Manifest.NodeEntry> nodes =
        draft.nodes().stream()
            .filter(node -> nodesMade || !runs.get(node.run()).runId().equals(runId))
            .toList();
    return rebuild(draft, nodes, partitions, leafCounters, withPins(runs, used, pins));
  }

  /** The job runs a manifest must keep: those used, and those that their entries point into. */
  private Map<String, List<String>> withPins(
      List<RunEntry> runs, Set<String> used, Set<String> ownPins) {
    Map<String, List<String>> pins = new HashMap<>();
    runs.forEach(run -> pins.put(run.runId(), run.pins()));
    pins.put(runId, List.copyOf(ownPins));
    Map<String, List<String>> kept = new LinkedHashMap<>();
    List<String> open = new ArrayList<>(used);
    while (!open.isEmpty()) {
      String run = open.remove(open.size() - 1);
      if (!kept.containsKey(run)) {
        List<String> pinned = pins.getOrDefault(run, List.of());
        kept.put(run, pinned);
        open.addAll(pinned);
      }
    }
    return kept;
  }

  private Manifest rebuild(
      Manifest draft,
      List<Manifest.NodeEntry> nodes,
      List<String> partitions,
      Map<Digest, CounterSet> leafCounters,
      Map<String, List<String>> kept)
      throws IOException {
    Map<String, Integer> index = new HashMap<>();
    Manifest.Builder manifest =
        Manifest.builder(runId)
            .jobId(draft.jobId())
            .jobName(draft.jobName())
            .createdMillis(System.currentTimeMillis())
            .treeParameters(draft.treeParameters())
            .addFiles(draft.files())
            .addPartitions(partitions)
            .leafCounters(leafCounters);
    if (draft.outputDir() != null) {
      manifest.outputDir(draft.outputDir());
    }
    for (Map.Entry<String, List<String>> run : kept.entrySet()) {
      index.put(run.getKey(), index.size());
      manifest.addRun(new RunEntry(run.getKey(), run.getValue()));
      String property = KnownRuns.inventoryProperty(run.getKey());
      String inventory =
          run.getKey().equals(runId)
              ? KnownRuns.inventory(lineage.fileSystem(), lineage.runDir(runId)).text()
              : draft.properties().get(property);
      if (inventory != null) {
        manifest.property(property, inventory);
      }
    }
    for (Manifest.LeafEntry leaf : draft.leaves()) {
      int run = index.get(draft.runs().get(leaf.run()).runId());
      manifest.addLeaf(
          new Manifest.LeafEntry(leaf.id(), leaf.file(), leaf.offset(), leaf.length(), run));
    }
    for (Manifest.NodeEntry node : nodes) {
      int run = index.get(draft.runs().get(node.run()).runId());
      manifest.addNode(new Manifest.NodeEntry(node.id(), run));
    }
    draft
        .properties()
        .forEach(
            (name, value) -> {
              if (!name.startsWith(KnownRuns.inventoryProperty(""))) {
                manifest.property(name, value);
              }
            });
    return manifest.build();
  }

  private static String runOf(String name) {
    return new Path(name).getParent().getName();
  }
}
