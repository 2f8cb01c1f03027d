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
package org.freshet.cli.bench.stability;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.SequenceFile;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordFileTest {
  private static final int SYNC = 16;

  private final Configuration conf = new Configuration(false);

  @TempDir private Path directory;

  /** Compressed records that are copied are what the writer would have made of them. */
  @ParameterizedTest
  @EnumSource(Edit.Kind.class)
  void copiesCompressedRecords(Edit.Kind kind) throws IOException {
    SplittableRandom random = new SplittableRandom(kind.ordinal());
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      text.append(i).append("\tline ").append(random.nextInt(100)).append('\n');
    }
    Records records = Records.lines(text.toString().getBytes(StandardCharsets.US_ASCII));
    Edit edit = Edit.of(kind, records.count(), 30, random);
    Path before = directory.resolve("before");
    Path copied = directory.resolve("copied");
    Path written = directory.resolve("written");

    long[] positions = RecordFile.SEQUENCE_FILE.write(before, conf, records);
    RecordFile.SEQUENCE_FILE.write(copied, conf, records, edit.runs(), before, positions);
    try (RecordFile.Writer out = RecordFile.SEQUENCE_FILE.open(written, conf)) {
      for (Edit.Run run : edit.runs()) {
        out.write(records, run);
      }
    }

    assertThat(withoutSync(copied)).isEqualTo(withoutSync(written));
  }

  /** The file with zeros for its sync marker, which is random. */
  private byte[] withoutSync(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int header;
    try (SequenceFile.Reader reader =
        new SequenceFile.Reader(
            conf, SequenceFile.Reader.file(new org.apache.hadoop.fs.Path(file.toUri())))) {
      header = Math.toIntExact(reader.getPosition());
    }
    byte[] sync = Arrays.copyOfRange(bytes, header - SYNC, header);
    for (int i = header - SYNC; i + SYNC <= bytes.length; i++) {
      if (Arrays.equals(sync, 0, SYNC, bytes, i, i + SYNC)) {
        Arrays.fill(bytes, i, i + SYNC, (byte) 0);
      }
    }
    return bytes;
  }
}
