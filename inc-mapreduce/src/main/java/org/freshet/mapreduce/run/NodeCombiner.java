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
package org.freshet.mapreduce.run;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Merger;
import org.apache.hadoop.mapred.Merger.Segment;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * Merges runs with the stock merger and applies the job's own Combiner with the stock combiner
 * runner: one step of the contraction phase (Bhatotia et al., "Incoop: MapReduce for Incremental
 * Computations", SoCC 2011, section 4). Nothing is held in memory but one buffer a run. Not
 * thread-safe.
 */
public final class NodeCombiner<K, V> {
  /** Streams open at once in a merge; more runs than that are merged in several passes. */
  private static final int MIN_MERGE_FACTOR = 64;

  private final JobConf job;
  private final TaskAttemptID attempt;
  private final CompressionCodec codec;
  private final FileSystem local;
  private final Reporter reporter;
  private final Task.CombinerRunner<K, V> runner;
  private final Task.CombineOutputCollector<K, V> collector;

  /**
   * @param reporter the task's own reporter, which must be stock Hadoop's
   */
  public NodeCombiner(
      JobConf job,
      TaskAttemptID attempt,
      CompressionCodec codec,
      FileSystem local,
      Reporter reporter,
      Counters.Counter combineInput)
      throws ClassNotFoundException {
    this.job = job;
    this.attempt = attempt;
    this.codec = codec;
    this.local = local;
    this.reporter = reporter;
    runner =
        Task.CombinerRunner.create(job, attempt, combineInput, (Task.TaskReporter) reporter, null);
    collector =
        new Task.CombineOutputCollector<>(
            reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS), reporter, job);
  }

  /** Whether the job has a Combiner. */
  public boolean available() {
    return runner != null;
  }

  /**
   * Combines runs into one. A combine over at most one run that holds records is that run itself: a
   * Combiner may be applied any number of times, so also not at all.
   */
  public Run combine(List<Run> children, NodeFile<K, V> target)
      throws IOException, InterruptedException, ClassNotFoundException {
    List<Run> filled = children.stream().filter(run -> !run.isEmpty()).toList();
    if (filled.size() == 1) {
      return filled.get(0);
    }
    if (filled.isEmpty()) {
      return children.get(0);
    }
    return target.append(
        writer -> {
          collector.setWriter(writer);
          RawKeyValueIterator merged = merge(filled);
          try {
            runner.combine(merged, collector);
          } finally {
            merged.close();
          }
        });
  }

  /** Merges runs in the job's sort order. */
  @SuppressWarnings("unchecked")
  public RawKeyValueIterator merge(List<Run> runs) throws IOException {
    List<Segment<K, V>> segments = new ArrayList<>(runs.size());
    for (Run run : runs) {
      if (!run.isEmpty()) {
        segments.add(RunSegments.open(job, codec, run));
      }
    }
    int factor = Math.max(MIN_MERGE_FACTOR, job.getInt(MRJobConfig.IO_SORT_FACTOR, 10));
    return Merger.merge(
        job,
        local,
        (Class<K>) job.getMapOutputKeyClass(),
        (Class<V>) job.getMapOutputValueClass(),
        codec,
        segments,
        factor,
        new Path(attempt.toString()),
        (RawComparator<K>) job.getOutputKeyComparator(),
        reporter,
        true,
        null,
        null,
        null,
        TaskType.REDUCE);
  }
}
