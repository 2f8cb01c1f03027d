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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.freshet.memo.Manifest.FileEntry;
import org.freshet.memo.Manifest.LeafEntry;
import org.freshet.memo.Manifest.NodeEntry;
import org.freshet.memo.Manifest.RunEntry;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.Test;

class ManifestTest {

  static Manifest random(Random random, int maxLeaves) {
    Manifest.Builder m =
        Manifest.builder("run-" + random.nextInt(1_000))
            .jobId(random.nextBoolean() ? "" : "job_1_" + random.nextInt(10_000))
            .jobName("word count ∑ " + random.nextInt())
            .createdMillis(random.nextLong())
            .outputDir(random.nextBoolean() ? null : "hdfs://nn/out/" + random.nextInt())
            .treeParameters("content-grouped 4")
            .property("b", "2")
            .property("a", "x".repeat(random.nextInt(70_000)));
    int files = 1 + random.nextInt(5);
    for (int i = 0; i < files; i++) {
      m.addFile(new FileEntry("/in/f" + i, "v" + random.nextLong(), random.nextLong(1L << 40)));
    }
    int runs = 1 + random.nextInt(4);
    for (int i = 0; i < runs; i++) {
      m.addRun(new RunEntry("r" + i, i == 0 ? List.of() : List.of("r0", "p" + i)));
    }
    for (int i = random.nextInt(maxLeaves + 1); i > 0; i--) {
      Digest id = TempStore.digest(random.nextInt(maxLeaves));
      m.addLeaf(
          new LeafEntry(
              id,
              random.nextInt(files),
              random.nextLong(1L << random.nextInt(1, 63)),
              random.nextInt(1 << 22),
              random.nextInt(runs)));
      if (random.nextBoolean()) {
        m.leafCounters(id, counters(random));
      }
    }
    if (random.nextBoolean()) {
      m.leafCounters(TempStore.digest(-1), counters(random));
    }
    for (int i = random.nextInt(20); i > 0; i--) {
      m.addNode(new NodeEntry(TempStore.digest(random.nextLong()), random.nextInt(runs)));
    }
    for (int i = random.nextInt(5); i > 0; i--) {
      m.addPartition("runs/r0/p-" + i + ".idx");
    }
    return m.build();
  }

  private static CounterSet counters(Random random) {
    CounterSet.Builder counters = CounterSet.builder();
    for (int i = random.nextInt(4); i >= 0; i--) {
      counters.add("group " + random.nextInt(2), "name " + i, random.nextLong());
    }
    return counters.build();
  }

  private static byte[] write(Manifest m) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    m.write(out);
    return out.toByteArray();
  }

  private static Manifest read(byte[] bytes) throws IOException {
    return Manifest.read(new ByteArrayInputStream(bytes));
  }

  @Property(tries = 150)
  void aManifestReadsBackAsItWasWritten(@ForAll long seed) throws IOException {
    Manifest m = random(new Random(seed), 60);
    byte[] bytes = write(m);
    Manifest back = read(bytes);
    assertThat(back.runId()).isEqualTo(m.runId());
    assertThat(back.jobId()).isEqualTo(m.jobId());
    assertThat(back.jobName()).isEqualTo(m.jobName());
    assertThat(back.createdMillis()).isEqualTo(m.createdMillis());
    assertThat(back.outputDir()).isEqualTo(m.outputDir());
    assertThat(back.treeParameters()).isEqualTo(m.treeParameters());
    assertThat(back.files()).isEqualTo(m.files());
    assertThat(back.leaves()).isEqualTo(m.leaves());
    assertThat(back.nodes()).isEqualTo(m.nodes());
    assertThat(back.runs()).isEqualTo(m.runs());
    assertThat(back.partitions()).isEqualTo(m.partitions());
    assertThat(back.leafCounters()).isEqualTo(m.leafCounters());
    assertThat(back.properties()).isEqualTo(m.properties());
    assertThat(back.properties().keySet()).containsExactly("a", "b");
  }

  @Property(tries = 400)
  void anyFlippedBitIsFound(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    byte[] bytes = write(random(random, 20));
    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    assertThatExceptionOfType(CorruptStoreException.class).isThrownBy(() -> read(bytes));
  }

  @Property(tries = 200)
  void anyTruncationOrRandomTailIsFound(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    byte[] bytes = write(random(random, 20));
    int cut = random.nextInt(bytes.length);
    assertThatExceptionOfType(CorruptStoreException.class)
        .isThrownBy(() -> read(Arrays.copyOf(bytes, cut)));
    byte[] garbled = bytes.clone();
    byte[] tail = TempStore.randomBytes(random, bytes.length - cut);
    System.arraycopy(tail, 0, garbled, cut, tail.length);
    assertThatExceptionOfType(CorruptStoreException.class).isThrownBy(() -> read(garbled));
    assertThatExceptionOfType(CorruptStoreException.class)
        .isThrownBy(() -> read(Arrays.copyOf(bytes, bytes.length + 1)));
  }

  @Test
  void aFailingStreamIsNotTakenForDamage() {
    InputStream failing =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("connection reset");
          }

          @Override
          public int read(byte[] b, int off, int len) throws IOException {
            throw new IOException("connection reset");
          }
        };
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> Manifest.read(failing))
        .withMessage("connection reset")
        .isNotInstanceOf(CorruptStoreException.class);
  }

  @Test
  void aQuarterMillionLeavesTakeLessThanFifteenMegabytes() throws IOException {
    Random random = new Random(1);
    Manifest.Builder m = Manifest.builder("r1").addFile(new FileEntry("/in/f", "v", 1L << 40));
    m.addRun(new RunEntry("r1", List.of()));
    long offset = 0;
    for (int i = 0; i < 250_000; i++) {
      long length = 2_000_000L + random.nextInt(6_000_000);
      m.addLeaf(new LeafEntry(TempStore.digest(i), 0, offset, length, 0));
      offset += length;
    }
    m.addNodes(List.of(new NodeEntry(TempStore.digest(7), 0)));
    Manifest manifest = m.build();
    byte[] bytes = write(manifest);
    assertThat(bytes.length).isLessThan(15_000_000);
    assertThat(read(bytes).leaves()).isEqualTo(manifest.leaves());
  }

  @Test
  void indexesMustPointAtSomething() {
    Manifest.Builder noFile =
        Manifest.builder("r1")
            .addRun(new RunEntry("r1", List.of()))
            .addLeaf(new LeafEntry(TempStore.digest(1), 0, 0, 1, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(noFile::build)
        .withMessageContaining("file 0 of")
        .withMessageContaining("there are 0");
    Manifest.Builder noRun = Manifest.builder("r1").addNode(new NodeEntry(TempStore.digest(1), 3));
    assertThatIllegalArgumentException().isThrownBy(noRun::build).withMessageContaining("run 3 of");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Manifest.builder("../evil").build())
        .withMessageContaining("../evil");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RunEntry("r1", List.of("a/b")))
        .withMessageContaining("a/b");
  }

  @Test
  void reachableRunsAreItsOwnThoseItNamesAndTheirPins() {
    Manifest m =
        Manifest.builder("r3")
            .addRun(new RunEntry("r1", List.of("r0")))
            .addRun(new RunEntry("r2", List.of("r1", "p")))
            .build();
    assertThat(m.reachableRuns()).containsExactlyInAnyOrder("r0", "r1", "r2", "r3", "p");
  }
}
