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

/** Whole jobs, on the local job runner, over chunks that occur twice or in another order. */
class RearrangedInputTest {
  /** Enough for two map tasks. */
  private static final int BYTES = 20 << 20;

  private static final int SMALL = 3 << 20;

  @TempDir private java.nio.file.Path temporary;

  private static String text(int seed, int bytes) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder(bytes + 600);
    while (text.length() < bytes) {
      // Few words in long lines: the chunks differ, the words do not cost much.
      text.append("w").append(random.nextInt(1000)).append("-".repeat(500));
      text.append('\n');
    }
    return text.toString();
  }

  private void write(String name, String text) throws IOException {
    Files.createDirectories(temporary.resolve("in"));
    Files.writeString(temporary.resolve("in").resolve(name), text);
  }

  private Job run(String framework) throws Exception {
    return run(framework, framework, "a.txt", "b.txt");
  }

  private Job run(String framework, String output, String... inputs) throws Exception {
    Configuration conf = new Configuration();
    conf.set(MRConfig.FRAMEWORK_NAME, framework);
    conf.set("freshet.delegate", "local");
    conf.set("freshet.store", temporary.resolve("store").toUri().toString());
    conf.set("freshet.strict", "true");
    conf.set("freshet.chunk.average.bytes", "64k");
    conf.setInt("mapreduce.input.fileinputformat.split.maxsize", 10 << 20);
    conf.setInt("mapreduce.client.completion.pollinterval", 100);
    conf.setInt("mapreduce.client.progressmonitor.pollinterval", 100);
    conf.set("hadoop.tmp.dir", temporary.resolve("tmp").toString());
    Job job = Job.getInstance(conf);
    job.setMapperClass(TokenCounterMapper.class);
    job.setCombinerClass(IntSumReducer.class);
    job.setReducerClass(IntSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    for (String input : inputs) {
      FileInputFormat.addInputPath(job, new Path(temporary.resolve("in").resolve(input).toUri()));
    }
    FileOutputFormat.setOutputPath(job, new Path(temporary.resolve(output).toUri()));
    assertThat(job.waitForCompletion(false)).isTrue();
    return job;
  }

  private String output(String name) throws IOException {
    return Files.readString(temporary.resolve(name + "/part-r-00000"));
  }

  private static long counter(Job job, String name) throws IOException {
    return job.getCounters().findCounter(FreshetCounters.GROUP, name).getValue();
  }

  @Test
  void chunksThatOccurTwiceAreMappedOnceAndNotAgainInTheReduce() throws Exception {
    String text = text(1, BYTES);
    write("a.txt", text);
    write("b.txt", text);

    Job incremental = run("freshet");
    Job stock = run("local");

    assertThat(output("freshet")).isEqualTo(output("local"));
    assertThat(counter(incremental, FreshetCounters.BYTES_MAPPED))
        .isEqualTo(Files.size(temporary.resolve("in/a.txt")));
    assertThat(counter(incremental, FreshetCounters.RUNS_RECOMPUTED)).isZero();
    assertThat(incremental.getCounters().findCounter(TaskCounter.MAP_INPUT_RECORDS).getValue())
        .isEqualTo(stock.getCounters().findCounter(TaskCounter.MAP_INPUT_RECORDS).getValue());
  }

  @Test
  void nothingOfARunThatOnlySawChunksInAnotherOrderIsTakenForMemoized() throws Exception {
    write("a.txt", text(1, SMALL));
    write("b.txt", text(2, SMALL));
    run("freshet", "first", "a.txt", "b.txt");
    // The same chunks, another tree.
    Job moved = run("freshet", "moved", "b.txt", "a.txt");
    write("b.txt", "one line more\n" + text(2, SMALL));
    Job edited = run("freshet", "edited", "b.txt", "a.txt");
    run("local");

    assertThat(counter(moved, FreshetCounters.CHUNKS_ADDED)).isZero();
    assertThat(counter(moved, FreshetCounters.NODES_COMBINED)).isZero();
    assertThat(output("moved")).isEqualTo(output("first"));
    assertThat(counter(edited, FreshetCounters.CHUNKS_ADDED)).isBetween(1L, 2L);
    assertThat(counter(edited, FreshetCounters.RUNS_RECOMPUTED)).isZero();
    assertThat(output("edited")).isEqualTo(output("local"));
  }
}
