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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text, cut at line ends and at delimiters, against the stock readers of both APIs. */
class TextReadingTest {
  private static final List<Class<?>> TEXT =
      List.of(
          org.apache.hadoop.mapreduce.lib.input.TextInputFormat.class,
          org.apache.hadoop.mapred.TextInputFormat.class);

  private static Path directory;

  @BeforeContainer
  static void makeDirectory() throws IOException {
    directory = Files.createTempDirectory("text-reading");
  }

  @AfterContainer
  static void removeDirectory() throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  @Provide
  Arbitrary<String> delimiters() {
    return Arbitraries.of(
        "\n",
        "\r",
        "|",
        "\r\n",
        "<|>\n",
        "END",
        "END\n",
        "</doc>",
        "\u0001",
        "\u0002\n",
        "é",
        "→\n",
        "8<--",
        "a\n",
        "\n---");
  }

  /** What the delimiter is made of, its parts, and a little else: full of near misses. */
  private static String text(Random random, String delimiter, int records) {
    StringBuilder text = new StringBuilder(random.nextInt(8) == 0 ? "\uFEFF" : "");
    for (int i = 0; i < records; i++) {
      int pieces = random.nextInt(6);
      for (int p = 0; p < pieces; p++) {
        switch (random.nextInt(5)) {
          case 0 -> text.append(delimiter, 0, random.nextInt(delimiter.length() + 1));
          case 1 -> text.append(delimiter.substring(random.nextInt(delimiter.length())));
          case 2 -> text.append(random.nextBoolean() ? "\r" : "\n");
          default -> text.append(Integer.toString(random.nextInt(1 << 20), 36));
        }
      }
      text.append(delimiter);
    }
    return random.nextBoolean() ? text.toString() : text + "the last has no delimiter";
  }

  private static Configuration conf(String delimiter, int bufferBytes) {
    Configuration conf = new Configuration();
    conf.setInt(CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_KEY, bufferBytes);
    if (delimiter != null) {
      conf.set(RecordFormats.DELIMITER, delimiter);
    }
    return conf;
  }

  private static RecordFormat format(Class<?> inputFormat, Configuration conf) {
    FormatChoice choice = RecordFormats.of(inputFormat.getName(), conf);
    return choice.format().orElseThrow(() -> new AssertionError(choice.whyWhole()));
  }

  private static void check(
      String delimiter, long seed, int records, int average, int bufferBytes, int splitBytes)
      throws Exception {
    Random random = new Random(seed);
    Configuration conf = conf(delimiter, bufferBytes);
    String ends = delimiter == null ? "\r\n" : delimiter;
    byte[] before = text(random, ends, records).getBytes(UTF_8);
    byte[] after = edited(random, before, ends);
    for (Class<?> inputFormat : TEXT) {
      StockReader stock = new StockReader(inputFormat, conf);
      RecordFormat format = format(inputFormat, conf);
      Path old = Files.write(directory.resolve("old"), before);
      Path edited = Files.write(directory.resolve("edited"), after);
      CutFile first =
          CutFile.of(old, format, CutFile.sizes(average))
              .requireExact(stock)
              .requireStockExact(stock, splitBytes);
      CutFile second = CutFile.of(edited, format, CutFile.sizes(average)).requireExact(stock);
      if (!startsWithBom(before) && !startsWithBom(after)) {
        second.requireSameUnderSameName(first, stock);
      }
    }
  }

  /** A byte order mark's absence from the first record is for names to tell, not for digests. */
  private static boolean startsWithBom(byte[] text) {
    return text.length > 2 && text[0] == (byte) 0xEF;
  }

  private static byte[] edited(Random random, byte[] text, String delimiter) {
    int at = text.length == 0 ? 0 : random.nextInt(text.length);
    int removed = Math.min(text.length - at, random.nextInt(40));
    String record = random.nextBoolean() ? delimiter + "inserted" + delimiter : "";
    byte[] inserted = record.getBytes(UTF_8);
    byte[] edited = new byte[text.length - removed + inserted.length];
    System.arraycopy(text, 0, edited, 0, at);
    System.arraycopy(inserted, 0, edited, at, inserted.length);
    System.arraycopy(text, at + removed, edited, at + inserted.length, text.length - at - removed);
    return edited;
  }

  @Property(tries = 80)
  void chunksBetweenDelimitersAreReadExactly(
      @ForAll("delimiters") String delimiter,
      @ForAll long seed,
      @ForAll @IntRange(max = 150) int records,
      @ForAll @IntRange(min = 66, max = 600) int average,
      @ForAll @IntRange(min = 1, max = 90) int bufferBytes,
      @ForAll @IntRange(min = 1, max = 400) int splitBytes)
      throws Exception {
    check(delimiter, seed, records, average, bufferBytes, splitBytes);
  }

  @Property(tries = 40)
  void chunksOfLinesAreReadExactly(
      @ForAll long seed,
      @ForAll @IntRange(max = 150) int records,
      @ForAll @IntRange(min = 66, max = 600) int average,
      @ForAll @IntRange(min = 1, max = 90) int bufferBytes,
      @ForAll @IntRange(min = 1, max = 400) int splitBytes)
      throws Exception {
    check(null, seed, records, average, bufferBytes, splitBytes);
  }

  @Property(tries = 6)
  void largeChunksAreReadExactly(@ForAll("delimiters") String delimiter, @ForAll long seed)
      throws Exception {
    check(delimiter, seed, 40_000, 64 << 10, 4096, 100_003);
  }

