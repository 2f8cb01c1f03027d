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
package org.freshet.mapreduce.map;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.freshet.mapreduce.run.RunFixture;
import org.freshet.mapreduce.submit.JobRewrite;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches of two chunks of one file: the lines "a\tA", "bb\tBB" and the line "c\tC". */
class BatchReadersTest {
  private static final String ATTEMPT = "attempt_1_0001_m_000007_0";

  @TempDir private java.nio.file.Path temporary;
  private final JobConf conf = new JobConf();
  private Path file;
  private Reporter reporter;

  @BeforeEach
  void writeFile() throws IOException {
    reporter = new RunFixture(temporary).reporter;
    file = new Path(Files.writeString(temporary.resolve("in"), "a\tA\nbb\tBB\nc\tC\n").toUri());
    conf.set(MRJobConfig.TASK_ATTEMPT_ID, ATTEMPT);
    conf.set(MRJobConfig.INPUT_FORMAT_CLASS_ATTR, KeyValueTextInputFormat.class.getName());
    JobRewrite.replace(conf, MRJobConfig.INPUT_FORMAT_CLASS_ATTR, BatchInputFormat.class.getName());
    JobRewrite.replace(conf, "mapred.input.format.class", OldBatchInputFormat.class.getName());
  }

  private Batch batch(Writable first, Writable second) {
    Batch batch = new Batch();
    batch.files().add(new Batch.Source(file.toString(), "v"));
    batch
        .chunks()
        .add(new Batch.Chunk(Digest.sha256("1".getBytes(UTF_8)), 10, first, new int[] {0}));
    batch
        .chunks()
        .add(new Batch.Chunk(Digest.sha256("2".getBytes(UTF_8)), 4, second, new int[] {0}));
    return batch;
  }

  private BatchSplit newSplit() {
    return new BatchSplit(
        batch(
            new org.apache.hadoop.mapreduce.lib.input.FileSplit(file, 0, 9, null),
            new org.apache.hadoop.mapreduce.lib.input.FileSplit(file, 9, 5, null)),
        file,
        null);
  }

  private OldBatchSplit oldSplit() {
    return new OldBatchSplit(
        batch(
            new org.apache.hadoop.mapred.FileSplit(file, 0, 9, (String[]) null),
            new org.apache.hadoop.mapred.FileSplit(file, 9, 5, (String[]) null)),
        file,
        null);
  }

  private TaskAttemptContextImpl userContext() {
    return new TaskAttemptContextImpl(JobRewrite.userView(conf), TaskAttemptID.forName(ATTEMPT));
  }

  @Test
  void chunksAreReadOneByOneWithTheJobsOwnFormat() throws Exception {
    TaskAttemptContextImpl context =
        new TaskAttemptContextImpl(conf, TaskAttemptID.forName(ATTEMPT));
    try (BatchRecordReader reader = new BatchRecordReader()) {
      reader.initialize(newSplit(), context);
      List<List<String>> chunks = new ArrayList<>();
      List<Float> progress = new ArrayList<>();
      progress.add(reader.getProgress());
      for (Batch.Chunk chunk : reader.batch().chunks()) {
        reader.open(chunk, userContext(), reporter.getCounter(FileInputFormatCounter.BYTES_READ));
        List<String> records = new ArrayList<>();
        while (reader.nextKeyValue()) {
          records.add(reader.getCurrentKey() + "=" + reader.getCurrentValue());
          progress.add(reader.getProgress());
        }
        reader.closeChunk();
        progress.add(reader.getProgress());
        chunks.add(records);
      }

      assertThat(chunks).containsExactly(List.of("a=A", "bb=BB"), List.of("c=C"));
      assertThat(progress).isSorted().startsWith(0f).contains(10 / 14f).endsWith(1f);
    }
  }

  @Test
  void openingAChunkCountsTheBytesItReads() throws Exception {
    TaskAttemptContextImpl context =
        new TaskAttemptContextImpl(conf, TaskAttemptID.forName(ATTEMPT));
    var bytesRead = reporter.getCounter(FileInputFormatCounter.BYTES_READ);
    try (BatchRecordReader reader = new BatchRecordReader()) {
      reader.initialize(newSplit(), context);
      long before = BytesRead.of(file);

      // The second chunk's reader reads up to its first line when it is opened.
      reader.open(reader.batch().chunks().get(1), userContext(), bytesRead);

      assertThat(bytesRead.getValue()).isPositive().isEqualTo(BytesRead.of(file) - before);
    }
  }

