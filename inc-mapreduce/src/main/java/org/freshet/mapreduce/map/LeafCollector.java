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
package org.freshet.mapreduce.map;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.SpillRecord;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.ReflectionUtils;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.run.ContentKeys;
import org.freshet.mapreduce.run.NodeCombiner;
import org.freshet.mapreduce.run.NodeFile;
import org.freshet.mapreduce.run.Run;
import org.freshet.mapreduce.run.RunRegion;
import org.freshet.memo.CounterSet;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the output of a batch, one leaf a chunk, each with a stock sort buffer of its own.
 *
 * <p>When the last chunk is done, the task combines the tree nodes that lie wholly within its
 * batch, stores all runs as one pack in the memo store, and writes the task's stock output file:
 * for each partition a {@link RunRegion}, which ships only the topmost runs. So the first levels of
 * the contraction run in the map tasks, in parallel, and a batch sends through the shuffle about
 * what one stock map would.
 *
 * <p>A store that can't be written to costs the memo, never the job.
 */
@SuppressWarnings("rawtypes")
public final class LeafCollector<K, V> implements MapOutputCollector<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(LeafCollector.class);
  private static final Map<String, LeafCollector> LIVE = new ConcurrentHashMap<>();
  private static final int COPY_BUFFER = 128 << 10;

  /** Sort space for a record beyond its bytes: MapOutputBuffer's METASIZE. */
  private static final int RECORD_OVERHEAD = 16;

  private record Leaf(Batch.Chunk chunk, LeafFiles files, SpillRecord index, CounterSet counters) {}

  private MapTask task;
  private JobConf job;
  private Task.TaskReporter reporter;
  private String attempt;
  private Batch batch;
  private final List<Leaf> leaves = new ArrayList<>();
  private SourceCheck sources;

  private LeafBuffer<K, V> current;
  private Batch.Chunk currentChunk;
  private ChunkCounters currentCounters;
  private long bytesBefore;
  private long recordsBefore;
  private double sortBytesPerInputByte = -1;

  static LeafCollector of(String attempt) {
    LeafCollector collector = LIVE.get(attempt);
    if (collector == null) {
      throw new IllegalStateException("no leaf collector for " + attempt);
    }
    return collector;
  }

  @Override
  public void init(Context context) {
    task = context.getMapTask();
    job = context.getJobConf();
    reporter = context.getReporter();
    attempt = task.getTaskID().toString();
    LIVE.put(attempt, this);
  }

  Task.TaskReporter reporter() {
    return reporter;
  }

  void batch(Batch batch) {
    this.batch = batch;
    sources = new SourceCheck(job, batch.files());
  }

  /**
   * Starts a chunk.
   *
   * @param conf of the chunk's mapper
   */
  void begin(Batch.Chunk chunk, ChunkCounters counters, JobConf conf)
      throws IOException, InterruptedException, ClassNotFoundException {
    if (current != null) {
      throw new IllegalStateException("chunk " + currentChunk + " is still open");
    }
    sources.before(chunk);
    bytesBefore = value(TaskCounter.MAP_OUTPUT_BYTES);
    recordsBefore = value(TaskCounter.MAP_OUTPUT_RECORDS);
    LeafFiles files = new LeafFiles(job, directory() + "/" + leaves.size());
    current =
        new LeafBuffer<>(
            task, task.getTaskID(), conf, reporter, files, sortMegabytes(chunk.length()));
    currentChunk = chunk;
    currentCounters = counters;
  }

  @Override
  public void collect(K key, V value, int partition) throws IOException, InterruptedException {
    LeafBuffer<K, V> buffer = current;
    if (buffer == null) {
      throw new IOException("the mapper wrote a record outside a chunk's map calls");
    }
    buffer.collect(key, value, partition);
  }

  /** Ends the open chunk. */
  void end() throws IOException, InterruptedException, ClassNotFoundException {
    long bytes = value(TaskCounter.MAP_OUTPUT_BYTES) - bytesBefore;
    long records = value(TaskCounter.MAP_OUTPUT_RECORDS) - recordsBefore;
    CounterSet counters = currentCounters.end();
    LeafBuffer<K, V> buffer = current;
    SpillRecord index = buffer.finish();
    current = null;
    leaves.add(new Leaf(currentChunk, buffer.files(), index, counters));
    if (currentChunk.length() > 0) {
      sortBytesPerInputByte =
          Math.max(
              sortBytesPerInputByte,
              (bytes + (double) RECORD_OVERHEAD * records) / currentChunk.length());
    }
    sources.after(currentChunk);
    reporter.progress();
  }

  /**
   * Sort buffer for a chunk: clearing the job's full buffer for each small chunk would cost more
   * than sorting it, so it follows what the task's earlier chunks emitted for a byte of input.
   */
  private int sortMegabytes(long chunkLength) {
    int most = job.getInt(MRJobConfig.IO_SORT_MB, MRJobConfig.DEFAULT_IO_SORT_MB);
    double ratio = sortBytesPerInputByte < 0 ? 8 : sortBytesPerInputByte * 1.3;
    double wanted = chunkLength * ratio / 0.8 / (1 << 20);
    return (int) Math.max(1, Math.min(most, Math.ceil(wanted) + 1));
  }

  private long value(TaskCounter counter) {
    return reporter.getCounter(counter).getValue();
  }

  private String directory() {
    return "freshet/" + attempt;
  }

  @Override
  public void flush() throws IOException, InterruptedException, ClassNotFoundException {
    LIVE.remove(attempt);
    LeafFiles files = new LeafFiles(job, directory());
    try {
      if (current != null) {
        // Stock MapTask flushes a failed new-API mapper too: nothing of an open chunk may get out.
        LeafBuffer<K, V> abandoned = current;
        current = null;
        abandoned.abandon();
        throw new IOException("the mapper failed within a chunk");
      }
      if (batch == null || leaves.size() < batch.chunks().size()) {
        throw new IOException(
            "only " + leaves.size() + " chunks were mapped of " + batch + ": no output is written");
      }
      writeOutput(files);
    } finally {
      files.removeAll();
    }
    task.getSortPhase().complete();
  }

  private void writeOutput(LeafFiles files)
      throws IOException, InterruptedException, ClassNotFoundException {
    FileSystem local = FileSystem.getLocal(job).getRaw();
    CompressionCodec codec = null;
    if (job.getCompressMapOutput()) {
      codec = ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job);
    }
    NodeCombiner<K, V> combiner =
        new NodeCombiner<>(
            job,
            task.getTaskID(),
            codec,
            local,
            reporter,
            reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS));
    int partitions = job.getNumReduceTasks();
    PartitionRuns[] runs = new PartitionRuns[partitions];
    try (NodeFile<K, V> nodes = new NodeFile<>(job, codec, local, files.scratch("nodes"));
        MapPack pack = MapPack.create(job, attempt, reporter)) {
      for (int p = 0; p < partitions; p++) {
        runs[p] = contract(p, local, combiner, nodes, pack);
        reporter.progress();
      }
      String stored = pack.finish();
      if (stored.isEmpty()) {
        reporter.incrCounter(FreshetCounters.GROUP, FreshetCounters.STORE_WRITE_FAILURES, 1);
      }
      writeFile(local, runs, stored);
    }
  }

  /** A partition's runs: the leaves, then the nodes; what the store got, and what is shipped. */
  private record PartitionRuns(List<Run> runs, List<Digest> keys, List<Long> offsets) {}

  private PartitionRuns contract(
      int partition,
      FileSystem local,
      NodeCombiner<K, V> combiner,
      NodeFile<K, V> nodes,
      MapPack pack)
      throws IOException, InterruptedException, ClassNotFoundException {
    List<Run> runs = new ArrayList<>(leaves.size() + batch.nodes().size());
    List<Digest> keys = new ArrayList<>();
    List<Long> offsets = new ArrayList<>();
    for (Leaf leaf : leaves) {
      IndexRecord at = leaf.index().getIndex(partition);
      Run.InFile unnamed =
          new Run.InFile(
              null,
              local,
              leaf.files().getOutputFile(),
              at.startOffset,
              at.partLength,
              at.rawLength);
      MapPack.Stored stored = pack.store(unnamed);
      runs.add(
          new Run.InFile(
              stored.content(),
              local,
              unnamed.file(),
              at.startOffset,
              at.partLength,
              at.rawLength));
      keys.add(leaf.chunk().leaf());
      offsets.add(stored.offset());
    }
    for (int[] members : batch.nodes()) {
      List<Run> children = new ArrayList<>(members.length);
      List<Digest> contents = new ArrayList<>(members.length);
      for (int member : members) {
        children.add(runs.get(member));
        contents.add(runs.get(member).content());
      }
      Run node = combiner.combine(children, nodes);
      int same = children.indexOf(node);
      // A node that is one of its children's runs needs no second copy in the store.
      offsets.add(same >= 0 ? offsets.get(members[same]) : pack.store(node).offset());
      runs.add(node);
      keys.add(ContentKeys.node(contents));
    }
    if (!batch.nodes().isEmpty()) {
      reporter.incrCounter(
          FreshetCounters.GROUP, FreshetCounters.NODES_COMBINED, batch.nodes().size());
    }
    return new PartitionRuns(runs, keys, offsets);
  }

  /** Runs that no node of this batch takes in, or that a reduce reads all the same. */
  private boolean[] shipped() {
    boolean[] shipped = new boolean[leaves.size() + batch.nodes().size()];
    java.util.Arrays.fill(shipped, true);
    for (int[] members : batch.nodes()) {
      for (int member : members) {
        shipped[member] = false;
      }
    }
    for (int member : batch.shared()) {
      shipped[member] = true;
    }
    return shipped;
  }

  private RunRegion region(int partition, PartitionRuns runs, String pack, boolean[] shipped) {
    List<RunRegion.Entry> leafEntries = new ArrayList<>(leaves.size());
    List<RunRegion.Entry> nodeEntries = new ArrayList<>(batch.nodes().size());
    for (int i = 0; i < shipped.length; i++) {
      boolean leaf = i < leaves.size();
      Run run = runs.runs().get(i);
      RunRegion.Entry entry =
          new RunRegion.Entry(
              leaf ? leaves.get(i).chunk().leaf() : batch.nodeIds().get(i - leaves.size()),
              runs.keys().get(i),
              run.content(),
              runs.offsets().get(i),
              run.storedLength(),
              run.rawLength(),
              shipped[i]);
      (leaf ? leafEntries : nodeEntries).add(entry);
    }
    Map<Digest, CounterSet> counters = new LinkedHashMap<>();
    if (partition == 0) {
      for (Leaf leaf : leaves) {
        counters.put(leaf.chunk().leaf(), leaf.counters());
      }
    }
    return new RunRegion(pack, sources.changed(), leafEntries, nodeEntries, counters);
  }

  /** Writes the map output file and its index as stock ShuffleHandler expects them. */
  private void writeFile(FileSystem local, PartitionRuns[] runs, String pack) throws IOException {
    boolean[] shipped = shipped();
    MapOutputFile outputFile = task.getMapOutputFile();
    long size = 0;
    for (PartitionRuns partition : runs) {
      for (int i = 0; i < shipped.length; i++) {
        size += shipped[i] ? partition.runs().get(i).storedLength() : 0;
      }
    }
    Path out = outputFile.getOutputFileForWrite(size);
    Path index =
        outputFile.getOutputIndexFileForWrite(
            (long) runs.length * MapTask.MAP_OUTPUT_INDEX_RECORD_LENGTH);
    SpillRecord record = new SpillRecord(runs.length);
    long leafBytes = 0;
    long written;
    try (FSDataOutputStream stream = local.create(out, true)) {
      for (int p = 0; p < runs.length; p++) {
        long start = stream.getPos();
        stream.write(region(p, runs[p], pack, shipped).header());
        for (int i = 0; i < shipped.length; i++) {
          if (shipped[i]) {
            copy(runs[p].runs().get(i), stream);
          }
        }
        long length = stream.getPos() - start;
        // The region is opaque to the shuffle: its raw length is its length.
        record.putIndex(new IndexRecord(start, length, length), p);
      }
      written = stream.getPos();
    }
    for (Leaf leaf : leaves) {
      for (int p = 0; p < runs.length; p++) {
        leafBytes += leaf.index().getIndex(p).partLength;
      }
    }
    record.writeToFile(index, job);
    setPermissions(local, out, index);
    // Each sort buffer has counted its leaf as materialized; what counts is the task's one file.
    reporter.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES).increment(written - leafBytes);
    LOG.info(
        "{}: {} leaves, {} nodes, {} bytes of leaves, {} bytes shipped",
        attempt,
        leaves.size(),
        batch.nodes().size(),
        leafBytes,
        written);
  }

  private static void copy(Run run, OutputStream out) throws IOException {
    byte[] buffer = new byte[(int) Math.max(1, Math.min(COPY_BUFFER, run.storedLength()))];
    try (InputStream in = run.open()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
      }
    }
  }

  /** As stock MapTask does where the umask is stricter than the shuffle handler needs. */
  private void setPermissions(FileSystem local, Path out, Path index) throws IOException {
    FsPermission needed = new FsPermission((short) 0640);
    if (!needed.equals(needed.applyUMask(FsPermission.getUMask(job)))) {
      local.setPermission(out, needed);
      local.setPermission(index, needed);
    }
  }

  @Override
  public void close() {
    LIVE.remove(attempt);
  }
}
