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
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapRunnable;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;

/** Map runners of the old API for the tests of the analysis; never run, only read. */
final class SampleRunners {

  private SampleRunners() {}

  abstract static class Runner implements MapRunnable<LongWritable, Text, Text, LongWritable> {
    Mapper<LongWritable, Text, Text, LongWritable> mapper;

    @Override
    public void configure(JobConf job) {
      job.getInt("runner.limit", 1);
    }
  }

  static class HandsKeysOn extends Runner {
    @Override
    public void run(
        RecordReader<LongWritable, Text> input,
        OutputCollector<Text, LongWritable> output,
        Reporter reporter)
        throws IOException {
      LongWritable key = input.createKey();
      Text value = input.createValue();
      while (input.next(key, value)) {
        mapper.map(key, value, output, reporter);
      }
    }
  }

  static class EmitsKeys extends Runner {
    @Override
    public void run(
        RecordReader<LongWritable, Text> input,
        OutputCollector<Text, LongWritable> output,
        Reporter reporter)
        throws IOException {
      LongWritable key = input.createKey();
      Text value = input.createValue();
      while (input.next(key, value)) {
        output.collect(value, key);
      }
    }
  }

  static class FillsOwnKey extends Runner {
    @Override
    public void run(
        RecordReader<LongWritable, Text> input,
        OutputCollector<Text, LongWritable> output,
        Reporter reporter)
        throws IOException {
      LongWritable key = new LongWritable();
      Text value = new Text();
      while (input.next(key, value)) {
        output.collect(value, key);
      }
    }
  }

  static class AsksReader extends Runner {
    @Override
    public void run(
        RecordReader<LongWritable, Text> input,
        OutputCollector<Text, LongWritable> output,
        Reporter reporter)
        throws IOException {
      output.collect(new Text(), new LongWritable(input.getPos()));
    }
  }
}
