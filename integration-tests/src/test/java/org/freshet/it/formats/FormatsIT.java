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
package org.freshet.it.formats;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.freshet.it.harness.JobOutcome;
import org.freshet.it.harness.LocalHadoop;
import org.freshet.it.harness.SideBySide;
import org.freshet.it.harness.WorkDirectory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two edits of a file, for each format: only the chunks around them are mapped again. */
class FormatsIT {
  private static final int RECORDS = 12_000;
  private static final int CHUNK_BYTES = 4 << 10;

  @ParameterizedTest
  @EnumSource
  void onlyWhatChangedIsMappedAgain(FileKind kind) throws IOException {
    Path work = WorkDirectory.fresh("formats-" + kind);
    SideBySide sides =
        new SideBySide(
            new org.apache.hadoop.fs.Path(work.resolve("job").toUri()),
            LocalHadoop.stock(work.resolve("tmp-stock")),
            LocalHadoop.freshet(work.resolve("tmp"), work.resolve("store"), CHUNK_BYTES, 3),
            job -> configure(job, kind));
    Path file = Path.of(sides.input().toUri().getPath()).resolve("records.avro");
    List<String> records = new ArrayList<>();
    Random random = new Random(11);
    for (int i = 0; i < RECORDS; i++) {
      String word = Integer.toString(random.nextInt(1 << 10 + i % 10), 36);
      records.add(word.repeat(1 + random.nextInt(6)) + " word");
    }

    write(kind, file, records);
    JobOutcome first = sides.assertEqualToStock();
    long chunks = first.counter("Freshet", "CHUNKS_ADDED");
    assertThat(chunks).as("chunks of the first run").isGreaterThan(12);

    write(kind, file, records);
    assertThat(sides.assertEqualToStock().counter("Freshet", "CHUNKS_ADDED"))
        .as("chunks mapped of a file written again")
        .isZero();

    // A record changed in place, and one inserted so near the end that it matters little how long
    // sync markers take to fall on the same records again.
    records.set(RECORDS / 2, records.get(RECORDS / 2).replace(' ', '-'));
    records.add(RECORDS - RECORDS / 12, "inserted");
    write(kind, file, records);
    JobOutcome edited = sides.assertEqualToStock();
    assertThat(edited.counter("Freshet", "CHUNKS_ADDED"))
        .as("chunks mapped after an edit of %d", chunks)
        .isBetween(2L, chunks / 8 + 6);
    assertThat(edited.counter("Freshet", "CHUNKS_KEPT")).isGreaterThan(chunks / 2);
  }

  private static void configure(JobConf job, FileKind kind) {
    job.setUseNewMapper(true);
    job.setUseNewReducer(true);
    kind.configure(job);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(IntWritable.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    job.set(MRJobConfig.COMBINE_CLASS_ATTR, IntSumReducer.class.getName());
    job.set(MRJobConfig.REDUCE_CLASS_ATTR, IntSumReducer.class.getName());
    job.setNumReduceTasks(2);
    // Stock splits of a few chunks each, which fall anywhere.
    job.setLong("mapreduce.input.fileinputformat.split.maxsize", 30_011);
  }

  private static void write(FileKind kind, Path file, List<String> records) throws IOException {
    kind.write(file, records);
    // Hadoop's checksummed file system leaves a sum beside what it writes.
    Files.deleteIfExists(file.resolveSibling("." + file.getFileName() + ".crc"));
  }
}
