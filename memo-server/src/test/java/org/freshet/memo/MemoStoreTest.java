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
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemoStoreTest {
  private final TempStore temp = new TempStore();

  @AfterEach
  void close() {
    temp.close();
  }

  @Test
  void openingAndLookingCreateNothing() throws IOException {
    Path root = temp.path("not/yet");
    MemoStore store = MemoStore.open(temp.fs(), root);
    LineageStore lineage = store.lineage(TempStore.digest(1));
    assertThat(store.lineages()).isEmpty();
    assertThat(store.stats()).isEqualTo(StoreStats.NONE);
    assertThat(lineage.latest()).isEmpty();
    assertThat(lineage.manifestNames()).isEmpty();
    assertThat(lineage.manifest("r1")).isEmpty();
    assertThat(lineage.description()).isEmpty();
    assertThat(lineage.leaseExists("r1")).isFalse();
    assertThat(temp.fs().exists(temp.path("not"))).isFalse();
  }

  @Test
  void theRootIsQualified() throws IOException {
    Configuration conf = new Configuration(false);
    conf.set("fs.defaultFS", "file:///");
    MemoStore store = MemoStore.open(conf, new Path(TempStore.local(temp.path("s")).toString()));
    assertThat(store.root().toString()).startsWith("file:/").endsWith("/s");
    assertThat(store.lineage(TempStore.digest(1)).dir())
        .isEqualTo(new Path(store.root(), "v1/lineages/" + TempStore.digest(1).hex()));
  }

  @Test
  void errorsNameTheRoot() throws IOException {
    temp.put(temp.path("file"), new byte[1]);
    assertThatThrownBy(() -> MemoStore.open(temp.fs(), temp.path("file")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("file is a file, expected a directory");
    assertThatThrownBy(() -> MemoStore.open(temp.fs(), temp.path("file/below")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("file/below");
    assertThatThrownBy(
            () -> MemoStore.open(new Configuration(false), new Path("nosuch://host/store")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nosuch://host/store");
  }

  @Test
  void statisticsCountWhatIsThereAndForeignFilesAreNoLineages() throws IOException {
    for (int i = 1; i <= 2; i++) {
      LineageStore lineage = temp.lineage(i);
      lineage.describe("lineage " + i);
      for (String run : new String[] {"r1", "r2", "r3"}) {
        TempStore.writePack(lineage, "runs/" + run + "/m.pack", new Random(i), 3, 100);
        if (!run.equals("r3")) {
          lineage.publish(Manifest.builder(run).build());
        }
      }
    }
    temp.put(temp.path("v1/lineages/README"), new byte[5]);
    temp.put(temp.path("v1/lineages/tmp/file"), new byte[5]);
    temp.put(temp.path("v1/lineages/" + "g".repeat(64) + "/file"), new byte[5]);
    temp.put(new Path(temp.lineage(1).dir(), "runs/.hidden/file"), new byte[5]);
    temp.put(new Path(temp.lineage(1).dir(), "runs/file"), new byte[5]);
    temp.put(new Path(temp.lineage(1).dir(), "manifests/notes.txt"), new byte[5]);

    MemoStore store = temp.store();
    assertThat(store.lineages())
        .extracting(LineageStore::id)
        .containsExactlyInAnyOrder(TempStore.digest(1), TempStore.digest(2));
    StoreStats stats = store.stats();
    assertThat(stats.lineages()).isEqualTo(2);
    assertThat(stats.runs()).isEqualTo(6);
    assertThat(stats.packs()).isEqualTo(6);
    assertThat(stats.manifests()).isEqualTo(4);
    assertThat(stats.bytes()).isGreaterThan(6 * 8);
  }
}
