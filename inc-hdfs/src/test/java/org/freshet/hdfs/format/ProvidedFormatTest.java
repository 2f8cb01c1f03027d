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
package org.freshet.hdfs.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.freshet.shredder.RecordAlignment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An input format of a user's own, and the provider that tells how its files are cut. */
class ProvidedFormatTest {
  private static final byte[] END = "%%\n".getBytes(UTF_8);

  /** Sections of any number of lines. */
  public static final class SectionInputFormat extends TextInputFormat {
    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new LineRecordReader(END);
    }
  }

  /** Found by its name among the test's resources. */
  public static final class Sections implements RecordFormatProvider {
    @Override
    public Optional<FormatChoice> of(String inputFormat, Configuration conf) {
      if (inputFormat.equals("broken")) {
        throw new IllegalStateException("of no use");
      }
      return inputFormat.equals(SectionInputFormat.class.getName())
          ? Optional.of(
              FormatChoice.cutUncompressed(
                  RecordFormats.aligned("sections", RecordAlignment.delimiter(END), END.length)))
          : Optional.empty();
    }
  }

  private final Configuration conf = new Configuration();

  @Test
  void chunksAreReadAsTheInputFormatReadsTheWholeFile(@TempDir Path directory) throws Exception {
    Random random = new Random(5);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 3000; i++) {
      text.append("a line\n".repeat(random.nextInt(5)));
      text.append(Long.toString(random.nextLong(), 36)).append("%%\n");
    }
    Path file = Files.writeString(directory.resolve("file"), text);
    FormatChoice choice = RecordFormats.of(SectionInputFormat.class.getName(), conf);
    assertThat(choice.uncompressedOnly()).isTrue();
    CutFile.of(file, choice.format().orElseThrow(), CutFile.sizes(1024))
        .requireExact(new StockReader(SectionInputFormat.class, conf));
  }

  @Test
  void whatNoProviderKnowsIsLeftWhole() {
    FormatChoice choice = RecordFormats.of("org.example.Unknown", conf);
    assertThat(choice.format()).isEmpty();
    assertThat(choice.whyWhole()).isEqualTo("the cuts of org.example.Unknown are not known");
  }

  @Test
  void aProviderThatFailsLeavesFilesWhole() {
    FormatChoice choice = RecordFormats.of("broken", conf);
    assertThat(choice.format()).isEmpty();
    assertThat(choice.whyWhole())
        .contains("a provider of record formats failed")
        .contains("of no use");
  }

  @Test
  void theLagOfSplitsIsLimited() {
    RecordAlignment lines = RecordAlignment.lines();
    assertThatThrownBy(() -> RecordFormats.aligned("far", lines, 33))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("splitLag is 33, expected 0 to 32");
    assertThatThrownBy(() -> RecordFormats.aligned("ahead", lines, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
