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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PartitionFileTest {
  private final TempStore temp = new TempStore();
  private final Path file = temp.path("runs/r1/p-0.idx");

  @AfterEach
  void close() {
    temp.close();
  }

  static RunRef run(long number) {
    return new RunRef(
        TempStore.digest(-number),
        "runs/r" + number % 5 + "/m.pack",
        8 + number,
        number,
        3 * number);
  }

  static SortedMap<Digest, RunRef> randomEntries(Random random, int count) {
    TreeMap<Digest, RunRef> entries = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      entries.put(TempStore.digest(random.nextLong()), run(random.nextInt(1_000_000)));
    }
    return entries;
  }

  static List<PartitionFile.Entry> shuffled(SortedMap<Digest, RunRef> entries, Random random) {
    List<PartitionFile.Entry> list = new ArrayList<>();
    entries.forEach((id, run) -> list.add(new PartitionFile.Entry(id, run)));
    Collections.shuffle(list, random);
    return list;
  }

  static SortedMap<Digest, RunRef> collect(Iterator<PartitionFile.Entry> entries) {
    TreeMap<Digest, RunRef> all = new TreeMap<>();
    List<Digest> order = new ArrayList<>();
    entries.forEachRemaining(
        e -> {
          assertThat(all.put(e.id(), e.run())).as("each id once").isNull();
          order.add(e.id());
        });
    assertThat(order).isSorted();
    return all;
  }

  @Property(tries = 40)
  void everyIdIsFoundAndNoOther(@ForAll long seed, @ForAll @IntRange(max = 3_000) int count)
      throws IOException {
    try (TempStore own = new TempStore()) {
      Random random = new Random(seed);
      SortedMap<Digest, RunRef> model = randomEntries(random, count);
      byte[] record = TempStore.randomBytes(random, random.nextInt(200));
      Path path = own.path("p.idx");
      PartitionFile.write(own.fs(), path, shuffled(model, random), record);

      try (PartitionFile index = PartitionFile.open(own.fs(), path)) {
        assertThat(index.size()).isEqualTo(model.size());
        assertThat(index.record()).isEqualTo(record);
        for (Digest id : model.keySet()) {
          assertThat(index.lookup(id)).contains(model.get(id));
        }
        for (int i = 0; i < 50; i++) {
          Digest absent = TempStore.digest(random.nextLong());
          assertThat(index.lookup(absent)).isEqualTo(Optional.ofNullable(model.get(absent)));
        }
        assertThat(collect(index.entries())).isEqualTo(model);
      }
    }
  }

  @Test
  void ofTwoEntriesWithOneIdTheFirstIsKept() throws IOException {
    Digest id = TempStore.digest(1);
    List<PartitionFile.Entry> entries = new ArrayList<>();
    for (int i = 10; i > 0; i--) {
      entries.add(new PartitionFile.Entry(TempStore.digest(i + 100), run(i)));
      entries.add(new PartitionFile.Entry(id, run(i)));
    }
    PartitionFile.write(temp.fs(), file, entries, new byte[0]);
    try (PartitionFile index = PartitionFile.open(temp.fs(), file)) {
      assertThat(index.size()).isEqualTo(11);
      assertThat(index.lookup(id)).contains(run(10));
    }
  }

  @Test
  void aLargeRecordAndManyPacksFit() throws IOException {
    byte[] record = TempStore.randomBytes(new Random(1), 300_000);
    List<PartitionFile.Entry> entries = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      RunRef run = new RunRef(TempStore.digest(i), "runs/r" + i + "/m.pack", 8, i, i);
      entries.add(new PartitionFile.Entry(TempStore.digest(i), run));
    }
    PartitionFile.write(temp.fs(), file, entries, record);
    try (PartitionFile index = PartitionFile.open(temp.fs(), file)) {
      assertThat(index.record()).isEqualTo(record);
      assertThat(index.lookup(TempStore.digest(2_999))).contains(entries.get(2_999).run());
    }
  }

  @Test
  void aLookupReadsFewBlocksOfALongFile() throws IOException {
    Random random = new Random(42);
    SortedMap<Digest, RunRef> model = randomEntries(random, 60_000);
    PartitionFile.write(temp.fs(), file, shuffled(model, random), new byte[0]);
    List<Digest> ids = new ArrayList<>(model.keySet());
    long blocks = 0;
    int lookups = 200;
    for (int i = 0; i < lookups; i++) {
      MemoryTier blocksRead = new MemoryTier(100 << 20);
      try (PartitionFile index = PartitionFile.open(temp.fs(), file, blocksRead)) {
        Digest id = ids.get(random.nextInt(ids.size()));
        assertThat(index.lookup(id)).contains(model.get(id));
      }
      blocks += Math.round(blocksRead.bytes() / 49_000.0);
    }
    // 118 blocks; bisecting alone would need six or seven.
    assertThat(blocks / (double) lookups).isLessThan(2.0);
  }

  @Test
  void idsThatAreNotUniformCostNoMoreThanTwiceABisection() throws IOException {
    List<PartitionFile.Entry> entries = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      // All ids share their first 24 bytes but for one at either end of the range.
      entries.add(new PartitionFile.Entry(skewed(i), run(i)));
    }
    PartitionFile.write(temp.fs(), file, entries, new byte[0]);
    Random random = new Random(9);
    for (int i = 0; i < 50; i++) {
      int wanted = random.nextInt(50_000);
      MemoryTier blocksRead = new MemoryTier(100 << 20);
      try (PartitionFile index = PartitionFile.open(temp.fs(), file, blocksRead)) {
        assertThat(index.lookup(skewed(wanted))).contains(run(wanted));
      }
      assertThat(blocksRead.bytes() / 49_000).isLessThanOrEqualTo(14);
    }
  }

  private static Digest skewed(int i) {
    ByteBuffer id = ByteBuffer.allocate(Digest.BYTES);
    if (i == 49_999) {
      id.putLong(-1);
    }
    return Digest.of(id.putLong(24, i).array());
  }

  @Property(tries = 100)
  void aFlippedBitLosesAnEntryAtMostAndNeverChangesOne(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 1_500) int count) throws IOException {
    try (TempStore own = new TempStore()) {
      Random random = new Random(seed);
      SortedMap<Digest, RunRef> model = randomEntries(random, count);
      byte[] record = TempStore.randomBytes(random, random.nextInt(500));
      Path path = own.path("p.idx");
      PartitionFile.write(own.fs(), path, shuffled(model, random), record);
      own.flipBit(path, random.nextLong(8L * own.bytes(path).length));

      Damage damage = readDamaged(own, path, model, record);
      assertThat(damage.lost()).isLessThanOrEqualTo(1);
    }
  }

  @Property(tries = 40)
  void heavyDamageNeverYieldsAWrongRun(@ForAll long seed) throws IOException {
    try (TempStore own = new TempStore()) {
      Random random = new Random(seed);
      SortedMap<Digest, RunRef> model = randomEntries(random, 2_500);
      byte[] record = {1, 2, 3};
      Path path = own.path("p.idx");
      PartitionFile.write(own.fs(), path, shuffled(model, random), record);
      byte[] bytes = own.bytes(path);
      // A stretch of random bytes may cover whole blocks.
      int from = 8 + random.nextInt(2_000 * 96);
      int length = random.nextInt(Math.min(120_000, 2_400 * 96 - from));
      System.arraycopy(TempStore.randomBytes(random, length), 0, bytes, from, length);
      own.put(path, bytes);

      Damage damage = readDamaged(own, path, model, record);
      assertThat(damage.opened()).isTrue();
      assertThat(damage.lost())
          .as("only what was overwritten")
          .isLessThanOrEqualTo(length / 96 + 2);
    }
  }

  private record Damage(boolean opened, int lost) {}

  private static Damage readDamaged(
      TempStore own, Path path, SortedMap<Digest, RunRef> model, byte[] record) throws IOException {
    int lost = 0;
    try (PartitionFile index = PartitionFile.open(own.fs(), path)) {
      assertThat(index.record()).isEqualTo(record);
      for (Digest id : model.keySet()) {
        Optional<RunRef> run = index.lookup(id);
        if (run.isPresent()) {
          assertThat(run).contains(model.get(id));
        } else {
          lost++;
        }
      }
      assertThat(model.entrySet()).containsAll(collect(index.entries()).entrySet());
    } catch (CorruptStoreException e) {
      assertThat(e).hasMessageContaining("p.idx");
      return new Damage(false, 0);
    }
    return new Damage(true, lost);
  }

  @Property(tries = 50)
  void aTruncatedFileDoesNotOpen(@ForAll long seed) throws IOException {
    try (TempStore own = new TempStore()) {
      Random random = new Random(seed);
      Path path = own.path("p.idx");
      PartitionFile.write(
          own.fs(), path, shuffled(randomEntries(random, 100), random), new byte[10]);
      own.truncate(path, random.nextInt(own.bytes(path).length));
      assertThatExceptionOfType(CorruptStoreException.class)
          .isThrownBy(() -> PartitionFile.open(own.fs(), path));
    }
  }

  @Test
  void aMissingFileIsCorrupt() {
    assertThatExceptionOfType(CorruptStoreException.class)
        .isThrownBy(() -> PartitionFile.open(temp.fs(), file))
        .withMessageContaining("p-0.idx");
  }

  @Test
  void aFileIsNeverOverwrittenAndAFailedWriteLeavesNone() throws IOException {
    List<PartitionFile.Entry> entries = shuffled(randomEntries(new Random(1), 500), new Random(2));
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    faulty.bytesFree(10_000);
    assertThatThrownBy(() -> PartitionFile.write(faulty, file, entries, new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("p-0.idx")
        .hasMessageContaining("No space left on device");
    assertThat(temp.fs().exists(file)).isFalse();

    PartitionFile.write(temp.fs(), file, entries, new byte[0]);
    assertThatThrownBy(() -> PartitionFile.write(temp.fs(), file, List.of(), new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("p-0.idx");
    try (PartitionFile index = PartitionFile.open(temp.fs(), file)) {
      assertThat(index.size()).isEqualTo(500);
    }
  }

  @Test
  void aSharedTierKeepsFilesApart() throws IOException {
    MemoryTier tier = new MemoryTier(10 << 20);
    Digest id = TempStore.digest(1);
    for (int i = 0; i < 3; i++) {
      Path path = temp.path("p-" + i + ".idx");
      PartitionFile.write(
          temp.fs(), path, List.of(new PartitionFile.Entry(id, run(i))), new byte[0]);
      try (PartitionFile index = PartitionFile.open(temp.fs(), path, tier)) {
        assertThat(index.lookup(id)).contains(run(i));
      }
    }
  }
}
