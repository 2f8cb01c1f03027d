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
package org.freshet.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.mapreduce.FreshetKeys;

/** A word count over a few kilobytes on the local job runner, with chunks to match. */
final class SmallJob {
  static final int REDUCES = 2;
  private static final int LINES = 60;

  private final Path dir;
  private final Path input;
  private final Map<String, String> properties = new TreeMap<>();
  private Class<? extends Mapper<?, ?, ?, ?>> mapper = Words.class;
  private boolean combines = true;

  static {
    // The local job runner starts the JVM's metrics, which other tests' NameNodes then register
    // with, more than one under a name.
    DefaultMetricsSystem.setMiniClusterMode(true);
  }

  SmallJob(Path dir) throws IOException {
    this.dir = dir;
    input = Files.createDirectories(dir.resolve("in"));
  }

  /** The memo store. */
  Path store() {
    return dir.resolve("store");
  }

  Path output(String name) {
    return dir.resolve(name);
  }

  Path file(int number) {
    return input.resolve("part-" + number);
  }

  void write(int files) throws IOException {
    for (int file = 0; file < files; file++) {
      List<String> lines = new ArrayList<>();
      for (int line = 0; line < LINES; line++) {
        lines.add("file " + file + " has a line " + line + " and some words that others have too");
      }
      Files.write(file(file), lines);
    }
  }

  /** Adds a word that no other line has, so that the counts of one reduce alone change. */
  void addWord(int file, int line) throws IOException {
    List<String> lines = Files.readAllLines(file(file));
    lines.set(line, lines.get(line) + " extraordinary");
    Files.write(file(file), lines);
  }

  void set(String name, String value) {
    properties.put(name, value);
  }

  /** Compresses a file. */
  void gzip(int file) throws IOException {
    Path plain = file(file);
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(input.resolve(plain.getFileName() + ".gz")))) {
      Files.copy(plain, out);
    }
    Files.delete(plain);
  }

  void mapper(Class<? extends Mapper<?, ?, ?, ?>> mapper) {
    this.mapper = mapper;
  }

  void withoutCombiner() {
    combines = false;
  }

  /** Runs the job and returns its id. */
  String run(String output) throws Exception {
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", dir.resolve("tmp").toString());
    conf.set(MRConfig.FRAMEWORK_NAME, FreshetKeys.FRAMEWORK);
    conf.set(FreshetKeys.DELEGATE.name(), MRConfig.LOCAL_FRAMEWORK_NAME);
    conf.set(FreshetKeys.STORE.name(), store().toUri().toString());
    conf.set(HdfsKeys.CHUNK_AVERAGE.name(), "512");
    conf.set(FreshetKeys.TREE_FAN_IN.name(), "3");
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 5);
    conf.setInt(MRJobConfig.IO_SORT_MB, 1);
    properties.forEach(conf::set);
    Job job = Job.getInstance(conf, "small");
    job.setMapperClass(mapper);
    if (combines) {
      job.setCombinerClass(IntSumReducer.class);
    }
    job.setReducerClass(IntSumReducer.class);
    job.setNumReduceTasks(REDUCES);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, hadoop(input));
    FileOutputFormat.setOutputPath(job, hadoop(output(output)));
    if (!job.waitForCompletion(false)) {
      throw new IOException(job.getJobID() + " failed");
    }
    return job.getJobID().toString();
  }

  /** Spoils an output, as somebody might who edits it by hand. */
  void editOutput(String output) throws IOException {
    try (Stream<Path> files = Files.list(output(output))) {
      for (Path file : files.filter(f -> f.getFileName().toString().contains("part-")).toList()) {
        Files.writeString(file, "edited");
      }
    }
  }

  private static org.apache.hadoop.fs.Path hadoop(Path path) {
    return new org.apache.hadoop.fs.Path(path.toUri());
  }

  /** Counts words. */
  public static final class Words extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      for (String word : line.toString().split(" ", -1)) {
        context.write(new Text(word), new IntWritable(1));
      }
    }
  }

  /** Depends on where a line stands. */
  public static final class Offsets extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(new Text("offsets"), new IntWritable((int) offset.get()));
    }
  }

  /** Depends on when it runs. */
  public static final class Clock extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, new IntWritable((int) System.currentTimeMillis()));
    }
  }
}
