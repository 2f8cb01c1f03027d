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
package org.freshet.mapreduce.run;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;

/** Runs of words and counts in local files, made and read with stock classes. */
public final class RunFixture {
  private static final String ATTEMPT = "attempt_1_0001_m_000000_0";

  public final JobConf job = new JobConf();
  public final FileSystem local;
  public final MapTask task =
      new MapTask("", TaskAttemptID.forName(ATTEMPT), 0, new TaskSplitIndex(), 1);
  public final Task.TaskReporter reporter = task.new TaskReporter(task.getProgress(), null);
  private final java.nio.file.Path dir;
  private CompressionCodec codec;
  private int files;

  public RunFixture(java.nio.file.Path dir) throws IOException {
    this.dir = Files.createDirectories(dir.resolve("runs"));
    job.set(MRConfig.LOCAL_DIR, dir.resolve("local").toString());
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(IntWritable.class);
    local = FileSystem.getLocal(job).getRaw();
    task.setConf(job);
  }

  RunFixture compressed() {
    codec = new DefaultCodec();
    ((DefaultCodec) codec).setConf(job);
    return this;
  }

  NodeFile<Text, IntWritable> nodeFile() {
    return new NodeFile<>(job, codec, local, new Path(dir.resolve("file" + files++).toUri()));
  }

  NodeCombiner<Text, IntWritable> combiner() throws ClassNotFoundException {
    return new NodeCombiner<>(
        job,
        task.getTaskID(),
        codec,
        local,
        reporter,
        reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS));
  }

  /** A run in a file, of entries in the order given. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public final Run.InFile run(Map.Entry<String, Integer>... entries) throws Exception {
    return run(List.of(entries));
  }

  Run.InFile run(List<Map.Entry<String, Integer>> entries) throws Exception {
    try (NodeFile<Text, IntWritable> file = nodeFile()) {
      return append(file, entries);
    }
  }

  Run.InFile append(NodeFile<Text, IntWritable> file, List<Map.Entry<String, Integer>> entries)
      throws Exception {
    return (Run.InFile)
        file.append(
            writer -> {
              for (Map.Entry<String, Integer> entry : entries) {
                writer.append(new Text(entry.getKey()), new IntWritable(entry.getValue()));
              }
            });
  }

  /** The same run in memory, at the start of an array that is too long. */
  Run.InMemory inMemory(Run run) throws IOException {
    byte[] bytes;
    try (var in = run.open()) {
      bytes = in.readAllBytes();
    }
    return new Run.InMemory(
        run.content(),
        java.util.Arrays.copyOf(bytes, bytes.length + 100),
        run.storedLength(),
        run.rawLength());
  }

  List<Map.Entry<String, Integer>> read(Run... runs) throws Exception {
    RawKeyValueIterator merged = combiner().merge(List.of(runs));
    List<Map.Entry<String, Integer>> entries = new ArrayList<>();
    Text key = new Text();
    IntWritable value = new IntWritable();
    while (merged.next()) {
      key.readFields(copy(merged.getKey()));
      value.readFields(copy(merged.getValue()));
      entries.add(Map.entry(key.toString(), value.get()));
    }
    merged.close();
    return entries;
  }

  private static DataInputBuffer copy(DataInputBuffer buffer) {
    DataInputBuffer copy = new DataInputBuffer();
    copy.reset(buffer.getData(), buffer.getPosition(), buffer.getLength() - buffer.getPosition());
    return copy;
  }
}
