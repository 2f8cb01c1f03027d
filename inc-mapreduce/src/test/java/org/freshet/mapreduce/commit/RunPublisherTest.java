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
package org.freshet.mapreduce.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.freshet.mapreduce.plan.KnownRuns;
import org.freshet.mapreduce.plan.RunPlaces;
import org.freshet.mapreduce.reduce.PartitionRecord;
import org.freshet.memo.CounterSet;
import org.freshet.memo.LineageStore;
import org.freshet.memo.Manifest;
import org.freshet.memo.Manifest.FileEntry;
import org.freshet.memo.Manifest.LeafEntry;
import org.freshet.memo.Manifest.NodeEntry;
import org.freshet.memo.Manifest.RunEntry;
import org.freshet.memo.MemoStore;
import org.freshet.memo.PartitionFile;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run "r2" of two partitions, after "r1" (still used), "r0" (pinned) and "unused". */
class RunPublisherTest {
  private static final CounterSet COUNTED = CounterSet.builder().add("user", "seen", 3).build();

  @TempDir private java.nio.file.Path temporary;
  private final JobConf conf = new JobConf();
  private LineageStore lineage;

  private static Digest digest(String text) {
    return Digest.sha256(text.getBytes(UTF_8));
  }

  @BeforeEach
  void planRun() throws IOException {
    MemoStore store = MemoStore.open(conf, new Path(temporary.resolve("store").toUri()));
    lineage = store.lineage(digest("lineage"));
    conf.set("freshet.internal.lineage.dir", lineage.dir().toString());
    conf.set("freshet.internal.run", "r2");
    conf.setNumReduceTasks(2);
    lineage.lease("r2", List.of("r1"), Duration.ofHours(1));
    Path runDir = lineage.runDir("r2");
    lineage.fileSystem().mkdirs(runDir);
    Manifest draft =
        Manifest.builder("r2")
            .jobId("job_1_0001")
            .jobName("name")
            .outputDir("file:/out")
            .treeParameters("fan-in 8")
            .addFile(new FileEntry("f", "v", 20))
            .addRun(new RunEntry("unused", List.of()))
            .addRun(new RunEntry("r2", List.of()))
            .addRun(new RunEntry("r1", List.of("r0")))
            .addRun(new RunEntry("r0", List.of()))
            .addLeaf(new LeafEntry(digest("old"), 0, 0, 10, 2))
            .addLeaf(new LeafEntry(digest("new"), 0, 10, 10, 1))
            .addNode(new NodeEntry(digest("node"), 1))
            .leafCounters(digest("old"), CounterSet.builder().add("user", "seen", 1).build())
            .property("whole.files", "")
            .property(KnownRuns.inventoryProperty("r1"), "1 2 3")
            .property(KnownRuns.inventoryProperty("unused"), "4 5 6")
            .build();
    try (var out = lineage.fileSystem().create(RunPlaces.draft(runDir))) {
      draft.write(out);
    }
    Files.writeString(local("m_0.pack"), "twelve bytes");
  }

  private java.nio.file.Path local(String name) {
    return java.nio.file.Path.of(lineage.runDir("r2").toUri().getPath()).resolve(name);
  }

  private void writePartition(int partition, String attempt, List<String> pins) throws IOException {
    String name = RunPlaces.partitionName(conf, partition, attempt);
    PartitionRecord record =
        new PartitionRecord(
            List.of(name, "runs/r1/p-00000%d-a.idx".formatted(partition)),
            pins,
            digest("reduce"),
            List.of(),
            CounterSet.EMPTY,
            partition == 0
                ? Map.of(digest("new"), COUNTED, digest("of another plan"), COUNTED)
                : Map.of(),
            true,
            0,
            0,
            0,
            0,
            false);
    PartitionFile.write(
        lineage.fileSystem(), new Path(lineage.dir(), name), List.of(), record.toBytes());
  }

  private void writePartitions() throws IOException {
    writePartition(0, "a", List.of());
    writePartition(1, "a", List.of());
  }

