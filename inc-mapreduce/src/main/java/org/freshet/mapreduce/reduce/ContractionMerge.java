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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;
import org.apache.hadoop.mapreduce.task.reduce.MergeManager;
import org.apache.hadoop.util.Progress;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.FreshetKeys;
import org.freshet.mapreduce.map.LeafFiles;
import org.freshet.mapreduce.map.MapPack;
import org.freshet.mapreduce.plan.ReducePlan;
import org.freshet.mapreduce.plan.RunPlaces;
import org.freshet.mapreduce.run.ContentKeys;
import org.freshet.mapreduce.run.NodeCombiner;
import org.freshet.mapreduce.run.NodeFile;
import org.freshet.mapreduce.run.Run;
import org.freshet.mapreduce.run.RunRegion;
import org.freshet.mapreduce.run.TaskInternals;
import org.freshet.memo.CorruptStoreException;
import org.freshet.memo.CounterSet;
import org.freshet.memo.PartitionFile;
import org.freshet.memo.PartitionIndex;
import org.freshet.memo.RunRef;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The merge manager of the contraction phase, one for a reduce attempt.
 *
 * <p>While the shuffle runs it keeps each fetched run apart, in memory within the stock limits and
 * in files beyond them. When all maps are in, it walks the plan's nodes from the bottom: a node
 * whose content is memoized under other children is taken from the store (early cut-off); others
 * are combined with the job's own Combiner from fresh runs and verified memoized ones. Reduce then
 * merges the root's children. If their contents are those of the last run and its output is intact,
 * the output is copied and the user's reducer does not run at all.
 *
 * <p>Never holds more than buffers and small runs of a partition. A run that the store lost is made
 * again here. Whatever goes wrong with storing results costs the memo, not the job.
 */
