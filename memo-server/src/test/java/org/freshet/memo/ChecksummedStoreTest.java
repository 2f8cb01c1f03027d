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

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store on Hadoop's usual local file system, which keeps a checksum file beside each file. */
class ChecksummedStoreTest {
  private final TempStore temp = new TempStore();
  private LineageStore lineage;
  private RunRef run;

  @BeforeEach
  void publishOneRun() throws IOException {
    FileSystem fs = FileSystem.getLocal(new Configuration(false));
    lineage = temp.lineage(fs, 1);
    lineage.describe("word count");
    lineage.lease("r1", List.of(), Duration.ofHours(1));
    run = TempStore.writePack(lineage, "runs/r1/m.pack", new Random(1), 1, 5_000).get(0);
    PartitionFile.write(
        fs,
        new Path(lineage.dir(), "runs/r1/p.idx"),
        List.of(new PartitionFile.Entry(id(), run)),
        new byte[0]);
    lineage.publish(Manifest.builder("r1").addPartition("runs/r1/p.idx").build());
    lineage.release("r1");
  }

  @AfterEach
  void close() {
    temp.close();
  }

  private static Digest id() {
    return TempStore.digest(1);
  }

  private PartitionIndex index() {
    return PartitionIndex.open(lineage.fileSystem(), lineage.dir(), List.of("runs/r1/p.idx"));
  }

  @Test
  void allIsFoundAgain() throws IOException {
    assertThat(lineage.latest()).get().extracting(Manifest::runId).isEqualTo("r1");
    try (PartitionIndex index = index()) {
      assertThat(index.lookup(id())).contains(run);
    }
    RunInput.verify(lineage.fileSystem(), lineage.dir(), run);
  }

  @Test
  void damageThatTheFileSystemFindsFirstIsDamageToo() throws IOException {
    temp.flipBit(run.packPath(lineage.dir()), 8 * run.offset());
    assertThatExceptionOfType(CorruptRunException.class)
        .isThrownBy(() -> RunInput.verify(lineage.fileSystem(), lineage.dir(), run));

    temp.flipBit(new Path(lineage.dir(), "runs/r1/p.idx"), 100);
    try (PartitionIndex index = index()) {
      assertThat(index.lookup(id())).isEmpty();
    }

    temp.flipBit(new Path(lineage.dir(), "manifests/00000000000000000001-r1"), 100);
    assertThat(lineage.latest()).isEmpty();
    assertThatExceptionOfType(CorruptStoreException.class).isThrownBy(() -> lineage.manifest("r1"));
  }

  @Test
  void collectingLeavesNoChecksumFilesBehind() throws IOException {
    assertThat(
            lineage
                .collect(
                    RetentionPolicy.DEFAULT.withManifests(0),
                    Instant.now().plus(Duration.ofHours(25)))
                .lineageRemoved())
        .isTrue();
    assertThat(temp.fs().exists(lineage.dir())).isFalse();
  }
}
