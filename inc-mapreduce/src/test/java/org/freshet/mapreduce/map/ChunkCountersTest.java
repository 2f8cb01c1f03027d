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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.StatusReporter;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.freshet.mapreduce.run.RunFixture;
import org.freshet.memo.CounterSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChunkCountersTest {
  private enum User {
    SEEN
  }

  @TempDir private java.nio.file.Path temporary;
  private Reporter task;

  @BeforeEach
  void makeReporter() throws IOException {
    task = new RunFixture(temporary).reporter;
  }

  private long ofTask(String group, String name) {
    return task.getCounter(group, name).getValue();
  }

  @Test
  void whatTheUserCountsIsKeptWithTheChunkAndAddedToTheTaskWhenItEnds() {
    ChunkCounters chunk = new ChunkCounters(task);
    chunk.newApi().getCounter("words", "long").increment(3);
    chunk.newApi().getCounter(User.SEEN).increment(2);
    assertThat(ofTask("words", "long")).isZero();

    CounterSet kept = chunk.end();

    assertThat(kept)
        .isEqualTo(
            CounterSet.builder()
                .add("words", "long", 3)
                .add(User.class.getName(), "SEEN", 2)
                .build());
    assertThat(ofTask("words", "long")).isEqualTo(3);
    assertThat(task.getCounter(User.SEEN).getValue()).isEqualTo(2);
  }

  @Test
  void theOldApiCountsAlikeByAllItsWays() {
    ChunkCounters chunk = new ChunkCounters(task);
    Reporter reporter = chunk.oldApi(null);
    reporter.incrCounter("words", "long", 3);
    reporter.incrCounter(User.SEEN, 1);
    reporter.getCounter(User.SEEN).increment(1);
    reporter.getCounter("words", "long").increment(4);

    assertThat(chunk.end())
        .isEqualTo(
            CounterSet.builder()
                .add("words", "long", 7)
                .add(User.class.getName(), "SEEN", 2)
                .build());
  }

  @Test
  void eachChunkHasOnlyWhatWasCountedInIt() {
    ChunkCounters first = new ChunkCounters(task);
    first.newApi().getCounter("g", "n").increment(5);
    task.incrCounter(TaskCounter.MAP_INPUT_RECORDS, 100);
    first.end();
    ChunkCounters second = new ChunkCounters(task);
    second.newApi().getCounter("g", "n").increment(1);
    task.incrCounter(TaskCounter.MAP_INPUT_RECORDS, 7);
    task.incrCounter(FileInputFormatCounter.BYTES_READ, 70);

    assertThat(second.end())
        .isEqualTo(
            CounterSet.builder()
                .add("g", "n", 1)
                .add(TaskCounter.class.getName(), "MAP_INPUT_RECORDS", 7)
                .add(FileInputFormatCounter.class.getName(), "BYTES_READ", 70)
                .build());
    assertThat(ofTask("g", "n")).isEqualTo(6);
    assertThat(task.getCounter(TaskCounter.MAP_INPUT_RECORDS).getValue()).isEqualTo(107);
  }

  @Test
  void countersOfTheMachineAreNotKept() {
    ChunkCounters chunk = new ChunkCounters(task);
    task.incrCounter(TaskCounter.CPU_MILLISECONDS, 100);
    task.incrCounter(TaskCounter.SPILLED_RECORDS, 100);
    task.incrCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES, 100);

    assertThat(chunk.end().isEmpty()).isTrue();
  }

  @Test
  void aUserCounterLeftAtZeroIsStillACounter() {
    ChunkCounters chunk = new ChunkCounters(task);
    Counters.Counter touched = chunk.oldApi(null).getCounter("g", "n");
    assertThat(touched.getValue()).isZero();

    assertThat(chunk.end().size()).isEqualTo(1);
  }

  @Test
  void whatAUserAddsToAFrameworkCounterIsKeptBesideTheFrameworksOwn() {
    ChunkCounters chunk = new ChunkCounters(task);
    task.incrCounter(TaskCounter.MAP_INPUT_RECORDS, 10);
    chunk.newApi().getCounter(TaskCounter.MAP_INPUT_RECORDS).increment(1);

    CounterSet kept = chunk.end();

    assertThat(kept.value(TaskCounter.class.getName(), "MAP_INPUT_RECORDS")).isEqualTo(11);
    assertThat(task.getCounter(TaskCounter.MAP_INPUT_RECORDS).getValue()).isEqualTo(11);
  }

  @Test
  void negativeCountsAreKept() {
    ChunkCounters chunk = new ChunkCounters(task);
    chunk.newApi().getCounter("g", "n").increment(-4);

    assertThat(chunk.end().value("g", "n")).isEqualTo(-4);
    assertThat(ofTask("g", "n")).isEqualTo(-4);
  }

  @Test
  void statusAndSplitGoThrough() {
    ChunkCounters chunk = new ChunkCounters(task);
    SplitKinds.PlainFileSplit split = new SplitKinds.PlainFileSplit();
    StatusReporter status = chunk.newApi();

    assertThat(chunk.oldApi(split).getInputSplit()).isSameAs(split);
    assertThat(status.getProgress()).isEqualTo(task.getProgress());
  }
}
