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
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.reduce.MapHost;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleClientMetrics;
import org.freshet.mapreduce.run.Run;
import org.freshet.mapreduce.run.RunFixture;
import org.freshet.mapreduce.run.RunRegion;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A fetched region of a leaf that is not shipped, a leaf that is, and a node. */
class RegionOutputTest {
  private static final TaskAttemptID MAP = TaskAttemptID.forName("attempt_1_0001_m_000003_0");

  @TempDir private java.nio.file.Path temporary;
  private RunFixture fixture;
  private Run leaf;
  private Run node;
  private byte[] bytes;
  private int headerLength;
  private final List<String> told = new ArrayList<>();

  private final RegionOutput.Owner owner =
      new RegionOutput.Owner() {
        @Override
        public void committed(RegionOutput<?, ?> region) {
          told.add("committed");
        }

        @Override
        public void aborted(RegionOutput<?, ?> region) {
          told.add("aborted");
        }
      };

  private static Digest digest(String text) {
    return Digest.sha256(text.getBytes(UTF_8));
  }

  @BeforeEach
  void makeRegion() throws Exception {
    fixture = new RunFixture(temporary);
    leaf = fixture.run(entry("a", 1), entry("b", 2));
    node = fixture.run(entry("c".repeat(100_000), 3));
    RunRegion region =
        new RunRegion(
            "runs/r1/m.pack",
            false,
            List.of(entryOf("inner", leaf, false), entryOf("leaf", leaf, true)),
            List.of(entryOf("node", node, true)),
            Map.of());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(region.header());
    headerLength = out.size();
    for (Run run : List.of(leaf, node)) {
      try (InputStream in = run.open()) {
        in.transferTo(out);
      }
    }
    bytes = out.toByteArray();
  }

  private static RunRegion.Entry entryOf(String id, Run run, boolean shipped) {
    return new RunRegion.Entry(
        digest(id), digest(id), run.content(), 8, run.storedLength(), run.rawLength(), shipped);
  }

  private RegionOutput<?, ?> output(boolean inMemory) {
    Path file = inMemory ? null : new Path(temporary.resolve("region").toUri());
    return new RegionOutput<>(owner, fixture.job, MAP, bytes.length, fixture.local, file);
  }

  private void fetch(RegionOutput<?, ?> output, InputStream in) throws IOException {
    output.shuffle(
        new MapHost("host", "http://host"),
        in,
        bytes.length,
        bytes.length,
        ShuffleClientMetrics.create(
            TaskAttemptID.forName("attempt_1_0001_r_000000_0"), fixture.job),
        fixture.reporter);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shippedRunsAreKeptByteForByteUnderTheirIds(boolean inMemory) throws IOException {
    RegionOutput<?, ?> output = output(inMemory);

    fetch(output, new ByteArrayInputStream(bytes));

    assertThat(output.inMemory()).isEqualTo(inMemory);
    assertThat(output.runs().keySet()).containsExactly(digest("leaf"), digest("node"));
    assertThat(output.region().leaves()).hasSize(2);
    for (Map.Entry<Digest, Run> kept : output.runs().entrySet()) {
      Run original = kept.getKey().equals(digest("leaf")) ? leaf : node;
      try (InputStream is = kept.getValue().open();
          InputStream was = original.open()) {
        assertThat(is.readAllBytes()).isEqualTo(was.readAllBytes());
      }
      assertThat(kept.getValue().content()).isEqualTo(original.content());
      assertThat(kept.getValue().rawLength()).isEqualTo(original.rawLength());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theStreamIsLeftAtTheRegionsEnd(boolean inMemory) throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(Arrays.copyOf(bytes, bytes.length + 3));

    fetch(output(inMemory), in);

    // A fetcher reads the next map's output from the same connection.
    assertThat(in.available()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFlippedBitOfARunIsNoticedWhileItIsFetched(boolean inMemory) {
    for (int at : new int[] {headerLength, bytes.length / 2, bytes.length - 1}) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 4;

      assertThatThrownBy(() -> fetch(output(inMemory), new ByteArrayInputStream(damaged)))
          .as("byte %d of %d", at, bytes.length)
          .isInstanceOf(IOException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aConnectionThatBreaksIsAnIoError(boolean inMemory) {
    for (int length : new int[] {0, headerLength - 1, headerLength + 5, bytes.length - 1}) {
      ByteArrayInputStream broken = new ByteArrayInputStream(bytes, 0, length);

      assertThatThrownBy(() -> fetch(output(inMemory), broken))
          .as("%d of %d bytes", length, bytes.length)
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void anAbortedRegionLeavesNoFileAndNoRun() throws IOException {
    RegionOutput<?, ?> output = output(false);
    fetch(output, new ByteArrayInputStream(bytes));
    assertThat(temporary.resolve("region")).exists();

    output.abort();

    assertThat(temporary.resolve("region")).doesNotExist();
    assertThat(output.runs()).isEmpty();
    assertThat(told).containsExactly("aborted");
  }

  @Test
  void aCommittedRegionIsHandedToItsOwnerOnce() throws IOException {
    RegionOutput<?, ?> output = output(true);
    fetch(output, new ByteArrayInputStream(bytes));

    output.commit();

    assertThat(told).containsExactly("committed");
    assertThat(output.getMapId()).isEqualTo(MAP);
    assertThat(output.getSize()).isEqualTo(bytes.length);
  }
}
