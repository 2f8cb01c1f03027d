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
package org.freshet.it.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.FileSystemCounter;
import org.freshet.examples.MedianByKey;
import org.freshet.hdfs.io.Uploader;
import org.freshet.it.cluster.MiniHadoop;
import org.freshet.it.cluster.MiniHadoopExtension;
import org.freshet.it.harness.JobOutcome;
import org.freshet.it.harness.SideBySide;
import org.freshet.it.harness.WorkDirectory;
import org.freshet.it.jobs.StockWordCount;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Two versions of a file are put to HDFS, and after each two jobs run over it on YARN: the stock
 * word count, and a median, of the old API and without a Combiner. The client never reads what was
 * put with an index, and after an edit the tasks read just what changed. Results are stored outside
 * of HDFS, so that what is read from HDFS is the input.
 */
@Tag("cluster")
@ExtendWith(MiniHadoopExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TwoVersionsIT {
  private static final int FILE_BYTES = 8 << 20;
  private static final int CHUNK_BYTES = 64 << 10;

  /** What the reader of a chunk takes beyond it: the rest of a buffer, which Hadoop makes 4 KiB. */
  private static final int READ_ON_BYTES = 8 << 10;

  /** A job's own files, such as its splits: tasks read them from HDFS too. */
  private static final int JOB_FILE_BYTES = 64 << 10;

  /** What a DataNode may have sent before it sees that the reader of a chunk has enough. */
  private static final int SENT_AHEAD_BYTES = 1 << 20;

  private final MiniHadoop hadoop;
  private final NumberedLines source = new NumberedLines(5);
  private final List<String> lines = new ArrayList<>();
  private DataNodeReads reads;
  private java.nio.file.Path work;
  private Path root;
  private Path file;
  private SideBySide wordCount;
  private SideBySide median;

  TwoVersionsIT(MiniHadoop hadoop) {
    this.hadoop = hadoop;
  }

  @BeforeAll
  void prepare() throws IOException {
    work = WorkDirectory.fresh("two-versions");
    root = hadoop.fresh("two-versions");
    file = new Path(root, "in/log");
    wordCount = job("word-count", StockWordCount::configure);
    median = job("median", TwoVersionsIT::median);
    reads = new DataNodeReads(hadoop);
  }

  @AfterAll
  void stopListening() {
    reads.close();
  }

  private SideBySide job(String name, Consumer<JobConf> job) throws IOException {
    return new SideBySide(
        new Path(root, name),
        hadoop.stockLocal(),
        freshet(name),
        conf -> {
          FileInputFormat.setInputPaths(conf, file.getParent());
          job.accept(conf);
        });
  }

  private JobConf freshet(String store) {
    JobConf conf = hadoop.freshet(root);
    conf.set("freshet.store", work.resolve(store).toUri().toString());
    conf.setInt("freshet.chunk.average.bytes", CHUNK_BYTES);
    conf.unset("freshet.chunk.min.bytes");
    conf.unset("freshet.chunk.max.bytes");
    return conf;
  }

  private static void median(JobConf conf) {
    conf.setJarByClass(MedianByKey.class);
    conf.setMapperClass(MedianByKey.NumberMapper.class);
    conf.setReducerClass(MedianByKey.MedianReducer.class);
    conf.setOutputKeyClass(Text.class);
    conf.setOutputValueClass(LongWritable.class);
    conf.setNumReduceTasks(2);
    conf.setSpeculativeExecution(false);
  }

  /** Puts the present lines as {@code freshet put} does. */
  private Uploader.Outcome put() throws IOException {
    java.nio.file.Path local = Files.write(work.resolve("log"), lines);
    List<Uploader.Outcome> outcomes = new ArrayList<>();
    try (Uploader uploader = new Uploader(freshet("none"), 2, sent -> {})) {
      uploader.put(List.of(new Uploader.Item(local, file, file)), outcomes::add);
    }
    assertThat(outcomes).hasSize(1);
    assertThat(outcomes.get(0).error()).isEmpty();
    assertThat(outcomes.get(0).indexed()).isTrue();
    return outcomes.get(0);
  }

  private static long readFromHdfs(JobOutcome run) {
    return run.counter(FileSystemCounter.class.getName(), "HDFS_BYTES_READ");
  }

  private static long counter(JobOutcome run, String name) {
    return run.counter("Freshet", name);
  }

  @Test
  @Order(1)
  void whatWasPutIsReadByTheFirstRunsTasksAlone() throws Exception {
    lines.addAll(source.next(FILE_BYTES));
    long bytes = put().bytes();

    for (SideBySide job : List.of(wordCount, median)) {
      reads.reset();
      JobOutcome first = job.runFreshet();

      assertThat(reads.byOthers(file)).as("bytes of the input that the client was sent").isZero();
      assertThat(reads.byTasks(file))
          .as("bytes that tasks were sent")
          .isGreaterThanOrEqualTo(bytes);
      assertThat(counter(first, "BYTES_DIGESTED")).isZero();
      assertThat(counter(first, "BYTES_MAPPED")).isEqualTo(bytes);
      assertThat(readFromHdfs(first)).isBetween(bytes, bytes + beyond(job, first));
      job.assertEqualToStock(first, job.lastOutput());
    }
  }

  /** How much more than its chunks the last run of a job may have read from HDFS. */
  private static long beyond(SideBySide job, JobOutcome run) throws IOException {
    // The store gets a copy of the output, for which the reduces read what they wrote.
    long output = job.fileSystem().getContentSummary(job.lastOutput()).getLength();
    return counter(run, "CHUNKS_ADDED") * READ_ON_BYTES + JOB_FILE_BYTES + output;
  }

  @Test
  @Order(2)
  void afterEditsTheTasksReadWhatChangedAndTheClientNothing() throws Exception {
    int count = lines.size();
    lines.addAll(source.next(800));
    lines.addAll(count / 4 * 3, source.next(1_200));
    lines.remove(count / 2);
    lines.set(count / 3, source.next());
    lines.add(7, source.next());
    Uploader.Outcome put = put();
    long bytes = put.bytes();
    assertThat(put.kept()).isPresent();
    long changed = bytes - put.kept().get().bytes();
    assertThat(changed).as("bytes in changed chunks").isBetween(1L, bytes / 10);

    for (SideBySide job : List.of(wordCount, median)) {
      reads.reset();
      JobOutcome second = job.runFreshet();

      assertThat(counter(second, "CHUNKS_ADDED"))
          .isEqualTo(put.chunks() - put.kept().get().chunks());
      assertThat(counter(second, "BYTES_MAPPED")).isEqualTo(changed);
      assertThat(counter(second, "BYTES_DIGESTED")).isZero();
      assertThat(reads.byOthers(file)).as("bytes of the input that the client was sent").isZero();
      assertThat(readFromHdfs(second))
          .as("bytes that tasks read")
          .isBetween(changed, changed + beyond(job, second));
      assertThat(reads.byTasks(file))
          .as("bytes of the input that tasks were sent")
          .isBetween(changed, changed + counter(second, "CHUNKS_ADDED") * SENT_AHEAD_BYTES);
      job.assertEqualToStock(second, job.lastOutput());
    }
  }

  @Test
  @Order(3)
  void withoutAnIndexTheClientReadsTheFileOnce() throws Exception {
    Path plain = new Path(root, "plain/log");
    hadoop.hdfs().copyFromLocalFile(new Path(work.resolve("log").toUri()), plain);
    long bytes = hadoop.hdfs().getFileStatus(plain).getLen();
    SideBySide job =
        new SideBySide(
            new Path(root, "without-index"),
            hadoop.stockLocal(),
            freshet("without-index"),
            conf -> {
              FileInputFormat.setInputPaths(conf, plain.getParent());
              StockWordCount.configure(conf);
            });
    reads.reset();
    JobOutcome run = job.runFreshet();

    assertThat(run.succeeded()).as("the job %s", run.end()).isTrue();
    assertThat(counter(run, "BYTES_DIGESTED")).isEqualTo(bytes);
    assertThat(reads.byOthers(plain))
        .as("bytes of the input that the client was sent")
        .isBetween(bytes, bytes + bytes / 2);
  }
}
