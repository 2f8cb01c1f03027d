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
package org.freshet.examples;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/**
 * Sorts the numbers of each key with the shuffle: the sort key is key and number, partitioner and
 * grouping comparator look at the key alone.
 */
public final class SecondarySort extends ExampleTool {

  /** Makes the program; its input has lines of the form {@code key<TAB>integer}. */
  public SecondarySort() {
    super("secondarysort", "", "in", "out");
  }

  /** Emits the number under the pair of key and number. */
  public static final class PairMapper
      extends Mapper<LongWritable, Text, KeyNumberPair, LongWritable> {
    private final KeyNumberPair pair = new KeyNumberPair();
    private final LongWritable number = new LongWritable();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Optional<KeyedNumber> parsed = KeyedNumber.parse(line.toString());
      if (parsed.isEmpty()) {
        context.getCounter(KeyedNumber.Lines.MALFORMED).increment(1);
        return;
      }
      context.getCounter(KeyedNumber.Lines.GOOD).increment(1);
      pair.set(parsed.get().key(), parsed.get().number());
      number.set(parsed.get().number());
      context.write(pair, number);
    }
  }

  /** Keeps the pairs of a key together. */
  public static final class KeyPartitioner extends Partitioner<KeyNumberPair, LongWritable> {
    @Override
    public int getPartition(KeyNumberPair pair, LongWritable number, int partitions) {
      return (pair.key().hashCode() & Integer.MAX_VALUE) % partitions;
    }
  }

  /** Makes one reduce call of all pairs of a key. */
  public static final class KeyGrouping extends WritableComparator {
    /** Makes the comparator, for Hadoop. */
    public KeyGrouping() {
      super(KeyNumberPair.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes") // as WritableComparator declares it
    public int compare(WritableComparable left, WritableComparable right) {
      return ((KeyNumberPair) left).key().compareTo(((KeyNumberPair) right).key());
    }
  }

  /** Writes the numbers of a key, which arrive sorted, in one line. */
  public static final class JoinReducer extends Reducer<KeyNumberPair, LongWritable, Text, Text> {
    private final Text joined = new Text();

    @Override
    protected void reduce(KeyNumberPair pair, Iterable<LongWritable> numbers, Context context)
        throws IOException, InterruptedException {
      StringBuilder text = new StringBuilder();
      for (LongWritable number : numbers) {
        text.append(text.isEmpty() ? "" : ",").append(number.get());
      }
      joined.set(text.toString());
      context.write(pair.key(), joined);
    }
  }

  @Override
  boolean execute(String[] args) throws IOException, InterruptedException, ClassNotFoundException {
    Job job = Job.getInstance(getConf(), "secondary sort");
    job.setJarByClass(SecondarySort.class);
    job.setMapperClass(PairMapper.class);
    job.setPartitionerClass(KeyPartitioner.class);
    job.setGroupingComparatorClass(KeyGrouping.class);
    job.setReducerClass(JoinReducer.class);
    job.setMapOutputKeyClass(KeyNumberPair.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.setInputPaths(job, args[0]);
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true);
  }

  /**
   * Runs the program and exits with its code.
   *
   * @param args see the usage text
   */
  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new SecondarySort(), args));
  }
}
