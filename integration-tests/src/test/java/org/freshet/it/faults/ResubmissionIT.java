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
package org.freshet.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileAlreadyExistsException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.freshet.it.harness.JobOutcome;
import org.freshet.it.harness.LocalHadoop;
import org.freshet.it.harness.OutputSnapshot;
import org.freshet.it.harness.SideBySide;
import org.freshet.it.harness.WorkDirectory;
import org.freshet.it.jobs.NewMappers;
import org.freshet.it.jobs.NewReducers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What programs do with the configuration of a job around its submission: it is another job then,
 * and gets no result of the one before.
 */
@Tag("faults")
class ResubmissionIT {
  /** Writes each word with a property of the job. */
  public static final class Marked extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String mark = context.getConfiguration().get("it.mark", "none");
      for (String word : line.toString().split(" ", -1)) {
        context.write(new Text(word + mark), new IntWritable(1));
      }
    }
  }

  /** Tells the mappers how many splits there are. */
  public static final class CountingFormat extends TextInputFormat {
    @Override
    public List<InputSplit> getSplits(JobContext job) throws IOException {
      List<InputSplit> splits = super.getSplits(job);
      job.getConfiguration().set("it.mark", "-" + splits.size());
      return splits;
    }
  }

  private SideBySide sides;
  private Consumer<JobConf> job = conf -> {};
  private final List<String> lines = new ArrayList<>();

  @BeforeEach
  void writeInput() throws IOException {
    Path work = WorkDirectory.fresh("resubmission");
    sides =
        new SideBySide(
            new org.apache.hadoop.fs.Path(work.toString(), "job"),
            LocalHadoop.stock(work.resolve("tmp-stock")),
            LocalHadoop.freshet(work.resolve("tmp"), work.resolve("store"), 256, 3),
            conf -> {
              conf.set(MRJobConfig.MAP_CLASS_ATTR, NewMappers.Tokens.class.getName());
              conf.set(MRJobConfig.COMBINE_CLASS_ATTR, NewReducers.Sum.class.getName());
              conf.set(MRJobConfig.REDUCE_CLASS_ATTR, NewReducers.Sum.class.getName());
              conf.setOutputKeyClass(Text.class);
              conf.setOutputValueClass(IntWritable.class);
              job.accept(conf);
            });
    for (int i = 0; i < 100; i++) {
      lines.add("line " + i + " of words that are counted, some " + i % 7 + " times");
    }
    sides.put("part-0", lines);
  }

  private static JobOutcome run(Job submitted) throws Exception {
    return JobOutcome.of(submitted.waitForCompletion(false), submitted.getCounters());
  }

  @Test
  void aJobMadeFromAnotherOnesConfigurationIsAnotherJob() throws Exception {
    sides.assertEqualToStock();
    Job first = Job.getInstance(sides.freshetJob(sides.freshOutput()));
    assertThat(run(first).counter("Freshet", "CHUNKS_ADDED")).isZero();

    org.apache.hadoop.fs.Path to = sides.freshOutput();
    job =
        conf -> {
          conf.set(MRJobConfig.MAP_CLASS_ATTR, Marked.class.getName());
          conf.set(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, TextInputFormat.class.getName());
        };
    Job second = Job.getInstance(first.getConfiguration());
    second.setMapperClass(Marked.class);
    second.setInputFormatClass(TextInputFormat.class);
    FileOutputFormat.setOutputPath(second, to);
    JobOutcome outcome = run(second);

    assertThat(outcome.counter("Freshet", "CHUNKS_KEPT")).isZero();
    sides.assertEqualToStock(outcome, to);
  }

  @Test
  void theSameJobMadeFromAnotherOnesConfigurationReusesItsResults() throws Exception {
    Job first = Job.getInstance(sides.freshetJob(sides.freshOutput()));
    assertThat(run(first).counter("Freshet", "CHUNKS_ADDED")).isPositive();

    org.apache.hadoop.fs.Path to = sides.freshOutput();
    Job second = Job.getInstance(first.getConfiguration());
    FileOutputFormat.setOutputPath(second, to);
    JobOutcome outcome = run(second);

    assertThat(outcome.counter("Freshet", "CHUNKS_ADDED")).isZero();
    sides.assertEqualToStock(outcome, to);
  }

  @Test
  void whatTheInputFormatSetsIsPartOfTheJob() throws Exception {
    job =
        conf -> {
          conf.set(MRJobConfig.MAP_CLASS_ATTR, Marked.class.getName());
          conf.set(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, CountingFormat.class.getName());
        };
    sides.assertEqualToStock();
    assertThat(sides.assertEqualToStock().counter("Freshet", "CHUNKS_ADDED")).isZero();

    sides.put("part-1", lines.subList(0, 10));
    sides.assertEqualToStock();
    assertThat(sides.assertEqualToStock().counter("Freshet", "CHUNKS_ADDED")).isZero();
  }

  @Test
  void whatIsSetBeforeAFailedJobIsSubmittedOnceMoreIsPartOfIt() throws Exception {
    job = conf -> conf.set(MRJobConfig.MAP_CLASS_ATTR, Marked.class.getName());
    org.apache.hadoop.fs.Path to = sides.freshOutput();
    Job submitted = Job.getInstance(sides.freshetJob(to));
    sides.fileSystem().mkdirs(to);
    assertThatThrownBy(submitted::submit).isInstanceOf(FileAlreadyExistsException.class);

    sides.fileSystem().delete(to, true);
    submitted.getConfiguration().set("it.mark", "!");
    JobOutcome outcome = run(submitted);
    assertThat(outcome.succeeded()).isTrue();
    assertThat(OutputSnapshot.read(to, submitted.getConfiguration()).files().get("part-r-00000"))
        .asString(UTF_8)
        .contains("line!\t100\n");

    sides.assertEqualToStock();
  }

  @Test
  void aJobMayGetAnotherFormatBeforeItIsSubmittedOnceMore() throws Exception {
    org.apache.hadoop.fs.Path to = sides.freshOutput();
    Job submitted = Job.getInstance(sides.freshetJob(to));
    sides.fileSystem().mkdirs(to);
    assertThatThrownBy(submitted::submit).isInstanceOf(FileAlreadyExistsException.class);
    sides.fileSystem().delete(to, true);

    submitted.setInputFormatClass(CountingFormat.class);
    submitted.setMapperClass(Marked.class);
    JobOutcome outcome = run(submitted);

    job =
        conf -> {
          conf.set(MRJobConfig.MAP_CLASS_ATTR, Marked.class.getName());
          conf.set(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, CountingFormat.class.getName());
        };
    sides.assertEqualToStock(outcome, to);
  }

  @Test
  void whoAsksToBeToldOfTheEndIsToldEvenIfNothingHasChanged() throws Exception {
    sides.assertEqualToStock();
    CountDownLatch told = new CountDownLatch(1);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/ended",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
          told.countDown();
        });
    server.start();
    try {
      job =
          conf ->
              conf.set(
                  MRJobConfig.MR_JOB_END_NOTIFICATION_URL,
                  "http://127.0.0.1:" + server.getAddress().getPort() + "/ended");
      org.apache.hadoop.fs.Path to = sides.freshOutput();
      JobOutcome outcome = run(Job.getInstance(sides.freshetJob(to)));
      assertThat(told.await(30, TimeUnit.SECONDS)).as("told of the job's end").isTrue();
      assertThat(outcome.counter("Freshet", "CHUNKS_ADDED")).isZero();
      job = conf -> {};
      sides.assertEqualToStock(outcome, to);
    } finally {
      server.stop(0);
    }
  }
}
