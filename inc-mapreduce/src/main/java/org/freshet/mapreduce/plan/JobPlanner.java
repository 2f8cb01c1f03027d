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

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;
import org.freshet.hdfs.index.ChunkIndexer;
import org.freshet.hdfs.index.ChunkSizes;
import org.freshet.mapreduce.FallbackException;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.FreshetKeys;
import org.freshet.mapreduce.map.Batch;
import org.freshet.mapreduce.map.BatchSplit;
import org.freshet.mapreduce.map.OldBatchSplit;
import org.freshet.mapreduce.map.SplitKinds;
import org.freshet.mapreduce.report.JobReport;
import org.freshet.mapreduce.report.ReportStore;
import org.freshet.mapreduce.submit.Fallback;
import org.freshet.mapreduce.submit.JobClasses;
import org.freshet.mapreduce.submit.JobRewrite;
import org.freshet.mapreduce.submit.PreparedJob;
import org.freshet.memo.CounterSet;
import org.freshet.memo.LineageStore;
import org.freshet.memo.Manifest;
import org.freshet.memo.MemoStore;
import org.freshet.slider.ContentGroupedTree;
import org.freshet.slider.Digest;
import org.freshet.slider.Grouping;
import org.freshet.slider.TreeShape;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans a delta job when stock JobSubmitter asks for splits: chunks the input, compares it with the
 * lineage's last manifest, writes the plan into the run's private directory, and returns batches of
 * what must be mapped. A job that can't be planned gets its original splits and settings back.
 */
public final class JobPlanner {
  private static final Logger LOG = LoggerFactory.getLogger(JobPlanner.class);

  /** Longer than any job is expected to run. */
  private static final Duration LEASE = Duration.ofDays(7);

  /** A map task gets at least this much, where stock would start one for every small file. */
  private static final long SMALLEST_BATCH = 16L << 20;

  private static final String UNCHANGED = "freshet.internal.unchanged";

  private final JobConf conf;
  private final JobConf userView;
  private final PreparedJob prepared;
  private final LineageStore lineage;
  private final String runId;
  private final ReportStore reports;
  private final long started = System.nanoTime();

  private JobPlanner(JobConf conf, PreparedJob prepared, MemoStore store) {
    this.conf = conf;
    this.prepared = prepared;
    userView = JobRewrite.userView(conf);
    lineage = store.lineage(prepared.lineage().id());
    runId = lineage.newRunId();
    reports = new ReportStore(store.fileSystem(), store.root());
  }

  /** Splits of a new-API job. */
  @SuppressWarnings("unchecked")
  public static List<?> planNewApi(JobContext job) throws IOException, InterruptedException {
    JobConf conf = (JobConf) job.getConfiguration();
    return plan(conf, job.getCredentials(), JobRewrite.newInputFormat(conf).getSplits(job));
  }

  /** Splits of an old-API job. */
  public static InputSplit[] planOldApi(JobConf conf, int wantedSplits) throws IOException {
    InputSplit[] splits = JobRewrite.oldInputFormat(conf).getSplits(conf, wantedSplits);
    try {
      return plan(conf, conf.getCredentials(), List.of(splits)).toArray(new InputSplit[0]);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while planning the job", e);
    }
  }

  /** Whether a plan found nothing to do at all. */
  public static boolean unchanged(JobConf conf) {
    return conf.getBoolean(UNCHANGED, false);
  }

  private static List<?> plan(JobConf conf, Credentials credentials, List<?> splits)
      throws IOException, InterruptedException {
    PreparedJob connected = PreparedJob.of(conf);
    try {
      List<String> overridden = JobRewrite.overridden(conf);
      if (!overridden.isEmpty()) {
        throw new FallbackException(
            FallbackReason.LINEAGE_UNKNOWN,
            "the job set " + String.join(", ", overridden) + " while it was being submitted");
      }
      PreparedJob prepared = connected.asOf(JobRewrite.userView(conf));
      MemoStore store = openStore(conf, credentials);
      JobPlanner planner = new JobPlanner(conf, prepared, store);
      boolean done = false;
      try {
        List<?> planned = planner.plan(splits);
        done = true;
        return planned;
      } finally {
        if (!done) {
          planner.discard();
        }
      }
    } catch (FallbackException e) {
      RunPlaces.unset(conf);
      Fallback.apply(conf, e);
      return splits;
    }
  }