  @Test
  void aReaderIsFoundByItsAttemptUntilItIsClosed() throws Exception {
    TaskAttemptContextImpl context =
        new TaskAttemptContextImpl(conf, TaskAttemptID.forName(ATTEMPT));
    TaskAttemptContextImpl other =
        new TaskAttemptContextImpl(conf, TaskAttemptID.forName("attempt_1_0001_m_000007_1"));
    BatchRecordReader reader = new BatchRecordReader();
    reader.initialize(newSplit(), context);

    assertThat(BatchRecordReader.of(context)).isSameAs(reader);
    assertThatThrownBy(() -> BatchRecordReader.of(other))
        .hasMessageContaining("attempt_1_0001_m_000007_1");
    reader.close();
    assertThatThrownBy(() -> BatchRecordReader.of(context))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(ATTEMPT);
  }

  @Test
  void oldApisChunksAreReadOneByOneWithPositionsInTheFile() throws Exception {
    conf.set(MRConfig.LOCAL_DIR, temporary.toString());
    OldBatchRecordReader reader = new OldBatchRecordReader(oldSplit(), conf);
    assertThat(OldBatchRecordReader.of(ATTEMPT)).isSameAs(reader);
    List<String> records = new ArrayList<>();
    List<Float> progress = new ArrayList<>();
    for (Batch.Chunk chunk : reader.batch().chunks()) {
      reader.open(
          chunk,
          JobRewrite.userView(conf),
          reporter,
          reporter.getCounter(FileInputFormatCounter.BYTES_READ));
      LongWritable key = (LongWritable) reader.createKey();
      Text value = (Text) reader.createValue();
      while (reader.next(key, value)) {
        records.add(key + ":" + value + "@" + reader.chunkPosition());
        progress.add(reader.getProgress());
      }
      reader.closeChunk();
    }

    assertThat(records).containsExactly("0:a\tA@4", "4:bb\tBB@10", "10:c\tC@14");
    assertThat(progress).isSorted();
    assertThat(reader.getProgress()).isEqualTo(1f);
    assertThat(reader.getPos()).isEqualTo(14);
    reader.close();
    assertThatThrownBy(() -> OldBatchRecordReader.of(ATTEMPT)).hasMessageContaining(ATTEMPT);
  }

  @Test
  void anOldMapperIsToldOfItsChunkAsStockTellsOfASplit() {
    ChunkMapping.describe(
        new org.apache.hadoop.mapred.FileSplit(file, 9, 5, (String[]) null), conf);

    assertThat(conf.get(MRJobConfig.MAP_INPUT_FILE)).isEqualTo(file.toString());
    assertThat(conf.getLong(MRJobConfig.MAP_INPUT_START, -1)).isEqualTo(9);
    assertThat(conf.getLong("mapreduce.map.input.length", -1)).isEqualTo(5);
  }

  @Test
  void filesOfTwoLeavesAreApartAndRemovedByDirectory() throws IOException {
    conf.set(MRConfig.LOCAL_DIR, temporary.resolve("d1") + "," + temporary.resolve("d2"));
    LeafFiles first = new LeafFiles(conf, "freshet/a/0");
    LeafFiles second = new LeafFiles(conf, "freshet/a/1");
    List<Path> paths =
        List.of(
            first.getOutputFileForWrite(10),
            second.getOutputFileForWrite(10),
            first.getOutputIndexFileForWrite(10),
            first.getSpillFileForWrite(0, 10),
            first.getSpillFileForWrite(1, 10),
            first.getSpillIndexFileForWrite(0, 10),
            first.scratch("nodes"));
    assertThat(paths).doesNotHaveDuplicates();
    for (Path path : paths) {
      java.nio.file.Path local = java.nio.file.Path.of(path.toUri().getPath());
      Files.createDirectories(local.getParent());
      Files.writeString(local, "x");
    }
    assertThat(first.getOutputFile().getName()).isEqualTo(paths.get(0).getName());

    first.removeAll();

    assertThatThrownBy(first::getOutputFile).isInstanceOf(IOException.class);
    assertThat(second.getOutputFile().toUri().getPath()).isEqualTo(paths.get(1).toUri().getPath());
  }
}
