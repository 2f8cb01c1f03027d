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
package org.freshet.mapreduce.plan;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.freshet.hdfs.index.ChunkIndexer;
import org.freshet.mapreduce.FallbackException;
import org.freshet.shredder.ChunkerConfig;

/** Files in a temporary directory, the splits of a stock input format over them, and their scan. */
final class ScannedInput {
  static final ChunkerConfig SIZES = ChunkerConfig.withAverage(256);

  private final java.nio.file.Path root;
  final java.nio.file.Path dir;
  final JobConf conf = new JobConf();

  ScannedInput(java.nio.file.Path root) throws IOException {
    this.root = root;
    dir = Files.createDirectories(root.resolve("input"));
    conf.set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    conf.set("hadoop.tmp.dir", root.resolve("tmp").toString());
  }

  java.nio.file.Path write(String name, String content) throws IOException {
    java.nio.file.Path file = dir.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  Path path(String name) {
    return new Path(dir.resolve(name).toUri());
  }

  /** Splits of at most so many bytes. */
  ScannedInput splitSize(long bytes) {
    conf.setLong("mapreduce.input.fileinputformat.split.maxsize", bytes);
    return this;
  }

  List<org.apache.hadoop.mapreduce.InputSplit> splits(
      Class<? extends FileInputFormat<?, ?>> format, String... globs)
      throws IOException, InterruptedException {
    Job job = Job.getInstance(conf);
    for (String glob : globs) {
      FileInputFormat.addInputPath(job, new Path(new Path(dir.toUri()), glob));
    }
    try {
      return new ArrayList<>(
          format
              .getDeclaredConstructor()
              .newInstance()
              .getSplits(new JobContextImpl(job.getConfiguration(), new JobID("scan", 1))));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(format.getName(), e);
    }
  }

  InputScan scan(LeafNaming naming, List<?> splits, Class<?> format)
      throws FallbackException, InterruptedException {
    boolean newApi = format.getName().startsWith("org.apache.hadoop.mapreduce.");
    ChunkIndexer indexer =
        new ChunkIndexer(conf, new Path(root.resolve("store").toUri()), SIZES, 2);
    InputScan scan = new InputScan(conf, format.getName(), newApi, naming, indexer);
    scan.scan(splits);
    return scan;
  }

  /** Scans files as plain text. */
  InputScan text(LeafNaming naming, String... globs)
      throws IOException, InterruptedException, FallbackException {
    return scan(naming, splits(TextInputFormat.class, globs), TextInputFormat.class);
  }

  /** What the stock text reader gives for the splits of some leaves, one line a record. */
  List<String> lines(List<Leaf> leaves) throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    for (Leaf leaf : leaves) {
      lines.addAll(lines((org.apache.hadoop.mapreduce.InputSplit) leaf.split()));
    }
    return lines;
  }

  List<String> lines(org.apache.hadoop.mapreduce.InputSplit split)
      throws IOException, InterruptedException {
    TaskAttemptContext context =
        new TaskAttemptContextImpl(
            conf, new TaskAttemptID(new TaskID(new JobID("scan", 1), TaskType.MAP, 0), 0));
    List<String> lines = new ArrayList<>();
    try (RecordReader<?, ?> reader = new TextInputFormat().createRecordReader(split, context)) {
      reader.initialize(split, context);
      while (reader.nextKeyValue()) {
        lines.add(reader.getCurrentKey() + ":" + reader.getCurrentValue());
      }
    }
    return lines;
  }

  static String randomText(int lines, long seed) {
    StringBuilder text = new StringBuilder();
    Random random = new Random(seed);
    for (int i = 0; i < lines; i++) {
      text.append(Long.toString(random.nextLong(), 36)).append(" a line of text\n");
    }
    return text.toString();
  }
}
