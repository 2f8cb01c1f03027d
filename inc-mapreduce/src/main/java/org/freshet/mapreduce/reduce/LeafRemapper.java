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
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.SpillRecord;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.ReflectionUtils;
import org.freshet.mapreduce.map.ChunkMapping;
import org.freshet.mapreduce.map.LeafBuffer;
import org.freshet.mapreduce.map.LeafFiles;
import org.freshet.mapreduce.run.Run;
import org.freshet.mapreduce.run.RunDigests;
import org.freshet.mapreduce.run.TaskInternals;
import org.freshet.mapreduce.submit.JobRewrite;

/**
 * Runs the job's mapper over one chunk within a reduce task, to replace a leaf that the store lost.
 * What the mapper counts is not counted again.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
final class LeafRemapper {
  private static final int SORT_MEGABYTES = 32;

  private final JobConf job;
  private final Task task;
  private final Task.TaskReporter reporter;
  private final FileSystem local;
  private final TaskAttemptID mapAttempt;
  private int count;

  LeafRemapper(JobConf job, Task task, Reporter reporter, FileSystem local) {
    this.job = job;
    this.task = task;
    this.reporter = (Task.TaskReporter) reporter;
    this.local = local;
    mapAttempt =
        new TaskAttemptID(new org.apache.hadoop.mapred.TaskID(task.getJobID(), TaskType.MAP, 0), 0);
  }

  Run map(Writable split, long length, int partition)
      throws IOException, InterruptedException, ClassNotFoundException {
    Counters before = new Counters();
    TaskInternals.counters(task).ifPresent(before::incrAllCounters);
    try {
      LeafFiles files = new LeafFiles(job, "freshet/" + task.getTaskID() + "/lost" + count++);
      JobConf view = JobRewrite.userView(job);
      LeafBuffer buffer =
          new LeafBuffer(
              task,
              mapAttempt,
              view,
              reporter,
              files,
              (int) Math.min(SORT_MEGABYTES, 1 + (length >> 17)));
      if (view.getUseNewMapper()) {
        mapNewApi(view, (InputSplit) split, buffer);
      } else {
        mapOldApi(view, (org.apache.hadoop.mapred.InputSplit) split, buffer);
      }
      SpillRecord index = buffer.finish();
      IndexRecord at = index.getIndex(partition);
      return RunDigests.named(
          new Run.InFile(
              null, local, files.getOutputFile(), at.startOffset, at.partLength, at.rawLength));
    } finally {
      TaskInternals.counters(task).ifPresent(counters -> reset(counters, before));
    }
  }

  private static void reset(Counters counters, Counters before) {
    for (Counters.Group group : counters) {
      for (Counters.Counter counter : group) {
        counter.setValue(before.findCounter(group.getName(), counter.getName()).getValue());
      }
    }
  }

  private void mapNewApi(JobConf conf, InputSplit split, LeafBuffer buffer)
      throws IOException, InterruptedException, ClassNotFoundException {
    int partitions = conf.getNumReduceTasks();
    Partitioner partitioner =
        partitions > 1
            ? (Partitioner)
                ReflectionUtils.newInstance(
                    conf.getClass(
                        MRJobConfig.PARTITIONER_CLASS_ATTR,
                        org.apache.hadoop.mapreduce.lib.partition.HashPartitioner.class),
                    conf)
            : null;
    RecordWriter writer =
        new RecordWriter() {
          @Override
          public void write(Object key, Object value) throws IOException, InterruptedException {
            buffer.collect(
                key,
                value,
                partitioner == null ? 0 : partitioner.getPartition(key, value, partitions));
            reporter.progress();
          }

          @Override
          public void close(TaskAttemptContext context) {}
        };
    TaskAttemptContext attempt =
        new org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl(conf, mapAttempt);
    InputFormat format = ReflectionUtils.newInstance(attempt.getInputFormatClass(), conf);
    try (RecordReader reader = format.createRecordReader(split, attempt)) {
      Mapper.Context context =
          ChunkMapping.context(conf, mapAttempt, reader, writer, reporter, split);
      reader.initialize(split, context);
      ChunkMapping.newMapper(conf).run(context);
    }
  }

  private void mapOldApi(JobConf conf, org.apache.hadoop.mapred.InputSplit split, LeafBuffer buffer)
      throws IOException {
    int partitions = conf.getNumReduceTasks();
    org.apache.hadoop.mapred.Partitioner partitioner =
        partitions > 1 ? ReflectionUtils.newInstance(conf.getPartitionerClass(), conf) : null;
    OutputCollector collector =
        (key, value) -> {
          try {
            buffer.collect(
                key,
                value,
                partitioner == null ? 0 : partitioner.getPartition(key, value, partitions));
            reporter.progress();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while sorting a chunk's output", e);
          }
        };
    ChunkMapping.describe(split, conf);
    Reporter chunkReporter = ChunkMapping.oldReporter(reporter, split);
    org.apache.hadoop.mapred.RecordReader reader =
        conf.getInputFormat().getRecordReader(split, conf, chunkReporter);
    try {
      ChunkMapping.newRunner(conf).run(reader, collector, chunkReporter);
    } finally {
      reader.close();
    }
  }
}
