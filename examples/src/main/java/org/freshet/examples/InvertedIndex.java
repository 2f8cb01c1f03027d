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
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/**
 * Lists, for each word, the input files it occurs in. The mapper takes the file's name from its
 * split, so its output depends on where a record stands.
 */
public final class InvertedIndex extends ExampleTool {

  /** Stands between file names; names must not contain it. */
  static final String SEPARATOR = "|";

  private static final Pattern SEPARATORS = Pattern.compile(Pattern.quote(SEPARATOR));

  /** Makes the program. */
  public InvertedIndex() {
    super("invertedindex", "", "in", "out");
  }

  /** Emits each word with the name of the file it is in. */
  public static final class PostingMapper extends Mapper<LongWritable, Text, Text, Text> {
    private final Text word = new Text();
    private final Text file = new Text();

    @Override
    protected void setup(Context context) {
      file.set(((FileSplit) context.getInputSplit()).getPath().getName());
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      for (String each : Words.of(line.toString())) {
        word.set(each);
        context.write(word, file);
      }
    }
  }

  /** Unites lists of file names; also the Combiner. */
  public static final class UnionReducer extends Reducer<Text, Text, Text, Text> {
    private final Text union = new Text();

    @Override
    protected void reduce(Text word, Iterable<Text> lists, Context context)
        throws IOException, InterruptedException {
      TreeSet<String> files = new TreeSet<>();
      for (Text list : lists) {
        files.addAll(Arrays.asList(SEPARATORS.split(list.toString())));
      }
      union.set(String.join(SEPARATOR, files));
      context.write(word, union);
    }
  }

  @Override
  boolean execute(String[] args) throws IOException, InterruptedException, ClassNotFoundException {
    Job job = Job.getInstance(getConf(), "inverted index");
    job.setJarByClass(InvertedIndex.class);
    job.setMapperClass(PostingMapper.class);
    job.setCombinerClass(UnionReducer.class);
    job.setReducerClass(UnionReducer.class);
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
    System.exit(ToolRunner.run(new InvertedIndex(), args));
  }
}
