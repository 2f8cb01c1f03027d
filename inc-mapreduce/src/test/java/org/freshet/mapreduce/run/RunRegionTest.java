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
package org.freshet.mapreduce.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.freshet.mapreduce.run.RunRegion.Entry;
import org.freshet.memo.CounterSet;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.Test;

class RunRegionTest {
  private static Digest digest(String text) {
    return Digest.sha256(text.getBytes(UTF_8));
  }

  private static Entry leaf(String name, long offset, long length, boolean shipped) {
    return new Entry(
        digest(name), digest(name), digest(name + "!"), offset, length, length + 9, shipped);
  }

  private static Entry node(String name, long length, boolean shipped) {
    return new Entry(
        digest(name), digest("key of " + name), digest(name + "!"), 77, length, 1, shipped);
  }

  private static RunRegion region() {
    return new RunRegion(
        "runs/r1/attempt.pack",
        true,
        List.of(leaf("a", 8, 100, false), leaf("b", 108, 5, true)),
        List.of(node("n", 1L << 40, false), node("m", 3, true)),
        Map.of(digest("a"), CounterSet.builder().add("g", "n", -1).build()));
  }

  private static byte[] withRuns(RunRegion region) throws IOException {
    byte[] header = region.header();
    long shipped = region.shipped().stream().mapToLong(Entry::storedLength).sum();
    return Arrays.copyOf(header, header.length + (int) shipped);
  }

  private static RunRegion read(byte[] bytes) throws IOException {
    return RunRegion.read(new ByteArrayInputStream(bytes), bytes.length);
  }

  @Test
  void headerIsReadAsItWasWritten() throws IOException {
    assertThat(read(withRuns(region()))).isEqualTo(region());
  }

  @Test
  void readingStopsAtTheFirstShippedRun() throws IOException {
    byte[] bytes = withRuns(region());
    bytes[bytes.length - 8] = 42;
    ByteArrayInputStream in = new ByteArrayInputStream(bytes);

    RunRegion.read(in, bytes.length);

    assertThat(in.available()).isEqualTo(8);
    assertThat(in.read()).isEqualTo(42);
  }

  @Test
  void leavesAreShippedBeforeNodesEachInOrder() {
    assertThat(region().shipped()).extracting(Entry::id).containsExactly(digest("b"), digest("m"));
  }

  @Test
  void aRegionOfNothingIsReadAsSuch() throws IOException {
    RunRegion empty = new RunRegion("", false, List.of(), List.of(), Map.of());

    assertThat(read(empty.header())).isEqualTo(empty);
  }

  @Test
  void aRegionOfTenThousandLeavesIsReadAsItWasWritten() throws IOException {
    List<Entry> leaves = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      leaves.add(leaf("leaf " + i, i, i % 3, i % 2 == 0));
    }
    RunRegion region = new RunRegion("p", false, leaves, List.of(), Map.of());

    assertThat(read(withRuns(region))).isEqualTo(region);
  }

  @Test
  void anyFlippedBitOfTheHeaderIsAnIoError() throws IOException {
    byte[] bytes = withRuns(region());
    int header = region().header().length;
    for (int i = 0; i < header; i++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = bytes.clone();
        damaged[i] ^= (byte) (1 << bit);

        assertThatThrownBy(() -> read(damaged))
            .as("byte %d, bit %d", i, bit)
            .isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void aRegionThatEndsWithinItsHeaderIsAnIoError() throws IOException {
    byte[] bytes = withRuns(region());
    for (int length = 0; length < region().header().length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);

      assertThatThrownBy(() -> read(cut)).as("%d bytes", length).isInstanceOf(IOException.class);
    }
  }

  @Test
  void bytesThatAreNoRegionAreNamedAsSuch() {
    assertThatThrownBy(() -> read("stock map output".getBytes(UTF_8)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a region of runs")
        .hasMessageContaining("73746f63");
  }

  @Test
  void aDamagedHeaderIsNamedAsSuch() throws IOException {
    byte[] bytes = withRuns(region());
    bytes[40] ^= 1;

    assertThatThrownBy(() -> read(bytes)).hasMessageContaining("damaged region header");
  }

  @Test
  void runsMissingBehindTheHeaderAreNoticedBeforeTheyAreRead() throws IOException {
    byte[] bytes = withRuns(region());

    assertThatThrownBy(() -> read(Arrays.copyOf(bytes, bytes.length - 1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("describes " + bytes.length);
    assertThatThrownBy(() -> read(Arrays.copyOf(bytes, bytes.length + 1)))
        .isInstanceOf(IOException.class);
  }
}
