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
package org.freshet.memo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.freshet.memo.Manifest.RunEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CollectorTest {
  private static final RetentionPolicy NEWEST_ONLY =
      RetentionPolicy.DEFAULT.withManifests(1).withGraceForUnpublished(Duration.ZERO);

  private final TempStore temp = new TempStore();
  private LineageStore lineage;

  @BeforeEach
  void open() throws IOException {
    lineage = temp.lineage(1);
  }

  @AfterEach
  void close() {
    temp.close();
  }

  private void write(String runId, int bytes) throws IOException {
    temp.put(new Path(lineage.runDir(runId), "m.pack"), new byte[bytes]);
  }

  private void publish(String runId, RunEntry... runs) throws IOException {
    write(runId, 1_000);
    lineage.publish(Manifest.builder(runId).addRuns(List.of(runs)).build());
  }

  private static RunEntry run(String runId, String... pins) {
    return new RunEntry(runId, List.of(pins));
  }

  private SortedSet<String> runs() throws IOException {
    SortedSet<String> runs = new TreeSet<>();
    lineage.runDirectories().forEach(s -> runs.add(s.getPath().getName()));
    return runs;
  }

  /** A moment at which everything written so far is in the past. */
  private static Instant soon() {
    return Instant.now().plusSeconds(2);
  }

  @Test
  void whatTheNewestManifestsReachStays() throws IOException {
    publish("r1");
    publish("r2", run("r1"));
    publish("r3", run("r2", "p1"), run("p1", "p2"));
    for (String pinned : List.of("p1", "p2", "stray")) {
      write(pinned, 10);
    }

    CollectResult result = lineage.collect(NEWEST_ONLY, soon());

    assertThat(result.manifestsDropped())
        .containsExactly("00000000000000000002-r2", "00000000000000000001-r1");
    assertThat(result.runsDeleted()).containsExactlyInAnyOrder("r1", "stray");
    assertThat(result.bytesFreed()).isGreaterThanOrEqualTo(1_010);
    assertThat(runs()).containsExactly("p1", "p2", "r2", "r3");
    assertThat(lineage.latest()).get().extracting(Manifest::runId).isEqualTo("r3");

    publish("r4");
    assertThat(lineage.collect(NEWEST_ONLY, soon()).runsDeleted())
        .containsExactlyInAnyOrder("p1", "p2", "r2", "r3");
  }

  @Test
  void anUnpublishedRunHasItsGrace() throws IOException {
    publish("r1");
    write("underWay", 10);
    RetentionPolicy policy = RetentionPolicy.DEFAULT;
    lineage.collect(policy, Instant.now().plus(Duration.ofHours(23)));
    assertThat(runs()).containsExactly("r1", "underWay");
    lineage.collect(policy, Instant.now().plus(Duration.ofHours(25)));
    assertThat(runs()).containsExactly("r1");
  }

  @Test
  void aRunWhoseManifestWasDroppedNeedsNoGrace() throws IOException {
    publish("r1");
    publish("r2", run("r1"));
    RetentionPolicy policy = RetentionPolicy.DEFAULT.withManifests(1);
    assertThat(lineage.collect(policy, soon()).runsDeleted()).isEmpty();
    publish("r3");
    assertThat(lineage.collect(policy, soon()).runsDeleted()).containsExactlyInAnyOrder("r1", "r2");
  }

  @Test
  void leasedRunsStayUntilTheLeaseExpiresOrIsReleased() throws IOException {
    publish("r1");
    publish("r2");
    publish("r3");
    write("job", 10);
    lineage.lease("job", List.of("r1"), Duration.ofHours(5));
    lineage.lease("other", List.of("r2"), Duration.ofHours(50));

    lineage.collect(NEWEST_ONLY, Instant.now().plus(Duration.ofHours(4)));
    assertThat(runs()).containsExactly("job", "r1", "r2", "r3");

    lineage.collect(NEWEST_ONLY, Instant.now().plus(Duration.ofHours(7)));
    assertThat(runs()).containsExactly("r2", "r3");
    assertThat(lineage.leaseExists("job")).as("the file of an expired lease").isFalse();

    lineage.release("other");
    lineage.collect(NEWEST_ONLY, soon());
    assertThat(runs()).containsExactly("r3");
  }

  @Test
  void aLeaseThatCannotBeReadMayNameAnyRun() throws IOException {
    publish("r1");
    publish("r2");
    lineage.lease("job", List.of("r1"), Duration.ofHours(500));
    Path lease = new Path(lineage.dir(), "leases/job");
    temp.truncate(lease, temp.bytes(lease).length - 3);

    lineage.collect(NEWEST_ONLY, soon());
    assertThat(runs()).containsExactly("r1", "r2");

    lineage.collect(NEWEST_ONLY, Instant.now().plus(Duration.ofHours(2)));
    assertThat(runs()).as("by then nobody is still writing it").containsExactly("r2");
    assertThat(lineage.leaseExists("job")).isFalse();
  }

  @Test
  void ageDropsEvenTheNewestManifest() throws IOException {
    publish("r1");
    RetentionPolicy policy = RetentionPolicy.DEFAULT.withMaxAge(Duration.ofDays(10));
    lineage.collect(policy, Instant.now().plus(Duration.ofDays(9)));
    assertThat(runs()).containsExactly("r1");
    lineage.collect(policy, Instant.now().plus(Duration.ofDays(11)));
    assertThat(runs()).isEmpty();
  }

  @Test
  void theOldestManifestsGoUntilTheSizeLimitHolds() throws IOException {
    publish("r1");
    publish("r2", run("r1"));
    publish("r3");
    long manifest = temp.bytes(new Path(lineage.dir(), "manifests/00000000000000000003-r3")).length;
    RetentionPolicy policy = RetentionPolicy.DEFAULT;

    lineage.collect(policy.withMaxBytes(10_000), soon());
    assertThat(lineage.manifestNames()).hasSize(3);

    lineage.collect(policy.withMaxBytes(3_000 + 3 * manifest), soon());
    assertThat(lineage.manifestNames()).hasSize(2);
    assertThat(runs()).as("r1 is still reached by r2").containsExactly("r1", "r2", "r3");

    lineage.collect(policy.withMaxBytes(3_000), soon());
    assertThat(runs()).containsExactly("r3");

    lineage.collect(policy.withMaxBytes(999), soon());
    assertThat(runs()).isEmpty();
    assertThat(lineage.manifestNames()).isEmpty();
  }

  @Test
  void damagedManifestsDoNotCountAndKeepNothing() throws IOException {
    publish("r1");
    publish("r2");
    temp.flipBit(new Path(lineage.dir(), "manifests/00000000000000000002-r2"), 90);
    CollectResult result = lineage.collect(NEWEST_ONLY, soon());
    assertThat(result.manifestsDropped()).containsExactly("00000000000000000002-r2");
    assertThat(runs()).containsExactly("r1");
  }

  @Test
  void aStoreThatCannotBeReadLosesNothing() throws IOException {
    publish("r1");
    publish("r2");
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    faulty.failOpening("00000000000000000002-r2");
    assertThatThrownBy(() -> temp.lineage(faulty, 1).collect(NEWEST_ONLY, soon()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no live data nodes");
    assertThat(runs()).containsExactly("r1", "r2");
    assertThat(lineage.manifestNames()).hasSize(2);
  }

  @Test
  void whatCannotBeDroppedKeepsItsRuns() throws IOException {
    publish("r1");
    publish("r2");
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    faulty.readOnly(true);
    assertThatThrownBy(() -> temp.lineage(faulty, 1).collect(NEWEST_ONLY, soon()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("runs/r1")
        .hasMessageContaining("Permission denied");
    assertThat(runs()).containsExactly("r1", "r2");
    assertThat(lineage.manifestNames()).hasSize(2);
  }

  @Test
  void aJobThatPublishesDuringACollectionKeepsWhatItReused() throws IOException {
    publish("r1");
    publish("r2");
    lineage.lease("r3", List.of("r1"), Duration.ofHours(1));
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    faulty.beforeListing(
        "leases",
        () -> {
          publish("r3", run("r1"));
          lineage.release("r3");
        });
    temp.lineage(faulty, 1).collect(NEWEST_ONLY, soon());
    assertThat(runs()).containsExactly("r1", "r2", "r3");
    assertThat(lineage.manifestNames()).hasSize(2);
  }

  @Test
  void aJobThatBeginsDuringACollectionIsSafe() throws IOException {
    publish("r1");
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    faulty.beforeListing(
        "leases",
        () -> {
          lineage.lease("first", List.of(), Duration.ofHours(1));
          write("first", 10);
        });
    temp.lineage(faulty, 1).collect(NEWEST_ONLY, soon());
    assertThat(runs()).containsExactly("first", "r1");

    FaultyFileSystem later = new FaultyFileSystem(temp.fs());
    // The second look at the manifests comes after the leases were read.
    later.beforeListing(
        "leases",
        () ->
            later.beforeListing(
                "manifests",
                () -> {
                  lineage.lease("second", List.of(), Duration.ofHours(1));
                  write("second", 10);
                }));
    temp.lineage(later, 1).collect(NEWEST_ONLY, soon());
    assertThat(runs()).containsExactly("first", "r1", "second");
  }

  @Test
  void whatAnotherCollectorDropsMeanwhileStaysForTheJobThatPlannedWithIt() throws IOException {
    publish("r1");
    lineage.lease("r3", List.of(), Duration.ofHours(1));
    write("r3", 10);
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    faulty.beforeListing(
        "leases",
        () -> {
          publish("r3");
          lineage.release("r3");
          // This collector has read the leases now, and is about to list the manifests.
          faulty.beforeListing(
              "manifests",
              () -> {
                assertThat(lineage.leaseLatest("job", Duration.ofHours(1)))
                    .get()
                    .extracting(Manifest::runId)
                    .isEqualTo("r3");
                publish("r4");
                lineage.collect(NEWEST_ONLY, soon());
                assertThat(lineage.isPublished("r3")).isFalse();
              });
        });
    temp.lineage(faulty, 1).collect(NEWEST_ONLY, soon());
    assertThat(runs()).contains("r3", "r4");
  }

  @Test
  void planningTakesAnotherManifestIfTheFirstIsCollectedMeanwhile() throws IOException {
    publish("r1");
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    // The first listing is for reading the manifest, the second for seeing that it is still there.
    faulty.beforeListing(
        "manifests",
        () ->
            faulty.beforeListing(
                "manifests",
                () -> {
                  // A collector that had read the leases before ours was written.
                  publish("r2");
                  temp.fs()
                      .delete(new Path(lineage.dir(), "manifests/00000000000000000001-r1"), false);
                  temp.fs().delete(lineage.runDir("r1"), true);
                }));
    assertThat(temp.lineage(faulty, 1).leaseLatest("job", Duration.ofHours(1)))
        .get()
        .extracting(Manifest::runId)
        .isEqualTo("r2");
    publish("r3");
    lineage.collect(NEWEST_ONLY, soon());
    assertThat(runs()).as("leased by the job").containsExactly("r2", "r3");
  }

  @Test
  void aLineageWithNothingLeftGoesAfterItsGrace() throws IOException {
    lineage.describe("word count");
    publish("r1");
    RetentionPolicy nothing = RetentionPolicy.DEFAULT.withManifests(0);
    assertThat(lineage.collect(nothing, soon()).lineageRemoved()).isFalse();
    assertThat(runs()).isEmpty();
    assertThat(lineage.description()).contains("word count");

    Instant later = Instant.now().plus(Duration.ofHours(25));
    Path foreign = new Path(lineage.dir(), "notes");
    temp.put(foreign, new byte[1]);
    assertThat(lineage.collect(nothing, later).lineageRemoved()).isFalse();
    temp.fs().delete(foreign, false);
    assertThat(lineage.collect(nothing, later).lineageRemoved()).isTrue();
    assertThat(temp.fs().exists(lineage.dir())).isFalse();

    publish("r2");
    assertThat(lineage.latest()).isPresent();
  }

  @Test
  void collectingNothingIsHarmless() throws IOException {
    assertThat(lineage.collect(RetentionPolicy.DEFAULT, soon()))
        .isEqualTo(new CollectResult(List.of(), List.of(), 0, false));
  }
}
