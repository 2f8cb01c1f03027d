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

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.mapreduce.plan.RunPlaces;
import org.freshet.mapreduce.run.Run;
import org.freshet.mapreduce.run.RunFixture;
import org.freshet.memo.RunInput;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MapPackTest {
  @TempDir private java.nio.file.Path temporary;
  private RunFixture runs;
  private final Configuration conf = new Configuration();

  @BeforeEach
  void placeRun() throws IOException {
    runs = new RunFixture(temporary);
    store("file:" + temporary.resolve("lineage"));
  }

  /** Says where a planned run is to be stored, as its planner would. */
  private void store(String lineageDir) {
    conf.set("freshet.internal.lineage.dir", lineageDir);
    conf.set("freshet.internal.run", "r1");
  }

  private java.nio.file.Path packFile(String attempt) {
    return temporary.resolve("lineage/" + RunPlaces.packName(conf, attempt));
  }

  private Run memory(int size) {
    byte[] bytes = new byte[size];
    return new Run.InMemory(null, bytes, size, size);
  }

  @Test
  void storedRunsAreReadBackFromTheFinishedPack() throws Exception {
    Run first = runs.run(entry("a", 1));
    Run second = runs.run(entry("b", 2), entry("c", 3));
    MapPack pack = MapPack.create(conf, "attempt_0", () -> {});
    MapPack.Stored firstStored = pack.store(first);
    MapPack.Stored secondStored = pack.store(second);

    assertThat(pack.finish()).isEqualTo("runs/r1/attempt_0.pack");

    assertThat(firstStored.content()).isEqualTo(first.content());
    assertThat(secondStored.offset()).isEqualTo(firstStored.offset() + first.storedLength());
    assertThat(secondStored.ref().rawLength()).isEqualTo(second.rawLength());
    FileSystem fs = FileSystem.getLocal(conf);
    try (InputStream stored =
            RunInput.open(fs, new Path(temporary.resolve("lineage").toUri()), secondStored.ref());
        InputStream original = second.open()) {
      assertThat(stored.readAllBytes()).isEqualTo(original.readAllBytes());
    }
  }

  @Test
  void aPackThatIsAbandonedIsGone() throws Exception {
    try (MapPack pack = MapPack.create(conf, "attempt_0", () -> {})) {
      pack.store(runs.run(entry("a", 1)));
      assertThat(packFile("attempt_0")).exists();
    }

    assertThat(packFile("attempt_0")).doesNotExist();
  }

  @Test
  void aFinishedPackStaysWhenItIsClosed() throws Exception {
    MapPack pack = MapPack.create(conf, "attempt_0", () -> {});
    pack.finish();
    pack.close();

    assertThat(packFile("attempt_0")).exists();
  }

  @Test
  void whereTheStoreIsNoDirectoryRunsAreDigestedAllTheSameAndThePackIsAbsent() throws Exception {
    Files.writeString(temporary.resolve("lineage"), "in the way");
    Run run = runs.run(entry("a", 1));
    try (MapPack pack = MapPack.create(conf, "attempt_0", () -> {})) {
      MapPack.Stored stored = pack.store(run);

      assertThat(stored.content()).isEqualTo(run.content());
      assertThat(stored.ref()).isNull();
      assertThat(stored.offset()).isZero();
      assertThat(pack.finish()).isEmpty();
    }
  }

  @Test
  void aStoreOnAnUnknownFileSystemLeavesThePackAbsent() throws Exception {
    store("nosuch://host/lineage");
    try (MapPack pack = MapPack.create(conf, "attempt_0", () -> {})) {
      assertThat(pack.store(memory(10)).content()).isEqualTo(Digest.sha256(new byte[10]));
      assertThat(pack.finish()).isEmpty();
    }
  }

  @Test
  void aBadReplicationLeavesThePackAbsentInsteadOfFailingTheTask() throws Exception {
    conf.set("freshet.store.replication", "many");
    try (MapPack pack = MapPack.create(conf, "attempt_0", () -> {})) {
      assertThat(pack.store(memory(10)).ref()).isNull();
      assertThat(pack.finish()).isEmpty();
    }
  }

  @Test
  void aStoreThatFillsUpLeavesNoPackAndGoesOnDigesting() throws Exception {
    FullStore.use(conf);
    store("full://" + temporary.resolve("lineage"));
    try (MapPack pack = MapPack.create(conf, "attempt_0", () -> {})) {
      assertThat(pack.store(memory(500)).ref()).isNotNull();
      assertThat(pack.store(memory(600)).content()).isEqualTo(Digest.sha256(new byte[600]));
      assertThat(pack.store(memory(7)).ref()).isNull();
      assertThat(pack.finish()).isEmpty();
    }
    assertThat(packFile("attempt_0")).doesNotExist();
  }

  @Test
  void aPackOfAnotherAttemptIsNotWrittenOver() throws Exception {
    MapPack first = MapPack.create(conf, "attempt_0", () -> {});
    first.store(memory(100));
    first.finish();
    byte[] bytes = Files.readAllBytes(packFile("attempt_0"));

    try (MapPack again = MapPack.create(conf, "attempt_0", () -> {})) {
      assertThat(again.store(memory(5)).ref()).isNull();
      assertThat(again.finish()).isEmpty();
    }
    assertThat(Files.readAllBytes(packFile("attempt_0"))).isEqualTo(bytes);
  }

  @Test
  void aRunThatCanNotBeReadFailsTheTask() throws Exception {
    Run lost =
        new Run.InFile(null, runs.local, new Path(temporary.resolve("lost").toUri()), 0, 10, 10);
    try (MapPack pack = MapPack.create(conf, "attempt_0", () -> {})) {
      assertThatThrownBy(() -> pack.store(lost)).isInstanceOf(IOException.class);
    }
  }
}