  private static MemoStore openStore(JobConf conf, Credentials credentials)
      throws FallbackException {
    try {
      Path root = FreshetKeys.store(conf);
      TokenCache.obtainTokensForNamenodes(credentials, new Path[] {root}, conf);
      return MemoStore.open(conf, root);
    } catch (IOException | RuntimeException e) {
      throw new FallbackException(FallbackReason.STORE_UNUSABLE, e.toString(), e);
    }
  }

  private void discard() {
    try {
      lineage.discard(runId);
    } catch (IOException e) {
      LOG.debug("run {} of a plan that failed could not be removed: {}", runId, e.toString());
    }
  }

  private List<?> plan(List<?> splits) throws FallbackException, InterruptedException {
    KnownRuns known;
    try {
      lineage.describe(prepared.lineage().text());
      known = KnownRuns.of(lineage, lineage.leaseLatest(runId, LEASE));
    } catch (IOException | RuntimeException e) {
      throw new FallbackException(FallbackReason.STORE_UNUSABLE, e.toString(), e);
    }

    JobClasses classes = prepared.classes();
    ChunkIndexer indexer = indexer();
    InputScan scan =
        new InputScan(
            userView,
            classes.get(JobClasses.INPUT_FORMAT),
            classes.newMapApi(),
            prepared.naming(),
            indexer);
    scan.scan(splits);

    List<Leaf> leaves = scan.leaves();
    List<Digest> ids = leaves.stream().map(Leaf::id).toList();
    boolean combines = classes.get(JobClasses.COMBINER) != null;
    int fanIn = FreshetKeys.TREE_FAN_IN.getInt(conf, 2, 1024);
    TreeShape tree =
        combines
            ? ContentGroupedTree.shape(ids, new Grouping(fanIn, 4 * fanIn))
            : ContentGroupedTree.flat(ids);
    Delta delta = new DeltaPlanner(leaves, tree, known::knows, batchBytes(splits)).plan();

    Optional<Manifest> previous = known.previous();
    boolean comparable =
        previous.isPresent() && previous.get().partitions().size() == conf.getNumReduceTasks();
    boolean unchanged =
        comparable
            && prepared.reduceHazard().isEmpty()
            && delta.fresh().isEmpty()
            && previous.get().outputDir() != null
            && DeltaPlanner.sameLeaves(leafIds(previous.get()), leaves);
    CounterSet counted = counted(delta, leaves, previous, indexer);
    CounterSet restored = restored(leaves, delta, previous);
    try {
      write(scan, tree, delta, known, comparable ? previous : Optional.empty(), restored, counted);
      report(delta, scan, previous, unchanged, counted);
    } catch (IOException | RuntimeException e) {
      throw new FallbackException(FallbackReason.STORE_UNUSABLE, e.toString(), e);
    }
    RunPlaces.set(conf, lineage.dir(), runId);
    conf.setBoolean(UNCHANGED, unchanged);
    DeltaScheduling.apply(conf, delta);
    List<Object> batches = batches(scan, delta);
    LOG.info(
        "Freshet: {} of {} chunks to map in {} tasks, {} of {} bytes; planned in {} ms",
        delta.fresh().size(),
        leaves.size(),
        batches.size(),
        delta.mappedBytes(),
        delta.mappedBytes() + delta.reusedBytes(),
        (System.nanoTime() - started) / 1_000_000);
    return batches;
  }

