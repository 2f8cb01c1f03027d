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
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/** The K items of highest score of each key; the Combiner emits up to K records for a key. */
public final class TopK extends ExampleTool {

  /** Property: how many items to keep of each key. */
  static final String K = "topk.k";

  private static final int DEFAULT_K = 10;

  /** Makes the program; its input has lines of the form {@code key<TAB>item<TAB>integer}. */
  public TopK() {
    super("topk", "  -D" + K + "=N  items to keep of each key (default 10)", "in", "out");
  }

  /** Emits the item of each line under its key. */
  public static final class ItemMapper extends Mapper<Text, Text, Text, ScoredItem> {
    @Override
    protected void map(Text key, Text value, Context context)
        throws IOException, InterruptedException {
      Optional<ScoredItem> item = ScoredItem.parse(value.toString());
      if (item.isPresent()) {
        context.write(key, item.get());
      } else {
        context.getCounter(KeyedNumber.Lines.MALFORMED).increment(1);
      }
    }
  }

  /** Keeps the best items of a key, best first; also the Combiner. */
  public static final class BestReducer extends Reducer<Text, ScoredItem, Text, ScoredItem> {
    private int k;

    @Override
    protected void setup(Context context) {
      k = context.getConfiguration().getInt(K, DEFAULT_K);
      if (k < 1) {
        throw new IllegalArgumentException(K + " is " + k + ", but must be at least 1");
      }
    }

    @Override
    protected void reduce(Text key, Iterable<ScoredItem> items, Context context)
        throws IOException, InterruptedException {
      for (ScoredItem item : best(items, k)) {
        context.write(key, item);
      }
    }
  }

  /** The first {@code k} items in their natural order, or all if there are fewer. */
  static List<ScoredItem> best(Iterable<ScoredItem> items, int k) {
    PriorityQueue<ScoredItem> worstFirst = new PriorityQueue<>(Collections.reverseOrder());
    for (ScoredItem item : items) {
      if (worstFirst.size() < k) {
        worstFirst.add(item.copy());
      } else if (item.compareTo(worstFirst.peek()) < 0) {
        worstFirst.remove();
        worstFirst.add(item.copy());
      }
    }
    return worstFirst.stream().sorted().toList();
  }

  @Override
  boolean execute(String[] args) throws IOException, InterruptedException, ClassNotFoundException {
    Job job = Job.getInstance(getConf(), "top k");
    job.setJarByClass(TopK.class);
    job.setInputFormatClass(KeyValueTextInputFormat.class);
    job.setMapperClass(ItemMapper.class);
    job.setCombinerClass(BestReducer.class);
    job.setReducerClass(BestReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(ScoredItem.class);
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
    System.exit(ToolRunner.run(new TopK(), args));
  }
}