  @Test
  void aCommittedRunIsPublishedWithItsPartitionsInOrder() throws IOException {
    writePartitions();

    RunPublisher.committed(conf);

    Manifest manifest = lineage.latest().orElseThrow();
    assertThat(manifest.runId()).isEqualTo("r2");
    assertThat(manifest.jobId()).isEqualTo("job_1_0001");
    assertThat(manifest.outputDir()).isEqualTo("file:/out");
    assertThat(manifest.treeParameters()).isEqualTo("fan-in 8");
    assertThat(manifest.partitions())
        .containsExactly("runs/r2/p-000000-a.idx", "runs/r2/p-000001-a.idx");
    assertThat(lineage.leaseExists("r2")).isFalse();
  }

  @Test
  void whatThePublishedManifestSaysOfLeavesNodesAndRunsHoldsTogether() throws IOException {
    writePartitions();

    RunPublisher.committed(conf);

    Manifest manifest = lineage.latest().orElseThrow();
    assertThat(manifest.runs())
        .containsExactlyInAnyOrder(
            new RunEntry("r2", List.of()),
            new RunEntry("r1", List.of("r0")),
            new RunEntry("r0", List.of()));
    assertThat(manifest.leaves())
        .extracting(leaf -> manifest.runs().get(leaf.run()).runId())
        .containsExactly("r1", "r2");
    assertThat(manifest.nodes())
        .extracting(node -> manifest.runs().get(node.run()).runId())
        .containsExactly("r2");
  }

  @Test
  void countersOfFreshLeavesJoinThoseOfKeptOnes() throws IOException {
    writePartitions();

    RunPublisher.committed(conf);

    assertThat(lineage.latest().orElseThrow().leafCounters())
        .containsOnly(
            entry(digest("old"), CounterSet.builder().add("user", "seen", 1).build()),
            entry(digest("new"), COUNTED));
  }

  @Test
  void anInventoryOfTheRunIsTakenAndThoseOfUnusedRunsAreDropped() throws IOException {
    writePartitions();

    RunPublisher.committed(conf);

    assertThat(lineage.latest().orElseThrow().properties())
        .containsOnly(
            entry("whole.files", ""),
            entry(KnownRuns.inventoryProperty("r1"), "1 2 3"),
            entry(KnownRuns.inventoryProperty("r2"), "1 12 2"));
  }

  @Test
  void runsThatNewEntriesPointIntoArePinned() throws IOException {
    writePartition(0, "a", List.of("unused"));
    writePartition(1, "a", List.of("unused", "r2"));

    RunPublisher.committed(conf);

    assertThat(lineage.latest().orElseThrow().runs())
        .contains(new RunEntry("r2", List.of("unused")), new RunEntry("unused", List.of()));
  }

  @Test
  void aRunIsPublishedOnceHoweverOftenItsJobIsCommitted() throws IOException {
    writePartitions();
    RunPublisher.committed(conf);
    List<String> once = lineage.manifestNames();

    RunPublisher.committed(conf);

    assertThat(once).hasSize(1);
    assertThat(lineage.manifestNames()).isEqualTo(once);
    assertThat(lineage.latest()).isPresent();
  }

