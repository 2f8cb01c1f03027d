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
package org.freshet.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobCounter;
import org.freshet.it.harness.JobOutcome;
import org.freshet.it.harness.SideBySide;
import org.freshet.it.jobs.StockWordCount;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The stock word count, from the stock examples jar, on YARN: first run, then edits, each on top of
 * the last. The oracle is stock Hadoop; the cost is counted in containers that YARN allocated.
 */
@Tag("cluster")
@ExtendWith(MiniHadoopExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class IncrementalWordCountIT {
  private static final int FILES = 6;

  private final List<List<String>> files = new ArrayList<>();
  private final MiniHadoop hadoop;
  private SideBySide wordCount;

  IncrementalWordCountIT(MiniHadoop hadoop) {
    this.hadoop = hadoop;
  }

  @BeforeAll
  void writeInput() throws IOException {
    Path root = hadoop.fresh("word-count");
    wordCount =
        new SideBySide(
            new Path(root, "job"),
            hadoop.stockLocal(),
            hadoop.freshet(new Path(root, "store")),
            StockWordCount::configure);
    Random random = new Random(7);
    for (int f = 0; f < FILES; f++) {
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < 800; i++) {
        lines.add("file" + f + " line" + i + " the word " + random.nextInt(200) + " comes again");
      }
      files.add(lines);
      wordCount.put("part-" + f, lines);
    }
  }

  private static long launched(JobOutcome outcome, JobCounter counter) {
    return outcome.counter(JobCounter.class.getName(), counter.name());
  }

  @Test
  @Order(1)
  void theFirstRunLaunchesNoMoreContainersThanStock() throws IOException {
    SideBySide onYarn =
        new SideBySide(
            new Path(hadoop.fresh("word-count-stock"), "job"),
            hadoop.stockLocal(),
            hadoop.stock(),
            StockWordCount::configure);
    for (int f = 0; f < FILES; f++) {
      onYarn.put("part-" + f, files.get(f));
    }
    JobOutcome stock = onYarn.assertEqualToStock();

    JobOutcome first = wordCount.assertEqualToStock();

    assertThat(tasksLaunched(first)).isLessThanOrEqualTo(tasksLaunched(stock));
    assertThat(launched(first, JobCounter.TOTAL_LAUNCHED_MAPS)).isBetween(1L, (long) FILES);
    assertThat(first.counter("Freshet", "CHUNKS_KEPT")).isZero();
    assertThat(first.counter("Freshet", "CHUNKS_ADDED")).isGreaterThan(50);
  }

  /** The task containers: YARN allocates some more and gets them back unused. */
  private static long tasksLaunched(JobOutcome outcome) {
    return launched(outcome, JobCounter.TOTAL_LAUNCHED_MAPS)
        + launched(outcome, JobCounter.TOTAL_LAUNCHED_REDUCES);
  }

  private void assertOneChunkIsMapped() throws IOException {
    JobOutcome run = wordCount.assertEqualToStock();
    assertThat(launched(run, JobCounter.TOTAL_LAUNCHED_MAPS)).as("maps").isEqualTo(1);
    assertThat(launched(run, JobCounter.TOTAL_LAUNCHED_REDUCES)).as("reduces").isBetween(0L, 2L);
    assertThat(run.counter("Freshet", "CHUNKS_ADDED")).as("chunks mapped").isBetween(1L, 3L);
    assertThat(run.counter("Freshet", "CHUNKS_KEPT"))
        .as("chunks kept of %d", run.counter("Freshet", "CHUNKS_TOTAL"))
        .isGreaterThan(run.counter("Freshet", "CHUNKS_TOTAL") * 3 / 4);
  }

  @Test
  @Order(2)
  void oneChangedLineMapsOneChunk() throws IOException {
    files.get(2).set(400, "this line was changed");
    wordCount.put("part-2", files.get(2));
    assertOneChunkIsMapped();
  }

  @Test
  @Order(3)
  void oneInsertedLineMapsOneChunk() throws IOException {
    files.get(1).add(10, "this line was inserted");
    wordCount.put("part-1", files.get(1));
    assertOneChunkIsMapped();
  }

  @Test
  @Order(4)
  void oneDeletedLineMapsOneChunk() throws IOException {
    files.get(4).remove(700);
    wordCount.put("part-4", files.get(4));
    assertOneChunkIsMapped();
  }

  @Test
  @Order(5)
  void aNewFileIsAllThatIsMapped() throws IOException {
    wordCount.put("part-new", List.of("a new file", "with the word 17"));
    assertOneChunkIsMapped();
  }

  @Test
  @Order(6)
  void aRemovedFileMapsNothing() throws IOException {
    wordCount.fileSystem().delete(new Path(wordCount.input(), "part-0"), false);
    JobOutcome run = wordCount.assertEqualToStock();
    assertThat(run.counter("Freshet", "CHUNKS_ADDED")).isZero();
    assertThat(run.counter("Freshet", "CHUNKS_REMOVED")).isPositive();
    assertThat(launched(run, JobCounter.TOTAL_LAUNCHED_MAPS)).isZero();
  }

  @Test
  @Order(7)
  void aRenamedFileMapsNothing() throws IOException {
    wordCount
        .fileSystem()
        .rename(new Path(wordCount.input(), "part-3"), new Path(wordCount.input(), "renamed"));
    JobOutcome run = wordCount.assertEqualToStock();
    assertThat(run.counter("Freshet", "CHUNKS_ADDED")).isZero();
    assertThat(launched(run, JobCounter.TOTAL_LAUNCHED_MAPS)).isZero();
  }

  @Test
  @Order(8)
  void noChangeLaunchesNothing() throws IOException {
    long containers = hadoop.containersAllocated();
    int applications = hadoop.applications().size();
    JobOutcome run = wordCount.assertEqualToStock();
    assertThat(hadoop.containersAllocated()).isEqualTo(containers);
    assertThat(hadoop.applications()).hasSize(applications);
    assertThat(run.counter("Freshet", "CHUNKS_KEPT"))
        .isEqualTo(run.counter("Freshet", "CHUNKS_TOTAL"));
  }

  @Test
  @Order(9)
  void anOutputEditedByHandIsNotCopied() throws IOException {
    FileSystem hdfs = wordCount.fileSystem();
    Path part = new Path(wordCount.lastOutput(), "part-r-00000");
    byte[] content;
    try (FSDataInputStream in = hdfs.open(part)) {
      content = in.readAllBytes();
    }
    content[content.length / 2] ^= 1;
    try (FSDataOutputStream out = hdfs.create(part, true)) {
      out.write(content);
    }

    JobOutcome run = wordCount.assertEqualToStock();

    assertThat(run.counter("Freshet", "CHUNKS_ADDED")).isZero();
  }
}
