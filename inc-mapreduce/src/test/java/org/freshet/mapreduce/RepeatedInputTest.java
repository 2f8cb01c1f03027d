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
package org.freshet.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.TokenCounterMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole job, on the local job runner, over an input whose every chunk occurs twice. */
class RepeatedInputTest {
  /** Enough for two map tasks. */
  private static final int BYTES = 20 << 20;

  @TempDir private java.nio.file.Path temporary;

  private void writeTwins() throws IOException {
    Random random = new Random(1);
    StringBuilder text = new StringBuilder(BYTES + 100);
    while (text.length() < BYTES) {
      // Few words in long lines: the chunks differ, the words do not cost much.
      text.append("w").append(random.nextInt(1000)).append("-".repeat(500));
      text.append('\n');
    }
    Files.createDirectories(temporary.resolve("in"));
    Files.writeString(temporary.resolve("in/a.txt"), text);
    Files.writeString(temporary.resolve("in/b.txt"), text);
  }

  private Job run(String framework) throws Exception {
    Configuration conf = new Configuration();
    conf.set(MRConfig.FRAMEWORK_NAME, framework);
    conf.set("freshet.delegate", "local");
    conf.set("freshet.store", temporary.resolve("store").toUri().toString());
    conf.set("freshet.strict", "true");
    conf.set("freshet.chunk.average.bytes", "64k");
    conf.setInt("mapreduce.input.fileinputformat.split.maxsize", 10 << 20);
    conf.set("hadoop.tmp.dir", temporary.resolve("tmp").toString());
    Job job = Job.getInstance(conf);
    job.setMapperClass(TokenCounterMapper.class);
    job.setCombinerClass(IntSumReducer.class);
    job.setReducerClass(IntSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, new Path(temporary.resolve("in").toUri()));
    FileOutputFormat.setOutputPath(job, new Path(temporary.resolve(framework).toUri()));
    assertThat(job.waitForCompletion(false)).isTrue();
    return job;
  }

  private String output(String framework) throws IOException {
    return Files.readString(temporary.resolve(framework + "/part-r-00000"));
  }

  private static long counter(Job job, String name) throws IOException {
    return job.getCounters().findCounter(FreshetCounters.GROUP, name).getValue();
  }

  @Test
  void chunksThatOccurTwiceAreMappedOnceAndNotAgainInTheReduce() throws Exception {
    writeTwins();

    Job incremental = run("freshet");
    Job stock = run("local");

    assertThat(output("freshet")).isEqualTo(output("local"));
    assertThat(counter(incremental, FreshetCounters.BYTES_MAPPED))
        .isEqualTo(Files.size(temporary.resolve("in/a.txt")));
    assertThat(counter(incremental, FreshetCounters.RUNS_RECOMPUTED)).isZero();
    assertThat(incremental.getCounters().findCounter(TaskCounter.MAP_INPUT_RECORDS).getValue())
        .isEqualTo(stock.getCounters().findCounter(TaskCounter.MAP_INPUT_RECORDS).getValue());
  }
}
