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
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PackTest {
  private static final String PACK = "runs/r1/m-0.pack";

  private final TempStore temp = new TempStore();

  @AfterEach
  void close() {
    temp.close();
  }

  @Test
  void runsReadBackAsTheyWereWritten() throws IOException {
    Random random = new Random(11);
    LineageStore lineage = temp.lineage(1);
    List<byte[]> runs = new ArrayList<>();
    List<RunRef> refs = new ArrayList<>();
    try (PackWriter writer = PackWriter.create(temp.fs(), new Path(lineage.dir(), PACK))) {
      for (int length : new int[] {0, 1, 7, 4096, 100_000, 0, 3_000_000}) {
        byte[] run = TempStore.randomBytes(random, length);
        writer.begin();
        // Both ways of writing, in uneven pieces.
        int cut = length / 3;
        writer.write(run, 0, cut);
        writer.stream().write(run, cut, length - cut);
        refs.add(writer.end(PACK, length + 5L));
        runs.add(run);
      }
      assertThat(writer.length()).isEqualTo(8 + runs.stream().mapToLong(r -> r.length).sum());
    }

    for (int i = 0; i < runs.size(); i++) {
      RunRef ref = refs.get(i);
      assertThat(TempStore.read(lineage, ref)).isEqualTo(runs.get(i));
      assertThat(ref.content()).isEqualTo(Digest.sha256(runs.get(i)));
      assertThat(ref.storedLength()).isEqualTo(runs.get(i).length);
      assertThat(ref.rawLength()).isEqualTo(runs.get(i).length + 5L);
      RunInput.verify(temp.fs(), lineage.dir(), ref);
    }
  }

  @Test
  void singleBytesAndSkipsAreCoveredByTheCheck() throws IOException {
    LineageStore lineage = temp.lineage(1);
    RunRef ref = TempStore.writePack(lineage, PACK, new Random(3), 1, 5_000).get(0);
    byte[] expected = TempStore.read(lineage, ref);
    try (InputStream in = RunInput.open(temp.fs(), lineage.dir(), ref)) {
      assertThat(in.skip(10)).isEqualTo(10);
      for (int i = 10; i < expected.length; i++) {
        assertThat(in.read()).isEqualTo(expected[i] & 0xff);
      }
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @Property(tries = 150)
  void aFlippedBitNeverYieldsAWrongRun(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int count) throws IOException {
    try (TempStore own = new TempStore()) {
      Random random = new Random(seed);
      LineageStore lineage = own.lineage(1);
      List<RunRef> refs = TempStore.writePack(lineage, PACK, random, count, 3_000);
      List<byte[]> runs = new ArrayList<>();
      for (RunRef ref : refs) {
        runs.add(TempStore.read(lineage, ref));
      }
      Path pack = new Path(lineage.dir(), PACK);
      long bit = random.nextLong(8L * own.bytes(pack).length);
      own.flipBit(pack, bit);

      for (int i = 0; i < count; i++) {
        RunRef ref = refs.get(i);
        long at = bit / 8;
        boolean hit = at >= ref.offset() && at < ref.offset() + ref.storedLength();
        if (hit) {
          assertThatExceptionOfType(CorruptRunException.class)
              .isThrownBy(() -> TempStore.read(lineage, ref))
              .satisfies(e -> assertThat(e.expected()).isEqualTo(ref.content()))
              .satisfies(e -> assertThat(e.actual()).isPresent())
              .withMessageContaining(PACK)
              .withMessageContaining("offset " + ref.offset())
              .withMessageContaining(ref.content().hex());
        } else {
          assertThat(TempStore.read(lineage, ref)).isEqualTo(runs.get(i));
        }
      }
    }
  }

  @Property(tries = 50)
  void aTruncatedPackYieldsWholeRunsOrNone(@ForAll long seed) throws IOException {
    try (TempStore own = new TempStore()) {
      Random random = new Random(seed);
      LineageStore lineage = own.lineage(1);
      List<RunRef> refs = TempStore.writePack(lineage, PACK, random, 4, 2_000);
      Path pack = new Path(lineage.dir(), PACK);
      int length = random.nextInt(own.bytes(pack).length);
      own.truncate(pack, length);

      for (RunRef ref : refs) {
        if (ref.storedLength() == 0 || ref.offset() + ref.storedLength() <= length) {
          assertThat(Digest.sha256(TempStore.read(lineage, ref))).isEqualTo(ref.content());
        } else {
          assertThatExceptionOfType(CorruptRunException.class)
              .isThrownBy(() -> TempStore.read(lineage, ref));
        }
      }
    }
  }

  @Test
  void theReadThatReachesTheLastByteFailsAlready() throws IOException {
    LineageStore lineage = temp.lineage(1);
    RunRef ref = TempStore.writePack(lineage, PACK, new Random(3), 1, 5_000).get(0);
    temp.flipBit(new Path(lineage.dir(), PACK), 8 * ref.offset());
    int length = (int) ref.storedLength();
    try (InputStream in = RunInput.open(temp.fs(), lineage.dir(), ref)) {
      assertThat(in.readNBytes(length - 1)).hasSize(length - 1);
      assertThatExceptionOfType(CorruptRunException.class).isThrownBy(in::read);
      assertThatExceptionOfType(CorruptRunException.class)
          .as("and so does every read after it")
          .isThrownBy(in::read);
    }
  }

  @Test
  void aMissingPackIsACorruptRun() throws IOException {
    LineageStore lineage = temp.lineage(1);
    RunRef ref = new RunRef(Digest.sha256(new byte[3]), "runs/none/m.pack", 8, 3, 3);
    assertThatExceptionOfType(CorruptRunException.class)
        .isThrownBy(() -> RunInput.verify(temp.fs(), lineage.dir(), ref))
        .withMessageContaining("runs/none/m.pack");
  }

  @Test
  void aReferenceWithTheWrongDigestOfAnEmptyRunIsCaught() throws IOException {
    LineageStore lineage = temp.lineage(1);
    TempStore.writePack(lineage, PACK, new Random(3), 1, 50);
    RunRef wrong = new RunRef(TempStore.digest(4), PACK, 8, 0, 0);
    assertThatExceptionOfType(CorruptRunException.class)
        .isThrownBy(() -> TempStore.read(lineage, wrong));
  }

  @Test
  void aPackIsNeverOverwritten() throws IOException {
    LineageStore lineage = temp.lineage(1);
    RunRef ref = TempStore.writePack(lineage, PACK, new Random(3), 1, 50).get(0);
    assertThatThrownBy(() -> PackWriter.create(temp.fs(), new Path(lineage.dir(), PACK)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(PACK);
    RunInput.verify(temp.fs(), lineage.dir(), ref);
  }

  @Test
  void abortLeavesNoFile() throws IOException {
    Path file = temp.path("p.pack");
    PackWriter writer = PackWriter.create(temp.fs(), file);
    writer.begin();
    writer.write(new byte[10], 0, 10);
    writer.abort();
    assertThat(temp.fs().exists(file)).isFalse();
    writer.abort();
    writer.close();
  }

  @Test
  void aFullDiskIsAnIOExceptionThatNamesThePack() throws IOException {
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    faulty.bytesFree(10_000);
    Path file = temp.path("p.pack");
    PackWriter writer = PackWriter.create(faulty, file);
    writer.begin();
    assertThatThrownBy(() -> writer.write(new byte[20_000], 0, 20_000))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("No space left on device");
    writer.abort();
    assertThat(temp.fs().exists(file)).isFalse();
  }

  @Test
  void aReadOnlyStoreIsAnIOExceptionThatNamesThePack() {
    FaultyFileSystem faulty = new FaultyFileSystem(temp.fs());
    faulty.readOnly(true);
    assertThatThrownBy(() -> PackWriter.create(faulty, temp.path("p.pack")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("p.pack")
        .hasMessageContaining("Permission denied");
  }

  @Test
  void runsAreWrittenOneAfterTheOther() throws IOException {
    try (PackWriter writer = PackWriter.create(temp.fs(), temp.path("p.pack"))) {
      assertThatIllegalStateException().isThrownBy(() -> writer.write(new byte[1], 0, 1));
      assertThatIllegalStateException().isThrownBy(() -> writer.end(PACK, 0));
      writer.begin();
      assertThatIllegalStateException().isThrownBy(writer::begin).withMessageContaining("offset 8");
    }
  }

  @Test
  void theMemoryTierServesSmallRunsThatWereReadBefore() throws IOException {
    LineageStore lineage = temp.lineage(1);
    RunRef ref = TempStore.writePack(lineage, PACK, new Random(3), 1, 5_000).get(0);
    byte[] expected = TempStore.read(lineage, ref);
    MemoryTier tier = new MemoryTier(1 << 20);
    assertThat(readThrough(tier, lineage, ref)).isEqualTo(expected);

    temp.fs().delete(new Path(lineage.dir(), PACK), false);
    assertThat(readThrough(tier, lineage, ref)).isEqualTo(expected);

    tier.clear();
    assertThatExceptionOfType(CorruptRunException.class)
        .isThrownBy(() -> readThrough(tier, lineage, ref));
  }

  @Test
  void theMemoryTierNeverTakesInADamagedRun() throws IOException {
    LineageStore lineage = temp.lineage(1);
    RunRef ref = TempStore.writePack(lineage, PACK, new Random(3), 1, 5_000).get(0);
    byte[] expected = TempStore.read(lineage, ref);
    MemoryTier tier = new MemoryTier(1 << 20);
    temp.flipBit(new Path(lineage.dir(), PACK), 8 * ref.offset() + 77);
    assertThatExceptionOfType(CorruptRunException.class)
        .isThrownBy(() -> RunInput.open(temp.fs(), lineage.dir(), ref, tier));
    assertThat(tier.bytes()).isZero();

    temp.flipBit(new Path(lineage.dir(), PACK), 8 * ref.offset() + 77);
    assertThat(readThrough(tier, lineage, ref)).isEqualTo(expected);
  }

  @Test
  void theMemoryTierStaysWithinItsBoundAndLeavesLargeRunsAlone() throws IOException {
    LineageStore lineage = temp.lineage(1);
    MemoryTier tier = new MemoryTier(100_000);
    for (RunRef ref : TempStore.writePack(lineage, PACK, new Random(5), 40, 20_000)) {
      readThrough(tier, lineage, ref);
      assertThat(tier.bytes()).isLessThanOrEqualTo(tier.maxBytes());
    }

    MemoryTier roomy = new MemoryTier(100 << 20);
    byte[] large = TempStore.randomBytes(new Random(6), RunInput.SMALL_RUN_BYTES + 1);
    RunRef ref;
    try (PackWriter writer = PackWriter.create(temp.fs(), new Path(lineage.dir(), "large.pack"))) {
      writer.begin();
      writer.write(large, 0, large.length);
      ref = writer.end("large.pack", large.length);
    }
    assertThat(readThrough(roomy, lineage, ref)).isEqualTo(large);
    assertThat(roomy.bytes()).isZero();
  }

  private static byte[] readThrough(MemoryTier tier, LineageStore lineage, RunRef ref)
      throws IOException {
    try (InputStream in = RunInput.open(lineage.fileSystem(), lineage.dir(), ref, tier)) {
      return in.readAllBytes();
    }
  }
}
