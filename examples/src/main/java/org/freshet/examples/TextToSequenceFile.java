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
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/** Makes sequence files, the input of {@link SequenceFileTotals}, from text, without a reduce. */
public final class TextToSequenceFile extends ExampleTool {

  /** Makes the program; its input has lines of the form {@code key<TAB>integer}. */
  public TextToSequenceFile() {
    super("texttosequence", "", "in", "out");
  }

  /** Emits key and number of each line. */
  public static final class LineMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
    private final Text key = new Text();
    private final LongWritable number = new LongWritable();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Optional<KeyedNumber> parsed = KeyedNumber.parse(line.toString());
      if (parsed.isEmpty()) {
        context.getCounter(KeyedNumber.Lines.MALFORMED).increment(1);
        return;
      }
      key.set(parsed.get().key());
      number.set(parsed.get().number());
      context.write(key, number);
    }
  }

  @Override
  boolean execute(String[] args) throws IOException, InterruptedException, ClassNotFoundException {
    Job job = Job.getInstance(getConf(), "text to sequence file");
    job.setJarByClass(TextToSequenceFile.class);
    job.setMapperClass(LineMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
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
    System.exit(ToolRunner.run(new TextToSequenceFile(), args));
  }
}
