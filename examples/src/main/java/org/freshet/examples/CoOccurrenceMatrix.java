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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;
import org.apache.hadoop.util.ToolRunner;

/**
 * Counts, for each pair of words, how often they stand within a few words of each other in a line:
 * the "pairs" form of the word co-occurrence matrix with in-mapper combining (Lin and Dyer,
 * Data-Intensive Text Processing with MapReduce, 3.2).
 */
public final class CoOccurrenceMatrix extends ExampleTool {

  /** Property: how many words apart two words may stand. */
  static final String WINDOW = "cooccurrence.window";

  /** Property: how many pairs a mapper holds before it emits them. */
  static final String MAX_PAIRS = "cooccurrence.max.pairs";

  /** Makes the program. */
  public CoOccurrenceMatrix() {
    super(
        "cooccurrence",
        "  -D"
            + WINDOW
            + "=N  how many words apart (default 2)\n"
            + "  -D"
            + MAX_PAIRS
            + "=N  pairs held in memory by a mapper (default 100000)",
        "in",
        "out");
  }

  /** Counts pairs in memory and emits the counts at the end, or when there are too many. */
  public static final class PairMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
    private final Map<String, Long> counts = new HashMap<>();
    private final Text pair = new Text();
    private final LongWritable count = new LongWritable();
    private int window;
    private int maxPairs;

    @Override
    protected void setup(Context context) {
      window = context.getConfiguration().getInt(WINDOW, 2);
      maxPairs = context.getConfiguration().getInt(MAX_PAIRS, 100_000);
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      forEachPair(
          Words.of(line.toString()),
          window,
          (left, right) -> counts.merge(left + " " + right, 1L, Long::sum));
      if (counts.size() > maxPairs) {
        emit(context);
      }
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      emit(context);
    }

    private void emit(Context context) throws IOException, InterruptedException {
      for (Map.Entry<String, Long> entry : counts.entrySet()) {
        pair.set(entry.getKey());
        count.set(entry.getValue());
        context.write(pair, count);
      }
      counts.clear();
    }
  }

  /** Calls the action with each ordered pair of words at most {@code window} words apart. */
  static void forEachPair(List<String> words, int window, BiConsumer<String, String> action) {
    for (int i = 0; i < words.size(); i++) {
      int last = Math.min(words.size() - 1, i + window);
      for (int j = i + 1; j <= last; j++) {
        action.accept(words.get(i), words.get(j));
        action.accept(words.get(j), words.get(i));
      }
    }
  }

  @Override
  boolean execute(String[] args) throws IOException, InterruptedException, ClassNotFoundException {
    Job job = Job.getInstance(getConf(), "co-occurrence matrix");
    job.setJarByClass(CoOccurrenceMatrix.class);
    job.setMapperClass(PairMapper.class);
    job.setCombinerClass(LongSumReducer.class);
    job.setReducerClass(LongSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
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
    System.exit(ToolRunner.run(new CoOccurrenceMatrix(), args));
  }
}
