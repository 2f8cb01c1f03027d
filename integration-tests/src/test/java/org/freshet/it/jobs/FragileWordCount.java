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
package org.freshet.it.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.StringTokenizer;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.lib.partition.HashPartitioner;

/** A word count that can fail at each of its steps; see {@link PlannedFault}. */
@SuppressWarnings("SameNameButDifferent") // Context is the mapper's here and the reducer's there.
public final class FragileWordCount {
  /** The steps of a map attempt, in the order in which they come. */
  public static final List<String> MAP_STEPS =
      List.of("map.setup", "map.map", "map.partition", "map.cleanup", "map.combine");

  /** The steps of a reduce attempt, in the order in which they come. */
  public static final List<String> REDUCE_STEPS =
      List.of(
          "write.open",
          "reduce.setup",
          "reduce.reduce",
          "write.write",
          "reduce.cleanup",
          "write.close",
          "commit.task");

  private static final int RECORDS_BEFORE_THE_FAULT = 20;

  private FragileWordCount() {}

  /** Sets the job up, with two reduces. */
  public static void configure(JobConf conf) {
    conf.set(MRJobConfig.MAP_CLASS_ATTR, Tokens.class.getName());
    conf.set(MRJobConfig.COMBINE_CLASS_ATTR, Combine.class.getName());
    conf.set(MRJobConfig.REDUCE_CLASS_ATTR, Sum.class.getName());
    conf.set(MRJobConfig.PARTITIONER_CLASS_ATTR, Partition.class.getName());
    conf.set(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, Output.class.getName());
    conf.setOutputKeyClass(Text.class);
    conf.setOutputValueClass(IntWritable.class);
    conf.setNumReduceTasks(2);
  }

  /** A one for each word, and a counter of lines. */
  public static final class Tokens extends Mapper<LongWritable, Text, Text, IntWritable> {
    private int records;

    @Override
    protected void setup(Context context) throws IOException {
      PlannedFault.at("map.setup", context.getConfiguration());
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      if (++records == RECORDS_BEFORE_THE_FAULT) {
        PlannedFault.at("map.map", context.getConfiguration());
      }
      context.getCounter("it.map", "lines").increment(1);
      StringTokenizer words = new StringTokenizer(line.toString());
      while (words.hasMoreTokens()) {
        context.write(new Text(words.nextToken()), new IntWritable(1));
      }
    }

    @Override
    protected void cleanup(Context context) throws IOException {
      PlannedFault.at("map.cleanup", context.getConfiguration());
    }
  }

  /** By hash. */
  public static final class Partition extends HashPartitioner<Text, IntWritable>
      implements Configurable {
    private Configuration conf;

    @Override
    public int getPartition(Text key, IntWritable value, int partitions) {
      try {
        PlannedFault.at("map.partition", conf);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return super.getPartition(key, value, partitions);
    }

    @Override
    public void setConf(Configuration configuration) {
      conf = configuration;
    }

    @Override
    public Configuration getConf() {
      return conf;
    }
  }

  /** Adds up; used on the map side and where sorted runs meet. */
  public static final class Combine extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      boolean inMap = context.getConfiguration().getBoolean(MRJobConfig.TASK_ISMAP, true);
      PlannedFault.at(inMap ? "map.combine" : "reduce.combine", context.getConfiguration());
      context.write(key, sum(values));
    }
  }

  /** Adds up, and counts the keys. */
  public static final class Sum extends Reducer<Text, IntWritable, Text, IntWritable> {
    private int keys;

    @Override
    protected void setup(Context context) throws IOException {
      PlannedFault.at("reduce.setup", context.getConfiguration());
    }

    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      if (++keys == RECORDS_BEFORE_THE_FAULT) {
        PlannedFault.at("reduce.reduce", context.getConfiguration());
      }
      context.getCounter("it.reduce", "keys").increment(1);
      context.write(key, sum(values));
    }

    @Override
    protected void cleanup(Context context) throws IOException {
      PlannedFault.at("reduce.cleanup", context.getConfiguration());
    }
  }

  private static IntWritable sum(Iterable<IntWritable> values) {
    int sum = 0;
    for (IntWritable value : values) {
      sum += value.get();
    }
    return new IntWritable(sum);
  }

  /** Text, with a writer and a committer that may fail. */
  public static final class Output extends TextOutputFormat<Text, IntWritable> {
    private FragileCommitter committer;

    @Override
    public synchronized OutputCommitter getOutputCommitter(TaskAttemptContext context)
        throws IOException {
      if (committer == null) {
        committer = new FragileCommitter(context);
      }
      return committer;
    }

    @Override
    public RecordWriter<Text, IntWritable> getRecordWriter(TaskAttemptContext context)
        throws IOException, InterruptedException {
      PlannedFault.at("write.open", context.getConfiguration());
      RecordWriter<Text, IntWritable> writer = super.getRecordWriter(context);
      return new RecordWriter<>() {
        private int records;

        @Override
        public void write(Text key, IntWritable value) throws IOException, InterruptedException {
          if (++records == RECORDS_BEFORE_THE_FAULT) {
            PlannedFault.at("write.write", context.getConfiguration());
          }
          writer.write(key, value);
        }

        @Override
        public void close(TaskAttemptContext closing) throws IOException, InterruptedException {
          writer.close(closing);
          PlannedFault.at("write.close", context.getConfiguration());
        }
      };
    }
  }

  private static final class FragileCommitter extends FileOutputCommitter {
    FragileCommitter(TaskAttemptContext context) throws IOException {
      super(FileOutputFormat.getOutputPath(context), context);
    }

    @Override
    public void commitTask(TaskAttemptContext context) throws IOException {
      PlannedFault.at("commit.task", context.getConfiguration());
      super.commitTask(context);
    }

    @Override
    public void commitJob(JobContext context) throws IOException {
      PlannedFault.at("commit.job", context.getConfiguration());
      super.commitJob(context);
    }
  }
}
