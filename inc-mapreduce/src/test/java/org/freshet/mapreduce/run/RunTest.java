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

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs, their bytes and their names. */
class RunTest {
  @TempDir private java.nio.file.Path temporary;
  private RunFixture runs;

  @BeforeEach
  void makeFixture() throws IOException {
    runs = new RunFixture(temporary);
  }

  private static Digest digest(String text) {
    return Digest.sha256(text.getBytes(StandardCharsets.UTF_8));
  }

  private Run.InFile inFile(String content, long offset, long length) throws IOException {
    java.nio.file.Path file = Files.writeString(temporary.resolve("file"), content);
    return new Run.InFile(null, runs.local, new Path(file.toUri()), offset, length, length);
  }

  private static String text(Run run) throws IOException {
    try (InputStream in = run.open()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aRunInAFileIsItsBytesAndNoMore() throws IOException {
    assertThat(text(inFile("before<run>after", 6, 5))).isEqualTo("<run>");
  }

  @Test
  void aRunInAFileThatEndsEarlySaysHowManyBytesAreMissing() throws IOException {
    Run run = inFile("before<ru", 6, 5);

    assertThatThrownBy(() -> text(run))
        .isInstanceOf(EOFException.class)
        .hasMessageContaining("2 bytes");
    assertThatThrownBy(() -> RunDigests.of(run)).isInstanceOf(EOFException.class);
  }

  @Test
  void aRunInMemoryEndsBeforeItsArrayDoes() throws IOException {
    byte[] bytes = "run and rest".getBytes(StandardCharsets.UTF_8);

    assertThat(text(new Run.InMemory(null, bytes, 3, 3))).isEqualTo("run");
  }

  @Test
  void digestsNameTheBytesWhereverTheyAre() throws IOException {
    Run.InFile run = inFile("before<run>after", 6, 5);

    assertThat(RunDigests.of(run)).isEqualTo(digest("<run>"));
    assertThat(RunDigests.named(run).content()).isEqualTo(digest("<run>"));
    assertThat(RunDigests.named(run).offset()).isEqualTo(6);
    assertThat(RunDigests.of(inFile("", 0, 0))).isEqualTo(digest(""));
  }

  @Test
  void boundedInputGivesBytesOfAllValuesAndThenItsEnd() throws IOException {
    byte[] bytes = {(byte) 0xff, 0, 1, 2};
    try (InputStream in = new BoundedInput(new ByteArrayInputStream(bytes), 2)) {
      assertThat(in.available()).isEqualTo(2);
      assertThat(in.read()).isEqualTo(0xff);
      assertThat(in.read()).isEqualTo(0);
      assertThat(in.read()).isEqualTo(-1);
      assertThat(in.available()).isZero();
    }
  }

  @Test
  void boundedInputDoesNotSkipPastItsEnd() throws IOException {
    ByteArrayInputStream whole = new ByteArrayInputStream(new byte[100]);
    InputStream in = new BoundedInput(whole, 10);

    assertThat(in.skip(4)).isEqualTo(4);
    assertThat(in.skip(50)).isEqualTo(6);
    assertThat(in.read()).isEqualTo(-1);
    assertThat(whole.available()).isEqualTo(90);
    assertThat(in.markSupported()).isFalse();
  }

  @Test
  void aRunWithoutRecordsIsEmptyInEveryForm() throws Exception {
    Run file = runs.run();
    Run compressed = new RunFixture(temporary.resolve("c")).compressed().run();

    assertThat(file.isEmpty()).isTrue();
    assertThat(runs.inMemory(file).isEmpty()).isTrue();
    assertThat(compressed.isEmpty()).isTrue();
    assertThat(runs.run(entry("", 0)).isEmpty()).isFalse();
  }

  @Test
  void runsOfOneNodeFileCanBeReadWhileItIsStillWritten() throws Exception {
    try (NodeFile<Text, IntWritable> file = runs.nodeFile()) {
      Run first = runs.append(file, List.of(entry("a", 1)));
      assertThat(runs.read(first)).containsExactly(entry("a", 1));
      Run second = runs.append(file, List.of(entry("b", 2), entry("c", 3)));

      assertThat(runs.read(second)).containsExactly(entry("b", 2), entry("c", 3));
      assertThat(runs.read(first)).containsExactly(entry("a", 1));
      assertThat(second.content()).isEqualTo(RunDigests.of(second));
      assertThat(first.content()).isNotEqualTo(second.content());
    }
  }

  @Test
  void equalRecordsGiveEqualContentWhereverTheRunLies() throws Exception {
    try (NodeFile<Text, IntWritable> file = runs.nodeFile()) {
      Run.InFile first = runs.append(file, List.of(entry("a", 1)));
      Run.InFile second = runs.append(file, List.of(entry("a", 1)));

      assertThat(second.offset()).isEqualTo(first.storedLength());
      assertThat(second.content()).isEqualTo(first.content());
    }
  }

  @Test
  void deletedNodeFileIsGone() throws Exception {
    NodeFile<Text, IntWritable> file = runs.nodeFile();
    Run.InFile run = runs.append(file, List.of(entry("a", 1)));

    file.delete();

    assertThat(runs.local.exists(run.file())).isFalse();
    runs.nodeFile().delete();
  }

  @Test
  void contentKeysTellOrderNumberAndPurposeApart() {
    Digest a = digest("a");
    Digest b = digest("b");

    assertThat(ContentKeys.node(List.of(a, b)))
        .isEqualTo(ContentKeys.node(List.of(a, b)))
        .isNotIn(
            ContentKeys.node(List.of(b, a)),
            ContentKeys.node(List.of(a)),
            ContentKeys.node(List.of(a, b, b)),
            ContentKeys.reduce(List.of(a, b)));
    assertThat(ContentKeys.node(List.of())).isNotEqualTo(ContentKeys.reduce(List.of()));
    assertThat(ContentKeys.node(List.of(a))).isNotEqualTo(a);
  }

  @Test
  void aTasksCountersAreSeenLive() {
    runs.reporter.incrCounter("group", "name", 5);

    assertThat(TaskInternals.counters(runs.task))
        .hasValueSatisfying(
            counters -> assertThat(counters.findCounter("group", "name").getValue()).isEqualTo(5));
    runs.reporter.getCounter(TaskCounter.MAP_INPUT_RECORDS).increment(2);
    assertThat(
            TaskInternals.counters(runs.task)
                .orElseThrow()
                .getCounter(TaskCounter.MAP_INPUT_RECORDS))
        .isEqualTo(2);
  }
}