  private ChunkIndexer indexer() {
    int threads = FreshetKeys.CHUNK_THREADS.getInt(conf, 0, 256);
    return new ChunkIndexer(
        conf,
        lineage.dir().getParent().getParent(),
        ChunkSizes.of(conf),
        threads == 0 ? Runtime.getRuntime().availableProcessors() : threads);
  }

  /** A stock map's share of the input, but not less than is worth a container. */
  private static long batchBytes(List<?> splits) {
    long bytes = 0;
    for (Object split : splits) {
      for (SplitKinds.Range range : SplitKinds.ranges(split)) {
        bytes += range.length();
      }
    }
    return Math.max(SMALLEST_BATCH, DeltaPlanner.evenShare(bytes, splits.size()));
  }

  private static List<Digest> leafIds(Manifest manifest) {
    return manifest.leaves().stream().map(Manifest.LeafEntry::id).toList();
  }

  private CounterSet counted(
      Delta delta, List<Leaf> leaves, Optional<Manifest> previous, ChunkIndexer indexer) {
    int removed =
        previous.map(manifest -> DeltaPlanner.removed(leafIds(manifest), leaves)).orElse(0);
    return CounterSet.builder()
        .add(FreshetCounters.GROUP, FreshetCounters.CHUNKS_TOTAL, leaves.size())
        .add(FreshetCounters.GROUP, FreshetCounters.CHUNKS_KEPT, delta.keptLeaves())
        .add(FreshetCounters.GROUP, FreshetCounters.CHUNKS_ADDED, delta.fresh().size())
        .add(FreshetCounters.GROUP, FreshetCounters.CHUNKS_REMOVED, removed)
        .add(FreshetCounters.GROUP, FreshetCounters.BYTES_MAPPED, delta.mappedBytes())
        .add(FreshetCounters.GROUP, FreshetCounters.BYTES_REUSED, delta.reusedBytes())
        .add(FreshetCounters.GROUP, FreshetCounters.BYTES_DIGESTED, indexer.stats().bytesRead())
        .build();
  }

  /** The counters that maps of kept leaves would have added; fresh leaves count themselves once. */
  private static CounterSet restored(List<Leaf> leaves, Delta delta, Optional<Manifest> previous) {
    if (previous.isEmpty()) {
      return CounterSet.EMPTY;
    }
    Map<Digest, CounterSet> counters = previous.get().leafCounters();
    java.util.Set<Digest> fresh = new java.util.HashSet<>(delta.fresh());
    CounterSet.Builder sum = CounterSet.builder();
    for (Leaf leaf : leaves) {
      if (!fresh.contains(leaf.id())) {
        sum.add(counters.getOrDefault(leaf.id(), CounterSet.EMPTY));
      }
    }
    return sum.build();
  }

  /** How often beyond once each fresh leaf occurs. */
  private static Map<Digest, Integer> repeats(List<Leaf> leaves, Delta delta) {
    java.util.Set<Digest> fresh = new java.util.HashSet<>(delta.fresh());
    Map<Digest, Integer> occurrences = new HashMap<>();
    for (Leaf leaf : leaves) {
      if (fresh.contains(leaf.id())) {
        occurrences.merge(leaf.id(), 1, Integer::sum);
      }
    }
    Map<Digest, Integer> repeats = new LinkedHashMap<>();
    occurrences.forEach(
        (id, count) -> {
          if (count > 1) {
            repeats.put(id, count - 1);
          }
        });
    return repeats;
  }