final class ContractionMerge<K, V> implements MergeManager<K, V>, RegionOutput.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(ContractionMerge.class);

  /** Index files that a lookup may go through before they are merged into one. */
  private static final int MAX_CHAIN = 8;

  /** So much of a reducer's input may stay in memory whatever the job says. */
  private static final long SMALL_INPUT_BYTES = 4L << 20;

  private final ShuffleConsumerPlugin.Context<K, V> context;
  private final JobConf job;
  private final TaskAttemptID attempt;
  private final int partition;
  private final FileSystem local;
  private final LeafFiles files;
  private final long memoryLimit;
  private final long singleLimit;
  private long memoryUsed;
  private int regionFiles;
  private final List<RegionOutput<?, ?>> regions = new ArrayList<>();

  private final FileSystem store;
  private final Path lineageDir;

  private ReducePlan plan;
  private Optional<PartitionRecord> previous = Optional.empty();
  private StoredRuns stored;
  private NodeCombiner<K, V> combiner;
  private NodeFile<K, V> nodeFile;
  private LostRuns lost;
  private final Map<Digest, Run> localRuns = new HashMap<>();
  private final Map<Digest, RunRef> storedRuns = new HashMap<>();
  private final Map<Digest, Made> made = new LinkedHashMap<>();
  private final List<PartitionFile.Entry> aliases = new ArrayList<>();
  private final Set<String> pins = new LinkedHashSet<>();
  private Digest reduceKey;
  private boolean complete = true;
  private boolean outputReused;
  private Optional<ReduceOutput> output = Optional.empty();
  private Counters beforeReduce;
  private int combined;
  private int reused;
  private int cutOff;
  private int recomputed;

  /** A run made in this attempt, to be stored under its id and its content key. */
  private record Made(Run run, Digest key) {}

  ContractionMerge(ShuffleConsumerPlugin.Context<K, V> context) throws IOException {
    this.context = context;
    job = context.getJobConf();
    attempt = context.getReduceId();
    partition = attempt.getTaskID().getId();
    local = ((LocalFileSystem) context.getLocalFS()).getRaw();
    files = new LeafFiles(job, "freshet/" + attempt);
    float share =
        job.getFloat(
            MRJobConfig.SHUFFLE_INPUT_BUFFER_PERCENT,
            MRJobConfig.DEFAULT_SHUFFLE_INPUT_BUFFER_PERCENT);
    memoryLimit =
        (long)
            (job.getLong(MRJobConfig.REDUCE_MEMORY_TOTAL_BYTES, Runtime.getRuntime().maxMemory())
                * share);
    singleLimit =
        (long)
            Math.min(
                Integer.MAX_VALUE - 64,
                memoryLimit * job.getFloat(MRJobConfig.SHUFFLE_MEMORY_LIMIT_PERCENT, 0.25f));
    lineageDir = RunPlaces.lineageDir(job);
    store = lineageDir.getFileSystem(job);
  }

  /** Nobody has to wait: what does not fit in memory goes to a file at once. */
  @Override
  public void waitForResource() {}

  @Override
  public synchronized MapOutput<K, V> reserve(TaskAttemptID map, long size, int fetcher)
      throws IOException {
    if (size > singleLimit || memoryUsed + size > memoryLimit) {
      Path file = files.scratch("region" + regionFiles++ + "-" + map);
      return new RegionOutput<>(this, job, map, size, local, file);
    }
    memoryUsed += size;
    return new RegionOutput<>(this, job, map, size, local, null);
  }

  @Override
  public synchronized void committed(RegionOutput<?, ?> region) {
    regions.add(region);
  }

  @Override
  public synchronized void aborted(RegionOutput<?, ?> region) {
    if (region.inMemory()) {
      memoryUsed -= region.getSize();
    }
  }

  boolean outputReused() {
    return outputReused;
  }

  @Override
  public RawKeyValueIterator close() throws Throwable {
    prepare();
    for (ReducePlan.Node node : plan.nodes()) {
      contract(node);
      context.getReporter().progress();
    }
    List<Digest> contents = new ArrayList<>();
    for (Digest child : plan.rootChildren()) {
      contents.add(content(child));
    }
    reduceKey = ContentKeys.reduce(contents);
    output = ReduceOutput.of(job, attempt);
    outputReused = reuseOutput();
    int fetched = localRuns.size();
    List<Run> inputs = outputReused ? List.of() : reduceInputs();
    // From here on the memory is the reducer's.
    localRuns.clear();
    regions.forEach(region -> region.runs().clear());
    RawKeyValueIterator input = outputReused ? new NoRecords() : combiner.merge(inputs);
    count();
    beforeReduce =
        TaskInternals.counters(context.getReduceTask()).map(ContractionMerge::copy).orElse(null);
    LOG.info(
        "{}: {} runs fetched, {} nodes combined, {} memoized runs read, {} cut off, {} made again,"
            + " output {}",
        attempt,
        fetched,
        combined,
        reused,
        cutOff,
        recomputed,
        outputReused ? "reused" : "reduced");
    return input;
  }

  /**
   * The runs that the reducer reads: in memory as far as stock would keep them there while it runs
   * ({@code mapreduce.reduce.input.buffer.percent}), or where they are next to nothing.
   */
  private List<Run> reduceInputs()
      throws IOException, InterruptedException, ClassNotFoundException {
    long left =
        Math.max(
            Math.min(memoryLimit / 16, SMALL_INPUT_BYTES),
            (long)
                (job.getLong(
                        MRJobConfig.REDUCE_MEMORY_TOTAL_BYTES, Runtime.getRuntime().maxMemory())
                    * job.getFloat(MRJobConfig.REDUCE_INPUT_BUFFER_PERCENT, 0f)));
    List<Run> inputs = new ArrayList<>();
    for (Digest child : plan.rootChildren()) {
      Run run = open(child);
      if (run instanceof Run.InMemory && run.storedLength() > left) {
        Run onDisk = nodeFile.copy(run);
        stored.release(run);
        localRuns.computeIfPresent(child, (id, inMemory) -> onDisk);
        made.computeIfPresent(child, (id, kept) -> new Made(onDisk, kept.key()));
        inputs.add(onDisk);
      } else {
        left -= run instanceof Run.InMemory ? run.storedLength() : 0;
        inputs.add(run);
      }
    }
    // What was made below the root is read once more, when it is stored.
    for (Map.Entry<Digest, Made> entry : made.entrySet()) {
      Run run = entry.getValue().run();
      if (run instanceof Run.InMemory && inputs.stream().noneMatch(input -> input == run)) {
        entry.setValue(new Made(nodeFile.copy(run), entry.getValue().key()));
      }
    }
    return inputs;
  }

  private void prepare() throws IOException, ClassNotFoundException {
    plan = ReducePlan.read(store, RunPlaces.reducePlan(RunPlaces.runDir(job)));
    List<String> chain = List.of();
    boolean strict = mayFail(attempt, job);
    if (partition < plan.previousPartitions().size()) {
      String name = plan.previousPartitions().get(partition);
      try (PartitionFile file = PartitionFile.open(store, new Path(lineageDir, name))) {
        PartitionRecord record = PartitionRecord.of(file.record());
        previous = Optional.of(record);
        chain = record.chain();
      } catch (CorruptStoreException e) {
        LOG.warn("The last run's index {} can't be read: {}", name, e.toString());
      } catch (IOException e) {
        if (strict) {
          throw e;
        }
        LOG.warn("The last run's index {} can't be read: {}", name, e.toString());
      }
    }
    stored =
        new StoredRuns(
            store,
            lineageDir,
            strict
                ? PartitionIndex.openStrictly(store, lineageDir, chain)
                : PartitionIndex.open(store, lineageDir, chain),
            Math.max(0, memoryLimit - memoryUsed),
            context.getReporter());
    combiner =
        new NodeCombiner<>(
            job,
            org.apache.hadoop.mapred.TaskAttemptID.downgrade(attempt),
            context.getCodec(),
            local,
            context.getReporter(),
            context.getReduceCombineInputCounter());
    nodeFile = new NodeFile<>(job, context.getCodec(), local, files.scratch("nodes"));
    lost =
        new LostRuns(
            job, new LeafRemapper(job, context.getReduceTask(), context.getReporter(), local));
    for (RegionOutput<?, ?> region : regions) {
      localRuns.putAll(region.runs());
      if (region.region().pack().isEmpty() || region.region().tainted()) {
        complete = false;
      }
    }
  }

  /**
   * Whether another attempt can be asked for where this one can't read the store's indexes. Doing
   * without them is right, too, but maps all of the input again here. Half of the attempts are left
   * for what stock ones fail of; a local job has only one.
   */
  static boolean mayFail(TaskAttemptID attempt, JobConf job) {
    // Those after a restart of the application master are numbered from the next thousand on.
    int number = attempt.getId() % 1000;
    return !attempt.getJobID().getJtIdentifier().startsWith("local")
        && number < job.getMaxReduceAttempts() / 2;
  }

  /** Makes one node, or finds its content memoized. */
  private void contract(ReducePlan.Node node)
      throws IOException, InterruptedException, ClassNotFoundException {
    List<Digest> contents = new ArrayList<>(node.children().size());
    for (Digest child : node.children()) {
      contents.add(content(child));
    }
    Digest key = ContentKeys.node(contents);
    Optional<RunRef> same = stored.find(key).filter(this::live);
    if (same.isPresent()) {
      storedRuns.put(node.id(), same.get());
      aliases.add(new PartitionFile.Entry(node.id(), same.get()));
      pins.add(StoredRuns.runOf(same.get()));
      cutOff++;
      return;
    }
    combine(node.id(), node.children(), key);
    combined++;
  }

  /** Whether a memoized run belongs to a job run that this run's manifest keeps. */
  private boolean live(RunRef ref) {
    return plan.liveRuns().contains(StoredRuns.runOf(ref));
  }

  private void combine(Digest id, List<Digest> children, Digest key)
      throws IOException, InterruptedException, ClassNotFoundException {
    List<Run> inputs = new ArrayList<>(children.size());
    for (Digest child : children) {
      inputs.add(open(child));
    }
    Run run = combiner.combine(inputs, nodeFile);
    for (Run input : inputs) {
      if (input != run) {
        stored.release(input);
      }
    }
    localRuns.put(id, run);
    made.put(id, new Made(run, key));
  }

  /** The content of a run, without reading it where the store knows it. */
  private Digest content(Digest id)
      throws IOException, InterruptedException, ClassNotFoundException {
    Run run = localRuns.get(id);
    if (run != null) {
      return run.content();
    }
    Optional<RunRef> ref = lookup(id);
    return ref.isPresent() ? ref.get().content() : recompute(id).content();
  }

  private Optional<RunRef> lookup(Digest id) {
    RunRef known = storedRuns.get(id);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<RunRef> found = stored.find(id);
    found.ifPresent(ref -> storedRuns.put(id, ref));
    return found;
  }

  private Run open(Digest id) throws IOException, InterruptedException, ClassNotFoundException {
    Run run = localRuns.get(id);
    if (run != null) {
      return run;
    }
    Optional<RunRef> ref = lookup(id);
    if (ref.isPresent()) {
      Optional<Run> opened = stored.open(ref.get());
      if (opened.isPresent()) {
        reused++;
        return opened.get();
      }
    }
    Run again = recompute(id);
    if (ref.isPresent() && !ref.get().content().equals(again.content())) {
      // Names that were made from the old content are now wrong: the job is right, its memo is not.
      LOG.warn(
          "Run {} came out different when it was made again; this run is not memoized. A mapper or"
              + " Combiner of the job is not deterministic.",
          id);
      complete = false;
    }
    return again;
  }

  /** Makes a run again that the store lost. */
  private Run recompute(Digest id)
      throws IOException, InterruptedException, ClassNotFoundException {
    recomputed++;
    storedRuns.remove(id);
    List<Digest> children = lost.children(id);
    if (children == null) {
      Run run = lost.remap(id, partition);
      context.getReporter().progress();
      localRuns.put(id, run);
      made.put(id, new Made(run, id));
      return run;
    }
    List<Digest> contents = new ArrayList<>(children.size());
    for (Digest child : children) {
      contents.add(content(child));
    }
    combine(id, children, ContentKeys.node(contents));
    context.getReporter().progress();
    return localRuns.get(id);
  }

  private boolean reuseOutput() throws IOException {
    if (!plan.reuseOutputs()
        || previous.isEmpty()
        || output.isEmpty()
        || previous.get().output() == null
        || !previous.get().reduceKey().equals(reduceKey)) {
      return false;
    }
    return output
        .get()
        .fetch(
            previous.get().output(),
            plan.previousOutput(),
            store,
            lineageDir,
            job,
            context.getReporter());
  }

  private void count() {
    Reporter reporter = context.getReporter();
    add(FreshetCounters.NODES_COMBINED, combined);
    add(FreshetCounters.NODES_REUSED, reused);
    add(FreshetCounters.NODES_CUT_OFF, cutOff);
    add(FreshetCounters.RUNS_RECOMPUTED, recomputed);
    add(FreshetCounters.REDUCES_REUSED, outputReused ? 1 : 0);
    if (partition == 0) {
      // One task speaks for the maps that did not run; a failed attempt's counters are dropped.
      plan.counted().forEach(reporter::incrCounter);
      plan.restored().forEach(reporter::incrCounter);
      for (RegionOutput<?, ?> region : regions) {
        region
            .region()
            .counters()
            .forEach(
                (leaf, counters) -> {
                  int more = plan.repeats().getOrDefault(leaf, 0);
                  if (more > 0) {
                    counters.times(more).forEach(reporter::incrCounter);
                  }
                });
      }
    }
    if (outputReused) {
      previous.get().reduceCounters().forEach(reporter::incrCounter);
    }
  }

  private void add(String name, long value) {
    if (value != 0) {
      context.getReporter().incrCounter(FreshetCounters.GROUP, name, value);
    }
  }

  private static Counters copy(Counters counters) {
    Counters copy = new Counters();
    copy.incrAllCounters(counters);
    return copy;
  }

  /**
   * Called when the user's reducer has succeeded: puts reused output in place, and stores what this
   * attempt made. Only the first can fail the attempt.
   */
  void finish() throws IOException {
    if (outputReused) {
      output.get().replace();
    }
    try {
      store();
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} could not be memoized: {}", attempt, e.toString());
      add(FreshetCounters.STORE_WRITE_FAILURES, 1);
    } finally {
      stored.close();
      nodeFile.delete();
      files.removeAll();
    }
  }

  private void store() throws IOException {
    List<PartitionFile.Entry> entries = new ArrayList<>();
    CounterSet reduceCounters = CounterSet.EMPTY;
    List<PartitionRecord.OutputFile> written = null;
    try (MapPack pack = MapPack.create(job, attempt.toString(), context.getReporter())) {
      for (Map.Entry<Digest, Made> entry : made.entrySet()) {
        RunRef ref = pack.store(entry.getValue().run()).ref();
        if (ref == null) {
          throw new IOException("the store took no run of " + attempt);
        }
        entries.add(new PartitionFile.Entry(entry.getKey(), ref));
        if (!entry.getValue().key().equals(entry.getKey())) {
          entries.add(new PartitionFile.Entry(entry.getValue().key(), ref));
        }
      }
      if (outputReused) {
        written = previous.get().output();
        reduceCounters = previous.get().reduceCounters();
        keptRuns(written);
      } else if (output.isPresent() && beforeReduce != null) {
        long keep = FreshetKeys.KEEP_OUTPUT.getBytes(job, 0, 1L << 40);
        written =
            output
                .get()
                .describe(output.get().length() <= keep ? pack : null, context.getReporter());
        reduceCounters = reduceCounters();
      }
      if (pack.finish().isEmpty()) {
        throw new IOException("the store took no pack of " + attempt);
      }
    }
    Map<Digest, CounterSet> leafCounters = new LinkedHashMap<>();
    for (RegionOutput<?, ?> output : regions) {
      RunRegion region = output.region();
      for (List<RunRegion.Entry> list : List.of(region.leaves(), region.nodes())) {
        for (RunRegion.Entry entry : list) {
          RunRef ref =
              new RunRef(
                  entry.content(),
                  region.pack(),
                  entry.offset(),
                  entry.storedLength(),
                  entry.rawLength());
          entries.add(new PartitionFile.Entry(entry.id(), ref));
          if (!entry.key().equals(entry.id())) {
            entries.add(new PartitionFile.Entry(entry.key(), ref));
          }
        }
      }
      leafCounters.putAll(region.counters());
    }
    entries.addAll(aliases);
    String name = RunPlaces.partitionName(job, partition, attempt.toString());
    PartitionRecord record =
        new PartitionRecord(
            chain(name, entries),
            List.copyOf(pins),
            reduceKey,
            written,
            reduceCounters,
            leafCounters,
            complete,
            combined,
            reused,
            cutOff,
            recomputed,
            outputReused);
    if (complete) {
      PartitionFile.write(store, new Path(lineageDir, name), entries, record.toBytes());
    } else {
      LOG.warn("{} is not memoized: part of it could not be stored, or its input changed", attempt);
    }
  }

  /** Copies of output that the store keeps live in the packs of the runs that wrote them. */
  private void keptRuns(List<PartitionRecord.OutputFile> files) {
    for (PartitionRecord.OutputFile file : files) {
      if (file.kept() != null) {
        pins.add(StoredRuns.runOf(file.kept()));
      }
    }
  }

  /** This run's index chain; a long one is merged into this run's file. */
  private List<String> chain(String name, List<PartitionFile.Entry> entries) {
    List<String> chain = new ArrayList<>();
    chain.add(name);
    List<String> earlier = previous.map(PartitionRecord::chain).orElse(List.of());
    if (earlier.size() < MAX_CHAIN) {
      chain.addAll(earlier);
      return chain;
    }
    Set<Digest> known = new java.util.HashSet<>();
    entries.forEach(entry -> known.add(entry.id()));
    var all = stored.index().entries();
    while (all.hasNext()) {
      PartitionFile.Entry entry = all.next();
      if (live(entry.run()) && known.add(entry.id())) {
        entries.add(entry);
        pins.add(StoredRuns.runOf(entry.run()));
      }
    }
    return chain;
  }

  /** What the user's reducer and output format have counted. */
  private CounterSet reduceCounters() {
    CounterSet.Builder counters = CounterSet.builder();
    Optional<Counters> now = TaskInternals.counters(context.getReduceTask());
    if (now.isEmpty()) {
      return CounterSet.EMPTY;
    }
    for (Counters.Group group : now.get()) {
      for (Counters.Counter counter : group) {
        long delta =
            counter.getValue()
                - beforeReduce.findCounter(group.getName(), counter.getName()).getValue();
        if (delta != 0 && ofReduce(group.getName(), counter.getName())) {
          counters.add(group.getName(), counter.getName(), delta);
        }
      }
    }
    return counters.build();
  }

  private static boolean ofReduce(String group, String name) {
    if (group.equals(TaskCounter.class.getName())) {
      return name.equals(TaskCounter.REDUCE_INPUT_GROUPS.name())
          || name.equals(TaskCounter.REDUCE_INPUT_RECORDS.name())
          || name.equals(TaskCounter.REDUCE_OUTPUT_RECORDS.name());
    }
    return !group.equals(FreshetCounters.GROUP)
        && !group.endsWith("FileSystemCounter")
        && !group.equals("FileSystemCounters")
        && (!group.startsWith("org.apache.hadoop.mapred")
            || group.equals(FileOutputFormatCounter.class.getName()));
  }

  /** What a reused reduce reads. */
  private static final class NoRecords implements RawKeyValueIterator {
    private final Progress progress = new Progress();

    NoRecords() {
      progress.set(1f);
    }

    @Override
    public DataInputBuffer getKey() {
      return null;
    }

    @Override
    public DataInputBuffer getValue() {
      return null;
    }

    @Override
    public boolean next() {
      return false;
    }

    @Override
    public void close() {}

    @Override
    public Progress getProgress() {
      return progress;
    }
  }
}
