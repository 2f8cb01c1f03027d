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
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/** Counts the different users of each site. The mapper's input key is data, not a position. */
public final class DistinctUsers extends ExampleTool {

  /** Makes the program; its input has lines of the form {@code site<TAB>user}. */
  public DistinctUsers() {
    super("distinctusers", "", "in", "out");
  }

  /** Emits the user of a line as a set of one. */
  public static final class UserMapper extends Mapper<Text, Text, Text, UserSet> {
    private final UserSet user = new UserSet();

    @Override
    protected void map(Text site, Text name, Context context)
        throws IOException, InterruptedException {
      user.setSingle(name.toString());
      context.write(site, user);
    }
  }

  /** Unites sets. */
  public static final class UnionCombiner extends Reducer<Text, UserSet, Text, UserSet> {
    @Override
    protected void reduce(Text site, Iterable<UserSet> sets, Context context)
        throws IOException, InterruptedException {
      context.write(site, union(sets));
    }
  }

  /** Unites sets and counts. */
  public static final class CountReducer extends Reducer<Text, UserSet, Text, IntWritable> {
    private final IntWritable count = new IntWritable();

    @Override
    protected void reduce(Text site, Iterable<UserSet> sets, Context context)
        throws IOException, InterruptedException {
      count.set(union(sets).size());
      context.write(site, count);
    }
  }

  static UserSet union(Iterable<UserSet> sets) {
    UserSet union = new UserSet();
    sets.forEach(union::addAll);
    return union;
  }

  @Override
  boolean execute(String[] args) throws IOException, InterruptedException, ClassNotFoundException {
    Job job = Job.getInstance(getConf(), "distinct users");
    job.setJarByClass(DistinctUsers.class);
    job.setInputFormatClass(KeyValueTextInputFormat.class);
    job.setMapperClass(UserMapper.class);
    job.setCombinerClass(UnionCombiner.class);
    job.setReducerClass(CountReducer.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(UserSet.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
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
    System.exit(ToolRunner.run(new DistinctUsers(), args));
  }
}