  @Test
  void ofSeveralAttemptsAtAPartitionOneIsPublished() throws IOException {
    writePartitions();
    writePartition(1, "b", List.of());

    RunPublisher.committed(conf);

    assertThat(lineage.latest().orElseThrow().partitions())
        .hasSize(2)
        .element(1)
        .isIn("runs/r2/p-000001-a.idx", "runs/r2/p-000001-b.idx");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "b"})
  void anIndexThatAnAttemptDidNotFinishIsPassedOver(String dead) throws IOException {
    writePartitions();
    writePartition(1, dead, List.of());
    cut("p-000001-" + dead + ".idx");

    RunPublisher.committed(conf);

    assertThat(lineage.latest().orElseThrow().partitions())
        .containsExactly("runs/r2/p-000000-a.idx", "runs/r2/p-000001-a.idx");
  }

  private void cut(String name) throws IOException {
    java.nio.file.Path index = local(name);
    byte[] bytes = Files.readAllBytes(index);
    Files.write(index, java.util.Arrays.copyOf(bytes, bytes.length - 5));
    Files.deleteIfExists(local("." + name + ".crc"));
  }

  @Test
  void aRunThatLacksAPartitionIsNotPublishedAndRemoved() throws IOException {
    writePartition(1, "a", List.of());

    RunPublisher.committed(conf);

    assertThat(lineage.manifestNames()).isEmpty();
    assertThat(local("")).doesNotExist();
    assertThat(lineage.leaseExists("r2")).isFalse();
  }

  @Test
  void aRunWithADamagedPartitionFileIsNotPublishedAndTheJobDoesNotFail() throws IOException {
    writePartitions();
    cut("p-000001-a.idx");

    RunPublisher.committed(conf);

    assertThat(lineage.manifestNames()).isEmpty();
    assertThat(lineage.leaseExists("r2")).isFalse();
    assertThat(local("")).doesNotExist();
  }

  @Test
  void aRunWithoutADraftIsNotPublishedAndTheJobDoesNotFail() throws IOException {
    writePartitions();
    Files.delete(local("manifest.draft"));

    RunPublisher.committed(conf);

    assertThat(lineage.manifestNames()).isEmpty();
    assertThat(lineage.leaseExists("r2")).isFalse();
  }

  @Test
  void anAbortedRunLeavesNothingOfItsTasksAndIsNotPublished() throws IOException {
    writePartitions();

    RunPublisher.aborted(conf);

    assertThat(local("m_0.pack")).doesNotExist();
    assertThat(local("p-000000-a.idx")).doesNotExist();
    assertThat(lineage.manifestNames()).isEmpty();
  }

  @Test
  void aPublishedRunIsNotWithdrawnByPublishingOfAnother() throws IOException {
    writePartitions();
    RunPublisher.committed(conf);
    conf.set("freshet.internal.run", "r3");

    RunPublisher.committed(conf);
    RunPublisher.aborted(conf);

    assertThat(lineage.latest().orElseThrow().runId()).isEqualTo("r2");
    assertThat(local("m_0.pack")).exists();
  }

  @Test
  void aJobThatWasNotPlannedPublishesNothing() {
    JobConf stock = new JobConf();

    RunPublisher.committed(stock);
    RunPublisher.aborted(stock);

    assertThat(RunPlaces.planned(stock)).isFalse();
  }

  @Test
  void olderManifestsThanAreToBeRetainedAreCollected() throws IOException {
    conf.setInt("freshet.retain.runs", 1);
    lineage.publish(Manifest.builder("r0").build());
    lineage.publish(Manifest.builder("r1").build());
    writePartitions();

    RunPublisher.committed(conf);

    assertThat(lineage.manifestNames()).hasSize(1);
    assertThat(lineage.latest().orElseThrow().runId()).isEqualTo("r2");
  }

  @Test
  void anUnchangedRunIsPublishedWithThePartitionsOfTheRunBefore() throws IOException {
    List<String> previous = new ArrayList<>();
    conf.set("freshet.internal.run", "r1");
    for (int p = 0; p < 2; p++) {
      writePartition(p, "a", List.of());
      previous.add(RunPlaces.partitionName(conf, p, "a"));
    }
    conf.set("freshet.internal.run", "r2");

    new RunPublisher(conf).publishUnchanged(previous);

    Manifest manifest = lineage.latest().orElseThrow();
    assertThat(manifest.runId()).isEqualTo("r2");
    assertThat(manifest.partitions()).isEqualTo(previous);
    assertThat(manifest.runs()).extracting(RunEntry::runId).contains("r1", "r2");
    assertThat(lineage.leaseExists("r2")).isFalse();
  }

  /** A committer that says what it is asked, and may fail to commit. */
  private static final class Recorder extends OutputCommitter {
    private final List<String> asked = new ArrayList<>();
    private boolean failing;

    @Override
    public void setupJob(JobContext context) {}

    @Override
    public void commitJob(JobContext context) throws IOException {
      asked.add("commit");
      if (failing) {
        throw new IOException("no space for the output");
      }
    }

    @Override
    public void abortJob(JobContext context, JobStatus.State state) throws IOException {
      asked.add("abort " + state);
      if (failing) {
        throw new IOException("can't delete");
      }
    }

    @Override
    public void setupTask(TaskAttemptContext context) {}

    @Override
    public boolean needsTaskCommit(TaskAttemptContext context) {
      return true;
    }

    @Override
    public void commitTask(TaskAttemptContext context) {}

    @Override
    public void abortTask(TaskAttemptContext context) {}
  }

  private JobContext context() {
    return new JobContextImpl(conf, new JobID("1", 1));
  }

  @Test
  void aRunIsPublishedAfterTheJobsOwnCommit() throws IOException {
    writePartitions();
    Recorder own = new Recorder();

    new PublishingCommitter(own).commitJob(context());

    assertThat(own.asked).containsExactly("commit");
    assertThat(lineage.isPublished("r2")).isTrue();
  }

  @Test
  void aJobWhoseOwnCommitFailsPublishesNothing() throws IOException {
    writePartitions();
    Recorder own = new Recorder();
    own.failing = true;

    assertThatThrownBy(() -> new PublishingCommitter(own).commitJob(context()))
        .hasMessage("no space for the output");

    assertThat(lineage.manifestNames()).isEmpty();
  }

  @Test
  void anAbortRemovesTheRunEvenWhereTheJobsOwnAbortFails() throws IOException {
    Recorder own = new Recorder();
    own.failing = true;

    assertThatThrownBy(
            () -> new PublishingCommitter(own).abortJob(context(), JobStatus.State.KILLED))
        .hasMessage("can't delete");

    assertThat(own.asked).containsExactly("abort KILLED");
    assertThat(local("m_0.pack")).doesNotExist();
  }

  @Test
  void tasksGetTheJobsOwnCommitterAndWholeJobsThePublishingOne() throws Exception {
    conf.set(
        "mapreduce.output.fileoutputformat.outputdir", temporary.resolve("out").toUri().toString());
    TaskAttemptID attempt = TaskAttemptID.forName("attempt_1_0001_r_000000_0");
    PublishingFileOutputFormat format = new PublishingFileOutputFormat();

    assertThat(format.getOutputCommitter(new TaskAttemptContextImpl(conf, attempt)))
        .isExactlyInstanceOf(PublishingCommitter.class);
    conf.set(MRJobConfig.TASK_ATTEMPT_ID, attempt.toString());
    assertThat(
            new PublishingFileOutputFormat()
                .getOutputCommitter(new TaskAttemptContextImpl(conf, attempt)))
        .isExactlyInstanceOf(FileOutputCommitter.class);
    assertThat(
            new PublishingOutputFormat()
                .getOutputCommitter(new TaskAttemptContextImpl(conf, attempt)))
        .isExactlyInstanceOf(FileOutputCommitter.class);
  }

  @Test
  void theOldApisCommitterCommitsTheOutputAndPublishes() throws IOException {
    writePartitions();
    conf.set(
        "mapreduce.output.fileoutputformat.outputdir", temporary.resolve("out").toUri().toString());
    org.apache.hadoop.mapred.JobContextImpl context =
        new org.apache.hadoop.mapred.JobContextImpl(
            conf, new org.apache.hadoop.mapred.JobID("1", 1));
    OldPublishingCommitter committer = new OldPublishingCommitter();
    committer.setupJob(context);

    committer.commitJob(context);

    assertThat(temporary.resolve("out/_SUCCESS")).exists();
    assertThat(lineage.isPublished("r2")).isTrue();
  }
}
