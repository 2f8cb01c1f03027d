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
package org.freshet.mapreduce.analysis;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.util.ReflectionUtils;

/** Reducers for the tests of the analysis; never run, only read. */
final class SampleReducers {

  private SampleReducers() {}

  static class NumbersByPartition extends Reducer<Text, IntWritable, Text, LongWritable> {
    private static long next;

    @Override
    protected void setup(Context context) {
      next = context.getConfiguration().getInt("mapreduce.task.partition", 0) * 1_000_000L;
    }

    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      context.write(key, new LongWritable(next++));
    }
  }

  static class NamesAttempt extends Reducer<Text, IntWritable, Text, Text> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      context.write(key, new Text(context.getTaskAttemptID().toString()));
    }
  }

  static class AsksConfiguredScorer extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      HazardMappers.Scorer scorer =
          ReflectionUtils.newInstance(
              context.getConfiguration().getClass("scorer", null, HazardMappers.Scorer.class),
              context.getConfiguration());
      context.write(key, new IntWritable(scorer.score(key.toString())));
    }
  }

  static class SamplesReducer extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context) {
      values.forEach(
          value -> {
            try {
              if (Math.random() < 0.1) {
                context.write(key, value);
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
    }
  }

  /** A combiner reads its keys; they are no positions. */
  static class Sum extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> counts, Context context)
        throws IOException, InterruptedException {
      int sum = 0;
      for (IntWritable count : counts) {
        sum += count.get();
      }
      context.write(key, new IntWritable(sum));
    }

    @Override
    public void run(Context context) throws IOException, InterruptedException {
      while (context.nextKey()) {
        reduce(context.getCurrentKey(), context.getValues(), context);
      }
    }
  }
}
