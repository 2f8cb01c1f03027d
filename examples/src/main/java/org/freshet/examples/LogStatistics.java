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
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;
import org.apache.hadoop.util.ToolRunner;

/**
 * Requests by status, hour, host and path and bytes by path from a web server's log, over several
 * reduces, with user counters on both sides.
 */
public final class LogStatistics extends ExampleTool {

  /** Property: the number of reduces. */
  static final String REDUCES = "logstats.reduces";

  /** Makes the program; its input is in Common Log Format. */
  public LogStatistics() {
    super("logstats", "  -D" + REDUCES + "=N  number of reduces (default 3)", "in", "out");
  }

  /** The job's own counters. */
  public enum Requests {
    /** Lines understood. */
    PARSED,
    /** Lines left out. */
    MALFORMED,
    /** Requests that the server failed to answer (5xx). */
    SERVER_ERRORS,
    /** Different statistics written. */
    STATISTICS
  }

  /** Emits what a request adds to each statistic. */
  public static final class RequestMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
    private final Text statistic = new Text();
    private final LongWritable amount = new LongWritable();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Optional<LogLine> parsed = LogLine.parse(line.toString());
      if (parsed.isEmpty()) {
        context.getCounter(Requests.MALFORMED).increment(1);
        return;
      }
      LogLine request = parsed.get();
      context.getCounter(Requests.PARSED).increment(1);
      context.getCounter("status", request.status() / 100 + "xx").increment(1);
      if (request.status() >= 500) {
        context.getCounter(Requests.SERVER_ERRORS).increment(1);
      }
      emit("status " + request.status(), 1, context);
      emit(String.format(Locale.ROOT, "hour %02d", request.hour()), 1, context);
      emit("host " + request.host(), 1, context);
      emit("path " + request.path(), 1, context);
      emit("bytes " + request.path(), request.bytes(), context);
    }

    private void emit(String name, long value, Context context)
        throws IOException, InterruptedException {
      statistic.set(name);
      amount.set(value);
      context.write(statistic, amount);
    }
  }

  /** Sums up a statistic and counts it. */
  public static final class StatisticReducer
      extends Reducer<Text, LongWritable, Text, LongWritable> {
    private final LongWritable total = new LongWritable();

    @Override
    protected void reduce(Text statistic, Iterable<LongWritable> amounts, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (LongWritable amount : amounts) {
        sum += amount.get();
      }
      total.set(sum);
      context.write(statistic, total);
      context.getCounter(Requests.STATISTICS).increment(1);
    }
  }

  @Override
  boolean execute(String[] args) throws IOException, InterruptedException, ClassNotFoundException {
    Job job = Job.getInstance(getConf(), "log statistics");
    job.setJarByClass(LogStatistics.class);
    job.setMapperClass(RequestMapper.class);
    job.setCombinerClass(LongSumReducer.class);
    job.setReducerClass(StatisticReducer.class);
    job.setNumReduceTasks(getConf().getInt(REDUCES, 3));
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
    System.exit(ToolRunner.run(new LogStatistics(), args));
  }
}