  private void write(
      InputScan scan,
      TreeShape tree,
      Delta delta,
      KnownRuns known,
      Optional<Manifest> comparable,
      CounterSet restored,
      CounterSet counted)
      throws IOException {
    Path runDir = lineage.runDir(runId);
    FileSystem fs = lineage.fileSystem();
    fs.mkdirs(runDir);
    new ReducePlan(
            ReducePlan.nodes(delta.reduceNodes()),
            delta.rootChildren(),
            comparable.map(Manifest::partitions).orElse(List.of()),
            comparable.map(Manifest::outputDir).orElse(""),
            prepared.reduceHazard().isEmpty(),
            restored,
            counted,
            repeats(scan.leaves(), delta),
            known.liveRuns())
        .write(fs, RunPlaces.reducePlan(runDir));
    SplitTable.write(fs, RunPlaces.splitTable(runDir), scan.leaves());
    try (var out = fs.create(RunPlaces.draft(runDir), true)) {
      new ManifestDraft(runId, scan, tree, delta, known)
          .build(
              jobId(),
              conf.getJobName(),
              outputDir(),
              FreshetKeys.TREE_FAN_IN.getInt(conf, 2, 1024))
          .write(out);
    }
  }

  private String jobId() {
    return new Path(conf.get(MRJobConfig.MAPREDUCE_JOB_DIR, "unknown")).getName();
  }

  private String outputDir() throws IOException {
    String output = conf.get("mapreduce.output.fileoutputformat.outputdir");
    if (output == null) {
      return null;
    }
    Path path = new Path(output);
    return path.getFileSystem(conf).makeQualified(path).toString();
  }

  private void report(
      Delta delta,
      InputScan scan,
      Optional<Manifest> previous,
      boolean unchanged,
      CounterSet counted)
      throws IOException {
    reports.write(
        JobReport.planned(
            jobId(),
            conf.getJobName(),
            outputDir(),
            prepared,
            runId,
            previous.map(Manifest::runId).orElse(null),
            unchanged,
            FileChange.changes(previous, scan, delta),
            scan.whyWhole(),
            counted,
            (System.nanoTime() - started) / 1_000_000));
  }

  private List<Object> batches(InputScan scan, Delta delta) {
    List<Object> splits = new ArrayList<>();
    for (Delta.BatchPlan plan : delta.batches()) {
      Batch batch = new Batch();
      Map<Digest, Integer> members = new HashMap<>();
      Map<Integer, Integer> sources = new HashMap<>();
      Map<String, Long> bytesByHost = new HashMap<>();
      for (int position : plan.leaves()) {
        Leaf leaf = scan.leaves().get(position);
        int[] files = new int[leaf.sources().length];
        for (int i = 0; i < files.length; i++) {
          files[i] = source(batch, sources, scan, leaf.sources()[i]);
        }
        members.put(leaf.id(), batch.chunks().size());
        batch.chunks().add(new Batch.Chunk(leaf.id(), leaf.length(), leaf.split(), files));
        for (String host : leaf.hosts()) {
          bytesByHost.merge(host, leaf.length(), Long::sum);
        }
      }
      for (Delta.NodePlan node : plan.nodes()) {
        int[] children = node.children().stream().mapToInt(members::get).toArray();
        members.put(node.id(), batch.chunks().size() + batch.nodes().size());
        batch.nodes().add(children);
        batch.nodeIds().add(node.id());
      }
      plan.shared().forEach(id -> batch.shared().add(members.get(id)));
      Path first = new Path(batch.files().get(0).path());
      String[] hosts = mostLocal(bytesByHost);
      splits.add(
          prepared.classes().newMapApi()
              ? new BatchSplit(batch, first, hosts)
              : new OldBatchSplit(batch, first, hosts));
    }
    return splits;
  }

  private static int source(Batch batch, Map<Integer, Integer> sources, InputScan scan, int file) {
    return sources.computeIfAbsent(
        file,
        f -> {
          Manifest.FileEntry entry = scan.files().get(f);
          batch.files().add(new Batch.Source(entry.path(), entry.version()));
          return batch.files().size() - 1;
        });
  }

  private static String[] mostLocal(Map<String, Long> bytesByHost) {
    return bytesByHost.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())))
        .limit(3)
        .map(Map.Entry::getKey)
        .toArray(String[]::new);
  }
}
