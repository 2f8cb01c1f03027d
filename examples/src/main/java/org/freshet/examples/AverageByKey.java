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
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/** The mean of the numbers of each key; means do not combine, sums with counts do. */
public final class AverageByKey extends ExampleTool {

  /** Makes the program; its input has lines of the form {@code key<TAB>integer}. */
  public AverageByKey() {
    super("average", "", "in", "out");
  }

  /** Emits each number as a sum of one. */
  public static final class SumMapper extends Mapper<LongWritable, Text, Text, SumCount> {
    private final Text key = new Text();
    private final SumCount sum = new SumCount();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Optional<KeyedNumber> parsed = KeyedNumber.parse(line.toString());
      if (parsed.isEmpty()) {
        context.getCounter(KeyedNumber.Lines.MALFORMED).increment(1);
        return;
      }
      context.getCounter(KeyedNumber.Lines.GOOD).increment(1);
      key.set(parsed.get().key());
      sum.set(parsed.get().number(), 1);
      context.write(key, sum);
    }
  }

  /** Adds up sums. */
  public static final class SumCombiner extends Reducer<Text, SumCount, Text, SumCount> {
    @Override
    protected void reduce(Text key, Iterable<SumCount> sums, Context context)
        throws IOException, InterruptedException {
      context.write(key, total(sums));
    }
  }

  /** Adds up sums and divides. */
  public static final class MeanReducer extends Reducer<Text, SumCount, Text, DoubleWritable> {
    private final DoubleWritable mean = new DoubleWritable();

    @Override
    protected void reduce(Text key, Iterable<SumCount> sums, Context context)
        throws IOException, InterruptedException {
      mean.set(total(sums).mean());
      context.write(key, mean);
    }
  }

  static SumCount total(Iterable<SumCount> sums) {
    SumCount total = new SumCount();
    sums.forEach(total::add);
    return total;
  }

  @Override
  boolean execute(String[] args) throws IOException, InterruptedException, ClassNotFoundException {
    Job job = Job.getInstance(getConf(), "average by key");
    job.setJarByClass(AverageByKey.class);
    job.setMapperClass(SumMapper.class);
    job.setCombinerClass(SumCombiner.class);
    job.setReducerClass(MeanReducer.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(SumCount.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(DoubleWritable.class);
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
    System.exit(ToolRunner.run(new AverageByKey(), args));
  }
}
