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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.freshet.mapreduce.reduce.PartitionRecord.OutputFile;
import org.freshet.memo.CounterSet;
import org.freshet.memo.RunRef;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.Test;

class PartitionRecordTest {
  private static Digest digest(String text) {
    return Digest.sha256(text.getBytes(UTF_8));
  }

  private static PartitionRecord record(List<OutputFile> output) {
    return new PartitionRecord(
        List.of("runs/r2/p-000000-a.idx", "runs/r1/p-000000-a.idx"),
        List.of("r0"),
        digest("reduce"),
        output,
        CounterSet.builder().add("user", "seen", 7).build(),
        Map.of(digest("leaf"), CounterSet.builder().add("user", "read", -7).build()),
        true,
        1,
        2,
        3,
        4,
        true);
  }

  private static List<OutputFile> files() {
    return List.of(
        new OutputFile("part-r-00000", 1L << 40, "SHA-256:ab", null),
        new OutputFile(
            "side/\u65e5", 5, "MD5:cd", new RunRef(digest("copy"), "runs/r2/a.pack", 8, 5, 5)));
  }

  @Test
  void aRecordIsReadAsItWasWritten() throws IOException {
    assertThat(PartitionRecord.of(record(files()).toBytes())).isEqualTo(record(files()));
  }

  @Test
  void outputThatCouldNotBeToldIsNotTakenForOutputWithoutFiles() throws IOException {
    assertThat(PartitionRecord.of(record(null).toBytes()).output()).isNull();
    assertThat(PartitionRecord.of(record(List.of()).toBytes()).output()).isEmpty();
  }

  @Test
  void flagsAndNumbersAreNotMixedUp() throws IOException {
    PartitionRecord record =
        new PartitionRecord(
            List.of(),
            List.of(),
            digest("r"),
            null,
            CounterSet.EMPTY,
            Map.of(),
            false,
            10,
            20,
            30,
            40,
            false);

    assertThat(PartitionRecord.of(record.toBytes())).isEqualTo(record);
  }

  @Test
  void aRecordOfAnotherVersionIsNamedAsSuch() throws IOException {
    byte[] bytes = record(files()).toBytes();
    bytes[0] = 9;

    assertThatThrownBy(() -> PartitionRecord.of(bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 9, expected 1");
  }

  @Test
  void aTruncatedRecordIsAnIoErrorAtWhateverByteItEnds() throws IOException {
    byte[] bytes = record(files()).toBytes();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);

      assertThatThrownBy(() -> PartitionRecord.of(cut))
          .as("%d of %d bytes", length, bytes.length)
          .isInstanceOf(IOException.class);
    }
  }
}
