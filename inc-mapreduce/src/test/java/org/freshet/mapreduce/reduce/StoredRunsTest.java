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
package org.freshet.mapreduce.reduce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.mapreduce.run.Run;
import org.freshet.memo.PackWriter;
import org.freshet.memo.PartitionFile;
import org.freshet.memo.PartitionIndex;
import org.freshet.memo.RunRef;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredRunsTest {
  private static final String PACK = "runs/r1/m.pack";
  private static final String INDEX = "runs/r1/p-000000-a.idx";

  @TempDir private java.nio.file.Path temporary;
  private FileSystem fs;
  private Path lineage;
  private RunRef first;
  private RunRef second;
  private final AtomicInteger told = new AtomicInteger();

  private static Digest digest(String text) {
    return Digest.sha256(text.getBytes(UTF_8));
  }

  @BeforeEach
  void storeTwoRuns() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRaw();
    lineage = new Path(temporary.toUri());
    try (PackWriter pack = PackWriter.create(fs, new Path(lineage, PACK))) {
      first = store(pack, "bytes of the first");
      second = store(pack, "bytes of the second");
    }
    PartitionFile.write(
        fs,
        new Path(lineage, INDEX),
        List.of(
            new PartitionFile.Entry(digest("first"), first),
            new PartitionFile.Entry(digest("alias"), first),
            new PartitionFile.Entry(digest("second"), second)),
        new byte[0]);
  }

  private static RunRef store(PackWriter pack, String bytes) throws IOException {
    pack.begin();
    pack.write(bytes.getBytes(UTF_8), 0, bytes.length());
    return pack.end(PACK, 100);
  }

  private StoredRuns runs(long memoryLimit) {
    return runs(INDEX, memoryLimit);
  }

  private StoredRuns runs(String index, long memoryLimit) {
    return new StoredRuns(
        fs,
        lineage,
        PartitionIndex.open(fs, lineage, List.of(index)),
        memoryLimit,
        told::incrementAndGet);
  }

  private static String text(Run run) throws IOException {
    try (InputStream in = run.open()) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private void damageFirst() throws IOException {
    java.nio.file.Path pack = temporary.resolve(PACK);
    byte[] bytes = Files.readAllBytes(pack);
    bytes[(int) first.offset() + 3] ^= 1;
    Files.write(pack, bytes);
  }

  @Test
  void knownRunsAreFoundAndReadAndOthersAreNot() throws IOException {
    try (StoredRuns runs = runs(1000)) {
      assertThat(runs.find(digest("first"))).contains(first);
      assertThat(runs.find(digest("third"))).isEmpty();
      Run run = runs.open(second).orElseThrow();
      assertThat(text(run)).isEqualTo("bytes of the second");
      assertThat(run.content()).isEqualTo(second.content());
      assertThat(run.rawLength()).isEqualTo(100);
    }
  }

  @Test
  void aDamagedRunIsNeverHandedOutNorFoundAgainUnderAnyName() throws IOException {
    damageFirst();
    for (long memoryLimit : new long[] {0, 1000}) {
      try (StoredRuns runs = runs(memoryLimit)) {
        assertThat(runs.find(digest("first"))).isPresent();
        assertThat(runs.open(first)).isEmpty();
        assertThat(runs.find(digest("first"))).isEmpty();
        assertThat(runs.find(digest("alias"))).isEmpty();
        assertThat(runs.open(second)).isPresent();
      }
    }
  }

  @Test
  void aMissingPackMeansMissingRuns() throws IOException {
    Files.delete(temporary.resolve(PACK));
    try (StoredRuns runs = runs(1000)) {
      assertThat(runs.open(first)).isEmpty();
    }
  }

  @Test
  void aMissingIndexMeansThatNothingIsFound() throws IOException {
    try (StoredRuns runs = runs("runs/r1/gone.idx", 1000)) {
      assertThat(runs.find(digest("first"))).isEmpty();
    }
  }

  @Test
  void runsBeyondTheMemoryLimitAreReadFromTheirFileUntilMemoryIsGivenBack() throws IOException {
    try (StoredRuns runs = runs(20)) {
      Run held = runs.open(first).orElseThrow();
      assertThat(held).isInstanceOf(Run.InMemory.class);
      Run inFile = runs.open(second).orElseThrow();
      assertThat(inFile).isInstanceOf(Run.InFile.class);
      assertThat(text(inFile)).isEqualTo("bytes of the second");

      runs.release(held);

      assertThat(runs.open(second)).containsInstanceOf(Run.InMemory.class);
    }
  }

  @Test
  void whileARunIsVerifiedTheTaskSaysThatItIsAlive() throws IOException {
    RunRef large;
    try (PackWriter pack = PackWriter.create(fs, new Path(lineage, "runs/r1/large.pack"))) {
      pack.begin();
      pack.write(new byte[2 << 20], 0, 2 << 20);
      large = pack.end("runs/r1/large.pack", 2 << 20);
    }
    try (StoredRuns runs = runs(8 << 20)) {
      assertThat(runs.open(large)).isPresent();
      assertThat(told.getAndSet(0)).isGreaterThanOrEqualTo(16);
      assertThat(runs.open(first)).isPresent();
      assertThat(told.get()).isPositive();
    }
  }

  @Test
  void theJobRunOfAFileIsItsDirectory() {
    assertThat(StoredRuns.runOf(first)).isEqualTo("r1");
    assertThat(StoredRuns.runsOf(List.of("runs/b/x.idx", "runs/a/y.idx", "runs/b/z.idx")))
        .containsExactly("b", "a");
  }
}
