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
package org.freshet.mapreduce.reduce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.freshet.mapreduce.map.MapPack;
import org.freshet.mapreduce.reduce.PartitionRecord.OutputFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a reduce wrote, and how it is put in place of what the next one would write. */
class ReduceOutputTest {
  private static final TaskAttemptID ATTEMPT = TaskAttemptID.forName("attempt_1_0001_r_000002_0");

  @TempDir private java.nio.file.Path temporary;
  private java.nio.file.Path previous;
  private java.nio.file.Path work;
  private Path lineage;
  private FileSystem fs;
  private JobConf job;
  private final AtomicInteger told = new AtomicInteger();

  @BeforeEach
  void makeJob() throws IOException {
    job = newApiJob("out2");
    fs = FileSystem.getLocal(job);
    lineage = new Path(temporary.resolve("lineage").toUri());
    job.set("freshet.internal.lineage.dir", lineage.toString());
    job.set("freshet.internal.run", "r1");
    previous = Files.createDirectories(temporary.resolve("out1"));
    work = temporary.resolve("out2/_temporary/0/_temporary/attempt_1_0001_r_000002_0");
    Files.createDirectories(work);
  }

  private JobConf newApiJob(String output) {
    JobConf conf = new JobConf();
    conf.setUseNewMapper(true);
    conf.setUseNewReducer(true);
    conf.set(
        "mapreduce.output.fileoutputformat.outputdir",
        temporary.resolve(output).toUri().toString());
    return conf;
  }

  private ReduceOutput output() {
    return ReduceOutput.of(job, ATTEMPT).orElseThrow();
  }

  private void wrote(String name, String content) throws IOException {
    java.nio.file.Path file = work.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  /** What the last run wrote, kept in a pack or not, and moved to its output directory. */
  private List<OutputFile> previousRun(boolean keep) throws IOException {
    wrote("part-r-00002", "result\n");
    wrote("side/file", "");
    List<OutputFile> files;
    try (MapPack pack = MapPack.create(job, "attempt", told::incrementAndGet)) {
      files = output().describe(keep ? pack : null, told::incrementAndGet);
      pack.finish();
    }
    Files.move(work.resolve("part-r-00002"), previous.resolve("part-r-00002"));
    Files.move(work.resolve("side"), previous.resolve("side"));
    return files;
  }

  private boolean fetch(List<OutputFile> files) throws IOException {
    return fetch(files, previous.toUri().toString());
  }

  private boolean fetch(List<OutputFile> files, String previousDir) throws IOException {
    return output().fetch(files, previousDir, fs, lineage, job, told::incrementAndGet);
  }

  private Map<String, String> inWorkDirectory() throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (var walk = Files.walk(work)) {
      for (java.nio.file.Path file : walk.filter(Files::isRegularFile).toList()) {
        if (!file.toString().endsWith(".crc")) {
          files.put(work.relativize(file).toString(), Files.readString(file));
        }
      }
    }
    return files;
  }

