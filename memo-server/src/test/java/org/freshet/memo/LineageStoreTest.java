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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.freshet.memo.Manifest.RunEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LineageStoreTest {
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

  private static Manifest manifest(String runId) {
    return Manifest.builder(runId).addRun(new RunEntry(runId, List.of())).build();
  }

  @Test
  void aRunIsInvisibleUntilItIsPublished() throws IOException {
    String runId = lineage.newRunId();
    TempStore.writePack(lineage, "runs/" + runId + "/m.pack", new Random(1), 2, 100);
    assertThat(lineage.latest()).isEmpty();
    assertThat(lineage.isPublished(runId)).isFalse();

    lineage.publish(manifest(runId));

    assertThat(lineage.latest()).get().extracting(Manifest::runId).isEqualTo(runId);
    assertThat(lineage.manifest(runId)).get().extracting(Manifest::runId).isEqualTo(runId);
    assertThat(lineage.manifest("other")).isEmpty();
    assertThat(lineage.manifestNames()).containsExactly("00000000000000000001-" + runId);
    assertThat(temp.fs().listStatus(lineage.runDir(runId)))
        .extracting(s -> s.getPath().getName())
        .containsExactly("m.pack");
  }

  @Test
  void manifestsAreNumberedUpwardsAndListedNewestFirst() throws IOException {
    for (String run : List.of("z", "a", "m")) {
      lineage.publish(manifest(run));
    }
    assertThat(lineage.manifestNames())
        .containsExactly(
            "00000000000000000003-m", "00000000000000000002-a", "00000000000000000001-z");
    assertThat(lineage.latest()).get().extracting(Manifest::runId).isEqualTo("m");
  }

  @Test
  void aRunIsPublishedOnce() throws IOException {
    lineage.publish(manifest("r1"));
    assertThatExceptionOfType(FileAlreadyExistsException.class)
        .isThrownBy(() -> lineage.publish(manifest("r1")))
        .withMessageContaining("r1");
    assertThat(lineage.manifestNames()).hasSize(1);
  }

  @Test
  void publishersAtTheSameMomentAreAllPublished() throws Exception {
    int threads = 8;
    int rounds = 15;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      CyclicBarrier start = new CyclicBarrier(threads);
      List<Future<List<String>>> published = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        published.add(
            executor.submit(
                () -> {
                  List<String> runs = new ArrayList<>();
                  for (int i = 0; i < rounds; i++) {
                    start.await(30, TimeUnit.SECONDS);
                    String runId = lineage.newRunId();
                    lineage.publish(manifest(runId));
                    assertThat(lineage.manifest(runId)).isPresent();
                    runs.add(runId);
                  }
                  return runs;
                }));
      }
      List<String> all = new ArrayList<>();
      for (Future<List<String>> f : published) {
        all.addAll(f.get(60, TimeUnit.SECONDS));
      }
      assertThat(lineage.manifestNames())
          .extracting(name -> name.substring(21))
          .containsExactlyInAnyOrderElementsOf(all);
      assertThat(lineage.latest()).isPresent();
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void aRefusedRenameIsTriedAgainUnderAnotherNumber() throws IOException {
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    faulty.refuseRenames(3);
    temp.lineage(faulty, 1).publish(manifest("r1"));
    assertThat(lineage.isPublished("r1")).isTrue();

    faulty.refuseRenames(1_000);
    assertThatThrownBy(() -> temp.lineage(faulty, 1).publish(manifest("r2")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("manifests");
    assertThat(lineage.isPublished("r2")).isFalse();
  }

  @Test
  void aDamagedManifestIsPassedOver() throws IOException {
    for (String run : List.of("r1", "r2", "r3", "r4")) {
      lineage.publish(manifest(run));
    }
    Path manifests = new Path(lineage.dir(), "manifests");
    temp.flipBit(new Path(manifests, "00000000000000000004-r4"), 100);
    temp.truncate(new Path(manifests, "00000000000000000003-r3"), 0);
    assertThat(lineage.latest()).get().extracting(Manifest::runId).isEqualTo("r2");
    assertThatExceptionOfType(CorruptStoreException.class)
        .isThrownBy(() -> lineage.manifest("r4"))
        .withMessageContaining("00000000000000000004-r4");

    lineage.publish(manifest("r5"));
    assertThat(lineage.manifestNames().get(0)).isEqualTo("00000000000000000005-r5");
  }

  @Test
  void aManifestUnderAnotherRunsNameIsDamage() throws IOException {
    lineage.publish(manifest("r1"));
    Path manifests = new Path(lineage.dir(), "manifests");
    byte[] bytes = temp.bytes(new Path(manifests, "00000000000000000001-r1"));
    temp.put(new Path(manifests, "00000000000000000002-r2"), bytes);
    assertThat(lineage.latest()).get().extracting(Manifest::runId).isEqualTo("r1");
    assertThatExceptionOfType(CorruptStoreException.class)
        .isThrownBy(() -> lineage.manifest("r2"))
        .withMessageContaining("r1");
  }

  @Test
  void foreignFilesAreIgnored() throws IOException {
    lineage.publish(manifest("r1"));
    Path manifests = new Path(lineage.dir(), "manifests");
    for (String name :
        List.of(
            ".00000000000000000001-r1.crc",
            "README",
            "9-r9",
            "99999999999999999999-r9",
            "00000000000000000007-.tmp",
            "00000000000000000007-")) {
      temp.put(new Path(manifests, name), new byte[4]);
    }
    temp.put(new Path(manifests, "00000000000000000008-dir/file"), new byte[4]);
    assertThat(lineage.manifestNames()).containsExactly("00000000000000000001-r1");
    lineage.publish(manifest("r2"));
    assertThat(lineage.manifestNames().get(0)).isEqualTo("00000000000000000002-r2");
  }

  @Test
  void theSizeOfEachRunIsTold() throws IOException {
    assertThat(lineage.runStats()).isEmpty();
    TempStore.writePack(lineage, "runs/r2/m.pack", new Random(1), 2, 100);
    TempStore.writePack(lineage, "runs/r1/a.pack", new Random(2), 3, 1000);
    TempStore.writePack(lineage, "runs/r1/b.pack", new Random(3), 1, 10);
    lineage.publish(manifest("r1"));
    List<RunStats> runs = lineage.runStats();
    assertThat(runs).extracting(RunStats::runId).containsExactly("r1", "r2");
    assertThat(runs).extracting(RunStats::packs).containsExactly(2L, 1L);
    assertThat(runs).extracting(RunStats::published).containsExactly(true, false);
    for (RunStats run : runs) {
      assertThat(run.bytes())
          .isPositive()
          .isEqualTo(temp.fs().getContentSummary(lineage.runDir(run.runId())).getLength());
    }
  }

  @Test
  void discardDeletesAnUnpublishedRunOnly() throws IOException {
    TempStore.writePack(lineage, "runs/r1/m.pack", new Random(1), 2, 100);
    lineage.lease("r1", List.of(), Duration.ofHours(1));
    lineage.discard("r1");
    assertThat(temp.fs().exists(lineage.runDir("r1"))).isFalse();
    assertThat(lineage.leaseExists("r1")).isFalse();
    lineage.discard("r1");

    lineage.publish(manifest("r2"));
    assertThatThrownBy(() -> lineage.discard("r2"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("r2 is published already");
    assertThat(temp.fs().exists(lineage.runDir("r2"))).isTrue();
  }

  @Test
  void theFirstDescriptionStays() throws IOException {
    lineage.describe("word count ∑");
    lineage.describe("something else");
    assertThat(lineage.description()).contains("word count ∑");
    assertThat(temp.fs().listStatus(lineage.dir())).hasSize(1);
  }

  @Test
  void runIdsAreUniqueAndSortByTime() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      ids.add(lineage.newRunId());
    }
    assertThat(ids).isSorted();
    assertThat(new HashSet<>(ids)).hasSameSizeAs(ids);
  }

  @Test
  void idsThatCannotBeFileNamesAreRefused() {
    for (String id : List.of("", ".", "..", "a/b", "../r1", ".tmp", "a b", "x".repeat(201))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> lineage.runDir(id))
          .withMessageContaining("run id '" + id + "'");
    }
  }

  @Test
  void aLeaseIsThereUntilItIsReleased() throws IOException {
    Lease lease = lineage.lease("r2", List.of("r1", "r0"), Duration.ofHours(2));
    assertThat(lease.usedRuns()).containsExactly("r0", "r1");
    assertThat(lineage.leaseExists("r2")).isTrue();
    assertThat(lineage.leaseExists("r1")).isFalse();
    assertThat(lineage.lease("r2", List.of("r0"), Duration.ofHours(3)).expires())
        .isAfter(lease.expires());
    lineage.release("r2");
    assertThat(lineage.leaseExists("r2")).isFalse();
    lineage.release("r2");
  }

  @Test
  void failuresToWriteNameThePath() {
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    assertThatThrownBy(
            () -> {
              faulty.bytesFree(0);
              temp.lineage(faulty, 1).publish(manifest("r1"));
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("runs/r1/manifest.tmp")
        .hasMessageContaining("No space left on device");
    assertThatThrownBy(() -> temp.lineage(faulty, 1).lease("r1", List.of(), Duration.ofHours(1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("leases/r1");
    assertThatThrownBy(() -> temp.lineage(faulty, 1).describe("x"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(lineage.dir().toString());
    faulty.readOnly(true);
    assertThatThrownBy(() -> temp.lineage(faulty, 1).publish(manifest("r1")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("runs/r1/manifest.tmp")
        .hasMessageContaining("Permission denied");
    assertThatThrownBy(() -> temp.lineage(faulty, 1).discard("r1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("runs/r1");
  }
}
