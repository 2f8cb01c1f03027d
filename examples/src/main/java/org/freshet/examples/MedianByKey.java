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
import java.util.Arrays;
import java.util.Iterator;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.util.ToolRunner;

/**
 * The median of the numbers of each key: the middle one, the lower of two middle ones. Written
 * against the old API and without a Combiner, as a median cannot be had from medians of parts.
 */
public final class MedianByKey extends ExampleTool {

  /** Makes the program; its input has lines of the form {@code key<TAB>integer}. */
  public MedianByKey() {
    super("median", "", "in", "out");
  }

  /** Emits key and number of each line. */
  public static final class NumberMapper extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, LongWritable> {
    private final Text key = new Text();
    private final LongWritable number = new LongWritable();

    @Override
    public void map(
        LongWritable offset,
        Text line,
        OutputCollector<Text, LongWritable> output,
        Reporter reporter)
        throws IOException {
      Optional<KeyedNumber> parsed = KeyedNumber.parse(line.toString());
      if (parsed.isEmpty()) {
        reporter.incrCounter(KeyedNumber.Lines.MALFORMED, 1);
        return;
      }
      reporter.incrCounter(KeyedNumber.Lines.GOOD, 1);
      key.set(parsed.get().key());
      number.set(parsed.get().number());
      output.collect(key, number);
    }
  }

  /** Collects the numbers of a key and writes the median. */
  public static final class MedianReducer extends MapReduceBase
      implements Reducer<Text, LongWritable, Text, LongWritable> {
    private final LongWritable median = new LongWritable();
    private long[] numbers = new long[16];

    @Override
    public void reduce(
        Text key,
        Iterator<LongWritable> values,
        OutputCollector<Text, LongWritable> output,
        Reporter reporter)
        throws IOException {
      int count = 0;
      while (values.hasNext()) {
        if (count == numbers.length) {
          numbers = Arrays.copyOf(numbers, count * 2);
        }
        numbers[count++] = values.next().get();
      }
      median.set(lowerMedian(numbers, count));
      output.collect(key, median);
    }
  }

  /**
   * The lower median of the first {@code count} numbers, of which there must be one; sorts them.
   */
  static long lowerMedian(long[] numbers, int count) {
    Arrays.sort(numbers, 0, count);
    return numbers[(count - 1) / 2];
  }

  @Override
  boolean execute(String[] args) throws IOException {
    JobConf job = new JobConf(getConf(), MedianByKey.class);
    job.setJobName("median by key (old API)");
    job.setMapperClass(NumberMapper.class);
    job.setReducerClass(MedianReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    FileInputFormat.setInputPaths(job, args[0]);
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return JobClient.runJob(job).isSuccessful();
  }

  /**
   * Runs the program and exits with its code.
   *
   * @param args see the usage text
   */
  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new MedianByKey(), args));
  }
}
