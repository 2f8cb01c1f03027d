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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.freshet.mapreduce.FallbackException;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InputScanTest {
  @TempDir private java.nio.file.Path temporary;
  private ScannedInput input;

  @BeforeEach
  void makeInput() throws IOException {
    input = new ScannedInput(temporary);
  }

  private static List<Digest> ids(InputScan scan) {
    return scan.leaves().stream().map(Leaf::id).toList();
  }

  private void gzip(String name, String content) throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(input.dir.resolve(name)))) {
      out.write(content.getBytes(UTF_8));
    }
  }

  @Test
  void chunksCoverEachFileInOrderWhateverTheSplitsAre() throws Exception {
    input.write("a.txt", ScannedInput.randomText(200, 1));
    input.write("b.txt", ScannedInput.randomText(100, 2));

    InputScan scan = input.splitSize(777).text(LeafNaming.CONTENT, "*");

    assertThat(scan.leaves()).hasSizeGreaterThan(20);
    long[] end = new long[2];
    int file = 0;
    for (Leaf leaf : scan.leaves()) {
      assertThat(leaf.file()).isBetween(file, 1);
      file = leaf.file();
      assertThat(leaf.offset()).isEqualTo(end[file]);
      end[file] += leaf.length();
    }
    assertThat(end)
        .containsExactly(
            Files.size(input.dir.resolve("a.txt")), Files.size(input.dir.resolve("b.txt")));
    assertThat(scan.wholeFiles()).isEmpty();
  }

  @Test
  void leavesDoNotDependOnTheSplitSize() throws Exception {
    input.write("a.txt", ScannedInput.randomText(200, 1));

    assertThat(ids(input.splitSize(500).text(LeafNaming.CONTENT, "*")))
        .isEqualTo(ids(input.splitSize(1 << 20).text(LeafNaming.CONTENT, "*")));
  }

  @Test
  void stockReaderGivesExactlyTheLinesOfTheFileFromTheChunksOfIt() throws Exception {
    for (long seed = 0; seed < 60; seed++) {
      input.write("a.txt", hostileText(seed));

      InputScan scan = input.text(LeafNaming.CONTENT, "a.txt");

      Path file = input.path("a.txt");
      long length = Files.size(input.dir.resolve("a.txt"));
      assertThat(input.lines(scan.leaves()))
          .as("seed %d", seed)
          .isEqualTo(input.lines(new FileSplit(file, 0, length, null)));
    }
  }

  /** Lines with all of the three ends that the stock reader knows, empty and long ones too. */
  private static String hostileText(long seed) {
    Random random = new Random(seed);
    String[] ends = {"\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n\r"};
    StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "\uFEFF" : "");
    for (int i = random.nextInt(300); i > 0; i--) {
      int length = random.nextInt(20) == 0 ? random.nextInt(3000) : random.nextInt(12);
      for (int c = 0; c < length; c++) {
        text.append((char) ('a' + random.nextInt(26)));
      }
      text.append(ends[random.nextInt(ends.length)]);
    }
    return text.append(random.nextBoolean() ? "no newline at the end" : "").toString();
  }

  @Test
  void insertedLineLeavesTheNamesOfOtherChunksAsTheyWereUnderContent() throws Exception {
    String text = ScannedInput.randomText(300, 3);
    input.write("a.txt", text);
    List<Digest> before = ids(input.text(LeafNaming.CONTENT, "*"));

    int middle = text.indexOf('\n', text.length() / 2) + 1;
    input.write("a.txt", text.substring(0, middle) + "inserted\n" + text.substring(middle));
    List<Digest> after = new ArrayList<>(ids(input.text(LeafNaming.CONTENT, "*")));

    after.removeAll(before);
    assertThat(before).hasSizeGreaterThan(20);
    assertThat(after).hasSizeBetween(1, 2);
  }

  @Test
  void insertedLineLeavesOnlyTheNamesBeforeItAsTheyWereUnderPlace() throws Exception {
    String text = ScannedInput.randomText(300, 3);
    input.write("a.txt", text);
    InputScan scan = input.text(LeafNaming.PLACE, "*");
    List<Digest> before = ids(scan);

    int middle = text.indexOf('\n', text.length() / 2) + 1;
    input.write("a.txt", text.substring(0, middle) + "inserted\n" + text.substring(middle));
    List<Digest> after = ids(input.text(LeafNaming.PLACE, "*"));

    int untouched =
        (int) scan.leaves().stream().filter(l -> l.offset() + l.length() < middle).count();
    assertThat(untouched).isGreaterThan(10);
    assertThat(after.subList(0, untouched)).isEqualTo(before.subList(0, untouched));
    assertThat(after.subList(untouched + 1, after.size())).doesNotContainAnyElementsOf(before);
  }

  @Test
  void equalFilesHaveEqualNamesUnderContentAndDifferentOnesUnderPlace() throws Exception {
    String text = ScannedInput.randomText(100, 4);
    input.write("a.txt", text);
    input.write("b.txt", text);

    assertThat(ids(input.text(LeafNaming.CONTENT, "a.txt")))
        .isEqualTo(ids(input.text(LeafNaming.CONTENT, "b.txt")));
    assertThat(ids(input.text(LeafNaming.PLACE, "a.txt")))
        .doesNotContainAnyElementsOf(ids(input.text(LeafNaming.PLACE, "b.txt")));
  }

  @Test
  void namesUnderContentAndUnderPlaceNeverMeet() throws Exception {
    input.write("a.txt", ScannedInput.randomText(100, 4));

    assertThat(ids(input.text(LeafNaming.CONTENT, "*")))
        .doesNotContainAnyElementsOf(ids(input.text(LeafNaming.PLACE, "*")));
  }

  @ParameterizedTest
  @EnumSource(LeafNaming.class)
  void scanningAgainGivesTheSameNames(LeafNaming naming) throws Exception {
    input.write("a.txt", ScannedInput.randomText(100, 4));
    input.write("empty.txt", "");
    input.splitSize(1000);

    assertThat(ids(input.text(naming, "*"))).isEqualTo(ids(input.text(naming, "*")));
  }

  @Test
  void splitNamingKeepsTheOriginalSplitsAndTellsTheirRangesApart() throws Exception {
    input.write("a.txt", "same line\n".repeat(500));
    List<InputSplit> splits = input.splitSize(1000).splits(TextInputFormat.class, "*");

    InputScan scan = input.scan(LeafNaming.SPLIT, splits, TextInputFormat.class);

    assertThat(scan.leaves()).extracting(leaf -> (Object) leaf.split()).isEqualTo(splits);
    assertThat(ids(scan)).hasSize(5).doesNotHaveDuplicates();
    assertThat(scan.wholeFiles()).containsExactly(0);
  }

  @Test
  void splitNamingTellsFilesOfEqualContentApart() throws Exception {
    input.write("a.txt", "same\n");
    input.write("b.txt", "same\n");

    assertThat(ids(input.text(LeafNaming.SPLIT, "*"))).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void anEditAnywhereInAFileRenamesAllItsWholeSplits() throws Exception {
    String text = ScannedInput.randomText(200, 5);
    input.write("a.txt", text);
    input.write("b.txt", ScannedInput.randomText(200, 6));
    input.splitSize(1000);
    InputScan before = input.text(LeafNaming.SPLIT, "*");

    input.write("a.txt", text.substring(0, text.length() - 1) + "!");
    InputScan after = input.text(LeafNaming.SPLIT, "*");

    for (int i = 0; i < before.leaves().size(); i++) {
      boolean same = before.leaves().get(i).id().equals(after.leaves().get(i).id());
      assertThat(same).isEqualTo(before.leaves().get(i).file() == 1);
    }
  }

  @Test
  void compressedTextIsNotCut() throws Exception {
    gzip("a.gz", ScannedInput.randomText(2000, 7));
    input.write("b.txt", ScannedInput.randomText(100, 8));

    InputScan scan = input.text(LeafNaming.CONTENT, "*");

    assertThat(scan.leaves().stream().filter(leaf -> leaf.file() == 0)).hasSize(1);
    assertThat(scan.leaves().stream().filter(leaf -> leaf.file() == 1)).hasSizeGreaterThan(5);
    assertThat(scan.wholeFiles()).containsExactly(0);
    assertThat(input.lines(scan.leaves().subList(0, 1))).hasSize(2000);
  }

  @Test
  void equalCompressedFilesAreOneLeafNameAndAnotherSuffixIsAnother() throws Exception {
    gzip("a.gz", "hello\n");
    Files.copy(input.dir.resolve("a.gz"), input.dir.resolve("b.gz"));
    Files.copy(input.dir.resolve("a.gz"), input.dir.resolve("c.raw"));

    List<Digest> ids =
        ids(
            input.scan(
                LeafNaming.CONTENT,
                input.splits(NLineInputFormat.class, "a.gz", "b.gz", "c.raw"),
                NLineInputFormat.class));

    assertThat(ids.get(0)).isEqualTo(ids.get(1)).isNotEqualTo(ids.get(2));
  }

  @Test
  void emptyFileIsALeafWithoutBytes() throws Exception {
    input.write("a.txt", "");
    input.write("b.txt", "");

    InputScan content = input.text(LeafNaming.CONTENT, "*");
    InputScan place = input.text(LeafNaming.PLACE, "*");

    assertThat(content.leaves()).extracting(Leaf::length).containsExactly(0L, 0L);
    assertThat(ids(content).get(0)).isEqualTo(ids(content).get(1));
    assertThat(ids(place)).doesNotHaveDuplicates();
    assertThat(input.lines(content.leaves())).isEmpty();
  }

  @Test
  void aMissingNewlineAtTheEndChangesOnlyTheLastChunk() throws Exception {
    String text = ScannedInput.randomText(200, 9);
    input.write("a.txt", text);
    List<Digest> with = ids(input.text(LeafNaming.CONTENT, "*"));
    input.write("a.txt", text.substring(0, text.length() - 1));
    List<Digest> without = ids(input.text(LeafNaming.CONTENT, "*"));

    assertThat(without).hasSameSizeAs(with);
    assertThat(without.subList(0, with.size() - 1)).isEqualTo(with.subList(0, with.size() - 1));
    assertThat(without.get(with.size() - 1)).isNotEqualTo(with.get(with.size() - 1));
  }

  @Test
  void aLineFarLongerThanAChunkIsNotTornApart() throws Exception {
    String longLine = "x".repeat(100_000);
    input.write("a.txt", "first\n" + longLine + "\nlast\n");

    InputScan scan = input.text(LeafNaming.CONTENT, "*");

    assertThat(scan.leaves()).anyMatch(leaf -> leaf.length() >= 100_000);
    assertThat(input.lines(scan.leaves()))
        .containsExactly("0:first", "6:" + longLine, "100007:last");
  }

  @Test
  void byteOrderMarkAtTheStartOfAFileIsInTheLeafsName() throws Exception {
    // A chunk that ends by content, so that what follows it is cut alike at any place.
    String text = ScannedInput.randomText(100, 10);
    input.write("head.txt", text);
    int end = (int) input.text(LeafNaming.CONTENT, "head.txt").leaves().get(0).length();
    String marked = "\uFEFF" + ScannedInput.randomText(100, 11);
    input.write("at-start.txt", marked);
    input.write("behind.txt", text.substring(0, end) + marked);

    Leaf atStart = input.text(LeafNaming.CONTENT, "at-start.txt").leaves().get(0);
    List<Leaf> behind = input.text(LeafNaming.CONTENT, "behind.txt").leaves();

    assertThat(behind.get(1).offset()).isEqualTo(end);
    assertThat(behind.get(1).length()).isEqualTo(atStart.length());
    assertThat(behind.get(1).id()).isNotEqualTo(atStart.id());
  }

  @Test
  void aRecordDelimiterThatIsNowhereMakesNoCut() throws Exception {
    input.write("a.txt", ScannedInput.randomText(100, 12));
    input.conf.set("textinputformat.record.delimiter", ";");

    assertThat(input.text(LeafNaming.CONTENT, "*").leaves()).hasSize(1);
  }

  @Test
  void aLimitOfLineLengthsKeepsFilesWhole() throws Exception {
    input.write("a.txt", ScannedInput.randomText(100, 12));
    input.conf.set("mapreduce.input.linerecordreader.line.maxlength", "20");
    assertThat(input.text(LeafNaming.CONTENT, "*").leaves()).hasSize(1);

    input.conf.setInt("mapreduce.input.linerecordreader.line.maxlength", Integer.MAX_VALUE);
    assertThat(input.text(LeafNaming.CONTENT, "*").leaves()).hasSizeGreaterThan(1);
  }

  @Test
  void aPathThatIsListedTwiceIsReadTwiceButIsOneFile() throws Exception {
    input.write("a.txt", ScannedInput.randomText(100, 13));

    InputScan once = input.splitSize(1000).text(LeafNaming.PLACE, "a.txt");
    InputScan twice = input.text(LeafNaming.PLACE, "a.txt", "a.txt");

    List<Digest> doubled = new ArrayList<>(ids(once));
    doubled.addAll(ids(once));
    assertThat(ids(twice)).isEqualTo(doubled);
    assertThat(twice.files()).hasSize(1);
  }

  @Test
  void globsAndManyFilesOfADirectoryAreNamedAsSingleFilesAre() throws Exception {
    List<Digest> singly = new ArrayList<>();
    for (int i = 10; i < 30; i++) {
      input.write("part-" + i + ".txt", ScannedInput.randomText(20, i));
      singly.addAll(ids(input.text(LeafNaming.PLACE, "part-" + i + ".txt")));
    }

    InputScan all = input.text(LeafNaming.PLACE, "part-1?.txt", "part-2*");

    assertThat(ids(all)).isEqualTo(singly);
    assertThat(all.files()).hasSize(20);
  }

  @Test
  void aSplitOfSeveralFilesIsALeafThatAnyOfThemRenames() throws Exception {
    input.write("a.txt", "aaa\n");
    input.write("b.txt", "bbb\n");
    input.splitSize(1 << 20);
    List<InputSplit> splits = input.splits(CombineTextInputFormat.class, "*");
    InputScan before = input.scan(LeafNaming.CONTENT, splits, CombineTextInputFormat.class);

    input.write("b.txt", "bbc\n");
    InputScan after = input.scan(LeafNaming.CONTENT, splits, CombineTextInputFormat.class);

    assertThat(before.leaves()).hasSize(1);
    assertThat(before.leaves().get(0).sources()).hasSize(2);
    assertThat(before.leaves().get(0).length()).isEqualTo(8);
    assertThat(after.leaves().get(0).id()).isNotEqualTo(before.leaves().get(0).id());
  }

  @Test
  void oldApiGetsSplitsOfItsOwnKindWithTheSameNames() throws Exception {
    input.write("a.txt", ScannedInput.randomText(100, 14));
    List<Digest> ofNewApi = ids(input.text(LeafNaming.CONTENT, "*"));
    org.apache.hadoop.mapred.FileInputFormat.setInputPaths(input.conf, new Path(input.dir.toUri()));
    org.apache.hadoop.mapred.TextInputFormat format =
        new org.apache.hadoop.mapred.TextInputFormat();
    format.configure(input.conf);

    InputScan old =
        input.scan(LeafNaming.CONTENT, List.of(format.getSplits(input.conf, 3)), format.getClass());

    assertThat(old.leaves())
        .allSatisfy(
            leaf ->
                assertThat(leaf.split()).isInstanceOf(org.apache.hadoop.mapred.FileSplit.class));
    assertThat(ids(old)).isEqualTo(ofNewApi);
  }

  @Test
  void aFileThatGrowsWheneverItIsReadIsAReasonToRunAsStock() throws Exception {
    input.write("a.txt", ScannedInput.randomText(100, 15));
    List<InputSplit> splits = input.splits(TextInputFormat.class, "*");
    GrowingFileSystem.use(input.conf);

    assertFallsBack(splits, FallbackReason.INPUT_UNSTABLE, "a.txt");
  }

  @Test
  void aFileThatIsGoneIsAReasonToRunAsStock() throws Exception {
    input.write("gone.txt", "line\n");
    List<InputSplit> splits = input.splits(TextInputFormat.class, "*");
    Files.delete(input.dir.resolve("gone.txt"));

    assertFallsBack(splits, FallbackReason.INPUT_UNREADABLE, "gone.txt");
  }

  @Test
  void aSplitThatMayCarryDataOfItsOwnIsAReasonToRunAsStock() throws Exception {
    input.write("a.txt", "line\n");
    InputSplit special = new FileSplit(input.path("a.txt"), 0, 5, null) {};

    assertFallsBack(
        List.of(special), FallbackReason.SPLITS_NOT_FILES, special.getClass().getName());
  }

  private void assertFallsBack(List<InputSplit> splits, FallbackReason reason, String named) {
    assertThatThrownBy(() -> input.scan(LeafNaming.CONTENT, splits, TextInputFormat.class))
        .isInstanceOfSatisfying(
            FallbackException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(named);
  }
}
