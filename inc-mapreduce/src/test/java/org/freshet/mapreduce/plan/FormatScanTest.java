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
package org.freshet.mapreduce.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.lib.input.FixedLengthInputFormat;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leaves of files that are cut otherwise than at line ends. */
class FormatScanTest {
  @TempDir private Path temporary;

  private ScannedInput input;

  @BeforeEach
  void makeInput() throws IOException {
    input = new ScannedInput(temporary).splitSize(5000);
  }

  private static List<Digest> ids(InputScan scan) {
    return scan.leaves().stream().map(Leaf::id).toList();
  }

  /** The stock format, which is generic, as a class that is not. */
  static final class RawSequenceFiles extends SequenceFileInputFormat<Text, IntWritable> {}

  private InputScan sequenceFile(LeafNaming naming, String... globs) throws Exception {
    return input.scan(
        naming, input.splits(RawSequenceFiles.class, globs), SequenceFileInputFormat.class);
  }

  private void writeSequenceFile(String name, int records, String owner) throws IOException {
    SequenceFile.Metadata metadata = new SequenceFile.Metadata();
    metadata.set(new Text("owner"), new Text(owner));
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            input.conf,
            SequenceFile.Writer.file(input.path(name)),
            SequenceFile.Writer.keyClass(Text.class),
            SequenceFile.Writer.valueClass(IntWritable.class),
            SequenceFile.Writer.compression(CompressionType.NONE),
            SequenceFile.Writer.syncInterval(100),
            SequenceFile.Writer.metadata(metadata))) {
      Random random = new Random(1);
      for (int i = 0; i < records; i++) {
        writer.append(
            new Text(Long.toString(random.nextLong(), 36)), new IntWritable(random.nextInt()));
      }
    }
    Files.deleteIfExists(input.dir.resolve("." + name + ".crc"));
  }

  @Test
  void delimitedTextIsCutAtItsDelimiterAndReadAsAWhole() throws Exception {
    input.conf.set("textinputformat.record.delimiter", "of text\n");
    input.write("a.txt", ScannedInput.randomText(400, 1));

    InputScan scan = input.text(LeafNaming.CONTENT, "*");

    assertThat(scan.leaves()).hasSizeGreaterThan(20);
    assertThat(scan.splitLag()).isEqualTo("of text\n".length());
    List<String> whole = new ArrayList<>();
    for (var split : input.splits(TextInputFormat.class, "*")) {
      whole.addAll(input.lines(split));
    }
    assertThat(input.lines(scan.leaves())).isEqualTo(whole).hasSize(400);
  }

  @Test
  void theDelimiterIsInTheNamesOfChunks() throws Exception {
    input.write("a.txt", "a record;\n".repeat(3));
    List<Digest> lines = ids(input.text(LeafNaming.CONTENT, "*"));
    input.conf.set("textinputformat.record.delimiter", ";\n");
    List<Digest> delimited = ids(input.text(LeafNaming.CONTENT, "*"));

    assertThat(delimited).hasSize(1).doesNotContainAnyElementsOf(lines);
  }

  @Test
  void delimitersUnderWhichStockIsNotExactKeepTheSplits() throws Exception {
    input.write("a.txt", ScannedInput.randomText(400, 1));
    int splits = input.splits(TextInputFormat.class, "*").size();
    input.conf.set("textinputformat.record.delimiter", "||");
    InputScan scan = input.text(LeafNaming.CONTENT, "*");
    assertThat(scan.leaves()).hasSize(splits);
    assertThat(scan.wholeFiles()).containsExactly(0);
    assertThat(scan.whyWhole().keySet()).singleElement().asString().contains("overlap itself");
  }

  @Test
  void splitsOfNLinesAreKept() throws Exception {
    input.write("a.txt", ScannedInput.randomText(40, 1));
    input.conf.setInt("mapreduce.input.lineinputformat.linespermap", 7);

    InputScan scan =
        input.scan(
            LeafNaming.CONTENT, input.splits(NLineInputFormat.class, "*"), NLineInputFormat.class);

    assertThat(scan.leaves()).hasSize(6);
  }

  @Test
  void recordsOfFixedLengthAreNotTornApart() throws Exception {
    input.conf.setInt("fixedlengthinputformat.record.length", 37);
    input.write("a.bin", ScannedInput.randomText(1000, 1).substring(0, 37 * 500));

    InputScan scan =
        input.scan(
            LeafNaming.CONTENT,
            input.splits(FixedLengthInputFormat.class, "*"),
            FixedLengthInputFormat.class);

    assertThat(scan.leaves()).hasSizeGreaterThan(20).allMatch(leaf -> leaf.length() % 37 == 0);
  }

  @Test
  void sequenceFilesWithTheSameRecordsAreTheSameLeaves() throws Exception {
    writeSequenceFile("a", 2000, "me");
    writeSequenceFile("b", 2000, "me");

    InputScan a = sequenceFile(LeafNaming.CONTENT, "a");

    assertThat(a.leaves()).hasSizeGreaterThan(20);
    assertThat(a.leaves().get(0).offset()).isZero();
    assertThat(a.leaves().stream().mapToLong(Leaf::length).sum())
        .isEqualTo(Files.size(input.dir.resolve("a")));
    assertThat(ids(sequenceFile(LeafNaming.CONTENT, "b"))).isEqualTo(ids(a));
    assertThat(ids(sequenceFile(LeafNaming.PLACE, "b"))).doesNotContainAnyElementsOf(ids(a));
  }

  @Test
  void aSequenceFilesHeaderIsInTheNameOfEachChunk() throws Exception {
    writeSequenceFile("a", 2000, "me");
    writeSequenceFile("b", 2000, "another");

    assertThat(ids(sequenceFile(LeafNaming.CONTENT, "b")))
        .doesNotContainAnyElementsOf(ids(sequenceFile(LeafNaming.CONTENT, "a")));
  }

  @Test
  void whatIsNoSequenceFileKeepsItsSplits() throws Exception {
    writeSequenceFile("a", 2000, "me");
    writeSequenceFile("empty", 0, "me");
    input.write("text", ScannedInput.randomText(400, 1));

    InputScan scan = sequenceFile(LeafNaming.CONTENT, "*");

    List<Integer> whole = List.copyOf(scan.wholeFiles());
    assertThat(whole.stream().map(i -> scan.files().get(i).path()))
        .extracting(file -> file.substring(file.lastIndexOf('/') + 1))
        .containsExactly("empty", "text");
    assertThat(scan.whyWhole())
        .isEqualTo(Map.of("no record, or no sequence-file that can be cut", 2));
    assertThat(scan.leaves().stream().filter(leaf -> !whole.contains(leaf.file())))
        .hasSizeGreaterThan(20);
  }
}
