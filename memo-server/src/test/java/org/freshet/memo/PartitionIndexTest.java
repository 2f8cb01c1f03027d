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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PartitionIndexTest {
  private final TempStore temp = new TempStore();

  @AfterEach
  void close() {
    temp.close();
  }

  @Property(tries = 60)
  void theNewestFileThatKnowsAnIdAnswers(
      @ForAll long seed, @ForAll @IntRange(max = 5) int fileCount) throws IOException {
    try (TempStore own = new TempStore()) {
      Random random = new Random(seed);
      TreeMap<Digest, RunRef> model = new TreeMap<>();
      List<String> files = new ArrayList<>();
      for (int f = 0; f < fileCount; f++) {
        TreeMap<Digest, RunRef> entries = new TreeMap<>();
        for (int i = random.nextInt(900); i > 0; i--) {
          // Ids from a small range, so that files overlap.
          entries.put(
              TempStore.digest(random.nextInt(1_500)),
              PartitionFileTest.run(random.nextInt(1 << 20)));
        }
        PartitionFile.write(
            own.fs(), own.path("f" + f), PartitionFileTest.shuffled(entries, random), new byte[0]);
        entries.forEach(model::putIfAbsent);
        files.add("f" + f);
      }

      try (PartitionIndex index = PartitionIndex.open(own.fs(), own.root(), files)) {
        assertThat(index.fileCount()).isEqualTo(fileCount);
        for (int i = 0; i < 1_500; i += 7) {
          Digest id = TempStore.digest(i);
          assertThat(index.lookup(id)).isEqualTo(Optional.ofNullable(model.get(id)));
        }
        assertThat(PartitionFileTest.collect(index.entries())).isEqualTo(model);
      }
    }
  }

  @Test
  void filesThatCannotBeReadAreLeftOut() throws IOException {
    Digest id = TempStore.digest(1);
    for (String name : List.of("damaged", "good", "unreachable")) {
      PartitionFile.write(
          temp.fs(),
          temp.path(name),
          List.of(new PartitionFile.Entry(id, PartitionFileTest.run(name.length()))),
          new byte[0]);
    }
    temp.truncate(temp.path("damaged"), 150);
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    faulty.failOpening("unreachable");
    try (PartitionIndex index =
        PartitionIndex.open(
            faulty, temp.root(), List.of("missing", "damaged", "unreachable", "good"))) {
      assertThat(index.fileCount()).isEqualTo(1);
      assertThat(index.lookup(id)).contains(PartitionFileTest.run(4));
    }
  }

  @Test
  void whoWouldRatherKnowIsToldOfFilesThatCannotBeReadNow() throws IOException {
    Digest id = TempStore.digest(1);
    for (String name : List.of("damaged", "good")) {
      PartitionFile.write(
          temp.fs(),
          temp.path(name),
          List.of(new PartitionFile.Entry(id, PartitionFileTest.run(4))),
          new byte[0]);
    }
    temp.truncate(temp.path("damaged"), 150);
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    List<String> files = List.of("missing", "damaged", "good");
    try (PartitionIndex index = PartitionIndex.openStrictly(faulty, temp.root(), files)) {
      assertThat(index.fileCount()).isEqualTo(1);
      assertThat(index.lookup(id)).contains(PartitionFileTest.run(4));
    }
    faulty.failOpening("good");

    assertThatThrownBy(() -> PartitionIndex.openStrictly(faulty, temp.root(), files))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("good");
  }

  @Test
  void aFileThatFailsWhileItIsReadIsPassedOver() throws IOException {
    Digest id = TempStore.digest(1);
    PartitionFile.write(
        temp.fs(),
        temp.path("new"),
        PartitionFileTest.shuffled(
            PartitionFileTest.randomEntries(new Random(1), 2_000), new Random(1)),
        new byte[0]);
    PartitionFile.write(
        temp.fs(),
        temp.path("old"),
        List.of(new PartitionFile.Entry(id, PartitionFileTest.run(7))),
        new byte[0]);
    try (PartitionIndex index =
        PartitionIndex.open(temp.fs(), temp.root(), List.of("new", "old"))) {
      temp.truncate(temp.path("new"), 8);
      assertThat(index.lookup(id)).contains(PartitionFileTest.run(7));
      assertThat(PartitionFileTest.collect(index.entries())).containsOnlyKeys(id);
    }
  }
}
