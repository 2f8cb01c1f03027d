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

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapRunnable;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.map.WrappedMapper;
import org.apache.hadoop.mapreduce.task.MapContextImpl;
import org.apache.hadoop.util.ReflectionUtils;

/** How the job's own mapper is made and what it sees when it maps one chunk, in both APIs. */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class ChunkMapping {
  private ChunkMapping() {}

  /** A fresh mapper of the new API. */
  public static Mapper newMapper(Configuration conf) {
    Class<?> type = conf.getClass(MRJobConfig.MAP_CLASS_ATTR, Mapper.class);
    return (Mapper) ReflectionUtils.newInstance(type, conf);
  }

  /** A fresh runner, and by it a fresh mapper, of the old API. */
  public static MapRunnable newRunner(JobConf conf) {
    return ReflectionUtils.newInstance(conf.getMapRunnerClass(), conf);
  }

  /** A context whose user counters are dropped. */
  public static Mapper.Context context(
      JobConf conf,
      TaskAttemptID attempt,
      RecordReader reader,
      RecordWriter writer,
      Reporter task,
      org.apache.hadoop.mapreduce.InputSplit split) {
    return context(conf, attempt, reader, writer, new ChunkCounters(task), null, split);
  }

  static Mapper.Context context(
      JobConf conf,
      TaskAttemptID attempt,
      RecordReader reader,
      RecordWriter writer,
      ChunkCounters counters,
      org.apache.hadoop.mapreduce.OutputCommitter committer,
      org.apache.hadoop.mapreduce.InputSplit split) {
    return new WrappedMapper()
        .getMapContext(
            new MapContextImpl(conf, attempt, reader, writer, committer, counters.newApi(), split));
  }

  /** A reporter of the old API whose user counters are dropped. */
  public static Reporter oldReporter(Reporter task, InputSplit split) {
    return new ChunkCounters(task).oldApi(split);
  }

  /** What stock MapTask tells a mapper of its split. */
  public static void describe(InputSplit split, JobConf conf) {
    if (split instanceof FileSplit file) {
      conf.set(MRJobConfig.MAP_INPUT_FILE, file.getPath().toString());
      conf.setLong(MRJobConfig.MAP_INPUT_START, file.getStart());
      conf.setLong(MRJobConfig.MAP_INPUT_PATH, file.getLength());
    }
  }
}