  @Test
  void everyFileOfTheAttemptIsDescribedWithoutKeepingCopies() throws IOException {
    List<OutputFile> files = previousRun(false);

    assertThat(files).extracting(OutputFile::name).containsExactly("part-r-00002", "side/file");
    assertThat(files).extracting(OutputFile::length).containsExactly(7L, 0L);
    assertThat(files).extracting(OutputFile::kept).containsOnlyNulls();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void intactOutputTakesThePlaceOfWhatTheAttemptWrote(boolean kept) throws IOException {
    List<OutputFile> files = previousRun(kept);
    wrote("part-r-00002", "");

    assertThat(fetch(files)).isTrue();
    output().replace();

    assertThat(inWorkDirectory())
        .containsOnlyKeys("part-r-00002", "side/file")
        .containsEntry("part-r-00002", "result\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"RESULT\n", "result", "result\n\n", ""})
  void editedOutputIsNotReusedAndNothingIsLeftBehind(String edited) throws IOException {
    List<OutputFile> files = previousRun(false);
    Files.deleteIfExists(previous.resolve(".part-r-00002.crc"));
    Files.writeString(previous.resolve("part-r-00002"), edited);

    assertThat(fetch(files)).isFalse();

    try (var left = Files.list(work)) {
      assertThat(left.filter(file -> file.toString().contains("_freshet"))).isEmpty();
    }
  }

  @Test
  void deletedOutputIsTakenFromTheStoresCopy() throws IOException {
    List<OutputFile> files = previousRun(true);
    Files.delete(previous.resolve("part-r-00002"));

    assertThat(fetch(files)).isTrue();
    output().replace();

    assertThat(inWorkDirectory()).containsEntry("part-r-00002", "result\n");
  }

  @Test
  void aDamagedCopyDoesNotStandInForDeletedOutput() throws IOException {
    List<OutputFile> files = previousRun(true);
    Files.delete(previous.resolve("part-r-00002"));
    java.nio.file.Path pack = temporary.resolve("lineage/runs/r1/attempt.pack");
    byte[] bytes = Files.readAllBytes(pack);
    bytes[(int) files.get(0).kept().offset()] ^= 1;
    Files.write(pack, bytes);
    Files.deleteIfExists(pack.resolveSibling(".attempt.pack.crc"));

    assertThat(fetch(files)).isFalse();
    assertThat(inWorkDirectory()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hdfs://no-such-host.invalid/out", "no-such-scheme:/out"})
  void outputWhoseFileSystemIsGoneIsTakenFromTheStoresCopyOrReducedAnew(String gone)
      throws IOException {
    assertThat(fetch(previousRun(false), gone)).isFalse();
    Files.delete(previous.resolve("part-r-00002"));
    Files.delete(previous.resolve("side/file"));
    Files.delete(previous.resolve("side"));
    Files.deleteIfExists(temporary.resolve("lineage/runs/r1/attempt.pack"));

    assertThat(fetch(previousRun(true), gone)).isTrue();
    output().replace();

    assertThat(inWorkDirectory()).containsEntry("part-r-00002", "result\n");
  }

  @Test
  void aDefaultFileSystemThatIsGoneKeepsNothingFromTheStoresCopy() throws IOException {
    List<OutputFile> files = previousRun(true);
    ReduceOutput output = output();
    job.set("fs.defaultFS", "hdfs://no-such-host.invalid");

    assertThat(output.fetch(files, "hdfs://no-such-host.invalid/out", fs, lineage, job, () -> {}))
        .isTrue();
  }

  @Test
  void noOtherFileSystemIsAskedForThePreviousOutput() throws IOException {
    List<OutputFile> files = previousRun(false);
    job.set("fs.elsewhere.impl", LocalFileSystem.class.getName());

    assertThat(fetch(files, "elsewhere:" + previous)).isFalse();
    assertThat(fetch(files, previous.toString())).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "hdfs://nn:8020/out, hdfs://nn:8020, true",
    "hdfs://NN/out, hdfs://nn:8020, true",
    "hdfs://nn:8020/out, hdfs://nn, true",
    "hdfs://nn:8020/out, hdfs://nn:9000, false",
    "hdfs://nn/out, hdfs://other, false",
    "hdfs://nn/out, viewfs://nn, false",
    "file:/out, file:///, true",
    "s3a://one_bucket/out, s3a://one_bucket, true",
    "s3a://one_bucket/out, s3a://other_bucket, false"
  })
  void fileSystemsAreToldByHostAndPort(URI output, URI known, boolean same) {
    assertThat(ReduceOutput.isSame(output, known)).isEqualTo(same);
  }

  @Test
  void aTaskThatReadsMuchSaysThatItIsAlive() throws IOException {
    wrote("part-r-00002", "x".repeat(1 << 20));
    List<OutputFile> files;
    try (MapPack pack = MapPack.create(job, "attempt", () -> {})) {
      files = output().describe(pack, told::incrementAndGet);
      pack.finish();
    }
    assertThat(told.getAndSet(0)).isGreaterThanOrEqualTo(8);
    Files.move(work.resolve("part-r-00002"), previous.resolve("part-r-00002"));

    assertThat(fetch(files)).isTrue();
    assertThat(told.getAndSet(0)).isGreaterThanOrEqualTo(8);
    assertThat(fetch(files, "")).isTrue();
    assertThat(told.get()).isGreaterThanOrEqualTo(8);
  }

  @Test
  void aReduceThatWroteNothingIsReusedToo() throws IOException {
    wrote("part-r-00002", "");

    assertThat(fetch(List.of())).isTrue();
    output().replace();

    assertThat(inWorkDirectory()).isEmpty();
  }

  @Test
  void theOldApisWorkDirectoryIsFoundAsWell() throws IOException {
    JobConf old = newApiJob("out2");
    old.setUseNewMapper(false);
    old.setUseNewReducer(false);
    wrote("part-00002", "old\n");

    assertThat(ReduceOutput.of(old, ATTEMPT).orElseThrow().length()).isEqualTo(4);
  }

  @Test
  void outputThatGoesElsewhereIsNotWatched() {
    JobConf elsewhere = newApiJob("out2");
    elsewhere.setClass(
        MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR,
        NullOutputFormat.class,
        org.apache.hadoop.mapreduce.OutputFormat.class);

    assertThat(ReduceOutput.of(elsewhere, ATTEMPT)).isEqualTo(Optional.empty());
  }

  @Test
  void aChecksumTellsAnEditATruncationAndAMissingFile() throws IOException {
    java.nio.file.Path file = Files.writeString(temporary.resolve("file"), "content");
    Path path = new Path(file.toUri());
    OutputFile expected = new OutputFile("file", 7, OutputChecksum.of(fs, path, () -> {}), null);
    List<Boolean> matches = new ArrayList<>();
    for (String now : List.of("content", "Content", "conten", "content ")) {
      Files.writeString(file, now);
      matches.add(OutputChecksum.matches(fs, path, expected, () -> {}));
    }
    Files.delete(file);
    matches.add(OutputChecksum.matches(fs, path, expected, () -> {}));

    assertThat(matches).containsExactly(true, false, false, false, false);
    assertThat(expected.checksum())
        .isEqualTo("SHA-256:" + org.freshet.slider.Digest.sha256("content".getBytes(UTF_8)).hex());
  }
}
