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
import java.util.Iterator;
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

/** Counts words, written against the old API. */
public final class WordCountOld extends ExampleTool {

  /** Property: words of fewer characters are left out. */
  static final String MIN_LENGTH = "wordcount.min.length";

  /** Makes the program. */
  public WordCountOld() {
    super(
        "wordcount", "  -D" + MIN_LENGTH + "=N  leave out shorter words (default 1)", "in", "out");
  }

  /** Emits each word with a count of one. */
  public static final class WordMapper extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, LongWritable> {
    private static final LongWritable ONE = new LongWritable(1);
    private final Text word = new Text();
    private int minLength;

    @Override
    public void configure(JobConf job) {
      minLength = job.getInt(MIN_LENGTH, 1);
    }

    @Override
    public void map(
        LongWritable offset,
        Text line,
        OutputCollector<Text, LongWritable> output,
        Reporter reporter)
        throws IOException {
      for (String each : Words.of(line.toString())) {
        if (each.length() >= minLength) {
          word.set(each);
          output.collect(word, ONE);
        } else {
          reporter.incrCounter("words", "too short", 1);
        }
      }
    }
  }

  /** Sums up counts; also the Combiner. */
  public static final class SumReducer extends MapReduceBase
      implements Reducer<Text, LongWritable, Text, LongWritable> {
    private final LongWritable sum = new LongWritable();

    @Override
    public void reduce(
        Text word,
        Iterator<LongWritable> counts,
        OutputCollector<Text, LongWritable> output,
        Reporter reporter)
        throws IOException {
      long total = 0;
      while (counts.hasNext()) {
        total += counts.next().get();
      }
      sum.set(total);
      output.collect(word, sum);
    }
  }

  @Override
  boolean execute(String[] args) throws IOException {
    JobConf job = new JobConf(getConf(), WordCountOld.class);
    job.setJobName("wordcount (old API)");
    job.setMapperClass(WordMapper.class);
    job.setCombinerClass(SumReducer.class);
    job.setReducerClass(SumReducer.class);
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
    System.exit(ToolRunner.run(new WordCountOld(), args));
  }
}