  /** Every delimiter of up to four bytes of two values: accepted means exact, whatever the text. */
  @Property(tries = 80)
  void anyAcceptedDelimiterIsExact(
      @ForAll @IntRange(min = 1, max = 5) int length,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 40) int bufferBytes,
      @ForAll @IntRange(min = 1, max = 200) int splitBytes)
      throws Exception {
    Random random = new Random(seed);
    String delimiter =
        random.ints(length, 'a', 'c').mapToObj(Character::toString).collect(Collectors.joining());
    FormatChoice choice = RecordFormats.of(TEXT.get(0).getName(), conf(delimiter, bufferBytes));
    if (choice.format().isEmpty()) {
      return;
    }
    StringBuilder text = new StringBuilder();
    random.ints(1500, 'a', 'c').forEach(c -> text.append((char) c));
    Path file = Files.writeString(directory.resolve("letters"), text);
    for (Class<?> inputFormat : TEXT) {
      StockReader stock = new StockReader(inputFormat, conf(delimiter, bufferBytes));
      CutFile.of(file, choice.format().get(), CutFile.sizes(100))
          .requireExact(stock)
          .requireStockExact(stock, splitBytes);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n\n", "||", "aab", "\r\n\r\n", "abab", "abac", "\n---\n", ""})
  void delimitersThatStockReadsByWhereASplitOrBufferBeginsAreLeft(String delimiter) {
    for (Class<?> inputFormat : TEXT) {
      FormatChoice choice = RecordFormats.of(inputFormat.getName(), conf(delimiter, 4096));
      assertThat(choice.format()).isEmpty();
      assertThat(choice.whyWhole()).contains(RecordFormats.DELIMITER);
    }
  }

  /** Why they are: were this to pass one day, they could be cut. */
  @ParameterizedTest
  @ValueSource(strings = {"\n\n", "aab", "abab"})
  void stockIsNotExactForThem(String delimiter) throws Exception {
    Random random = new Random(7);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 4000; i++) {
      text.append(delimiter.charAt(random.nextInt(delimiter.length())));
      text.append(random.nextInt(6) == 0 ? "x" : "");
    }
    Path file = Files.writeString(Files.createTempFile("inexact", ".txt"), text);
    var path = new org.apache.hadoop.fs.Path(file.toUri());
    List<List<StockReader.Read>> readings = new ArrayList<>();
    for (int splitBytes : new int[] {10_000, 17, 23, 31}) {
      StockReader stock = new StockReader(TEXT.get(0), conf(delimiter, 13));
      List<StockReader.Read> read = new ArrayList<>();
      for (long at = 0; at < text.length(); at += splitBytes) {
        long bytes = Math.min(splitBytes, text.length() - at);
        read.addAll(stock.range(path, new RecordFormat.Range(at, bytes)));
      }
      readings.add(read);
    }
    Files.delete(file);
    assertThat(readings.stream().distinct().count()).isGreaterThan(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.hadoop.mapreduce.lib.input.TextInputFormat",
        "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat",
        "org.apache.hadoop.mapred.TextInputFormat",
        "org.apache.hadoop.mapred.KeyValueTextInputFormat"
      })
  void aLimitToLinesLeavesFilesWhole(String inputFormat) {
    Configuration conf = new Configuration();
    assertThat(RecordFormats.of(inputFormat, conf).format())
        .hasValueSatisfying(f -> assertThat(RecordFormats.isLines(f)).isTrue());
    conf.setInt(RecordFormats.LONGEST_LINE, 80);
    assertThat(RecordFormats.of(inputFormat, conf).whyWhole()).contains("longer than");
  }

  /** Why: the line that is too long, and ends a chunk, leaves its end behind as an empty line. */
  @Test
  void aReaderWithALimitIsNotExactAtChunks() throws Exception {
    Path file =
        Files.writeString(
            Files.createTempFile("long", ".txt"), "short\n%0300d\n".formatted(1).repeat(50));
    CutFile cut = CutFile.of(file, format(TEXT.get(0), new Configuration()), CutFile.sizes(100));
    Configuration limited = new Configuration();
    limited.setInt(RecordFormats.LONGEST_LINE, 80);
    assertThatThrownBy(() -> cut.requireExact(new StockReader(TEXT.get(0), limited)))
        .isInstanceOf(AssertionError.class);
    cut.requireExact(new StockReader(TEXT.get(0), new Configuration()));
  }

  /** A delimiter of LF alone leaves CR to the record, which line ends do not. */
  @Test
  void aDelimiterOfOneLineFeedIsNotLines() {
    assertThat(format(TEXT.get(0), conf("\n", 4096)))
        .isNotEqualTo(format(TEXT.get(0), new Configuration()))
        .matches(format -> !RecordFormats.isLines(format));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.hadoop.mapreduce.lib.input.NLineInputFormat",
        "org.apache.hadoop.mapred.lib.NLineInputFormat",
        "org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat",
        "org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFilter",
        "com.example.MyTextInputFormat"
      })
  void otherInputFormatsLeaveFilesWhole(String inputFormat) {
    FormatChoice choice = RecordFormats.of(inputFormat, new Configuration());
    assertThat(choice.format()).isEmpty();
    assertThat(choice.whyWhole()).contains(inputFormat);
  }
}
