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

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.freshet.shredder.RecordAlignment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The input formats whose files can be cut, and what in a job's configuration decides how; others
 * come from a {@link RecordFormatProvider}. Proven on the record readers of Hadoop 3.5.0 and Avro
 * 1.11.5 by tests that read every split.
 *
 * <p>Only the very classes named count: a subclass may read anything.
 */
public final class RecordFormats {
  private static final Logger LOG = LoggerFactory.getLogger(RecordFormats.class);

  /** The property with the delimiter of text records. */
  static final String DELIMITER = "textinputformat.record.delimiter";

  /** The property with the longest line that is not skipped. */
  static final String LONGEST_LINE = "mapreduce.input.linerecordreader.line.maxlength";

  /** The property with the length of records of fixed length. */
  static final String RECORD_LENGTH = "fixedlengthinputformat.record.length";

  /** Well below the smallest minimum of a chunk, which a split's ends must not leave. */
  static final int LONGEST_DELIMITER = 32;

  private static final Set<String> TEXT =
      Set.of(
          "org.apache.hadoop.mapreduce.lib.input.TextInputFormat",
          "org.apache.hadoop.mapred.TextInputFormat");

  /** Their line reader is never given the delimiter that a job sets. */
  private static final Set<String> KEY_VALUE_TEXT =
      Set.of(
          "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat",
          "org.apache.hadoop.mapred.KeyValueTextInputFormat");

  private static final Set<String> FIXED_LENGTH =
      Set.of(
          "org.apache.hadoop.mapreduce.lib.input.FixedLengthInputFormat",
          "org.apache.hadoop.mapred.FixedLengthInputFormat");

  private static final Set<String> SEQUENCE_FILE =
      Set.of(
          "org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat",
          "org.apache.hadoop.mapreduce.lib.input.SequenceFileAsTextInputFormat",
          "org.apache.hadoop.mapreduce.lib.input.SequenceFileAsBinaryInputFormat",
          "org.apache.hadoop.mapred.SequenceFileInputFormat",
          "org.apache.hadoop.mapred.SequenceFileAsTextInputFormat",
          "org.apache.hadoop.mapred.SequenceFileAsBinaryInputFormat");

  private static final Set<String> AVRO =
      Set.of(
          "org.apache.avro.mapreduce.AvroKeyInputFormat",
          "org.apache.avro.mapreduce.AvroKeyValueInputFormat",
          "org.apache.avro.mapred.AvroInputFormat",
          "org.apache.avro.mapred.AvroAsTextInputFormat");

  /** A reader makes line ends of LF, CR and CR LF, and a split may begin after any LF. */
  private static final RecordFormat LINES = new AlignedFormat("lines", RecordAlignment.lines(), 1);

  /** How many bytes at a file's start tell its format. */
  public static final int HEAD_BYTES = 4;

  private static final FramedFormat SEQUENCE_FILES = new SequenceFileFormat();
  private static final FramedFormat AVRO_FILES = new AvroFormat();
  private static final List<FramedFormat> CONTAINERS = List.of(SEQUENCE_FILES, AVRO_FILES);

  private RecordFormats() {}

  /**
   * How files are cut that an input format reads.
   *
   * @param inputFormat class name
   * @param conf of the job, as the user made it
   */
  public static FormatChoice of(String inputFormat, Configuration conf) {
    if (TEXT.contains(inputFormat) || KEY_VALUE_TEXT.contains(inputFormat)) {
      return text(KEY_VALUE_TEXT.contains(inputFormat), conf);
    }
    if (FIXED_LENGTH.contains(inputFormat)) {
      return fixedLength(conf);
    }
    if (SEQUENCE_FILE.contains(inputFormat)) {
      return FormatChoice.cut(SEQUENCE_FILES);
    }
    if (AVRO.contains(inputFormat)) {
      return FormatChoice.cut(AVRO_FILES);
    }
    return provided(inputFormat, conf);
  }

  /** The answer of the first provider that knows the input format. */
  private static FormatChoice provided(String inputFormat, Configuration conf) {
    try {
      for (RecordFormatProvider provider :
          ServiceLoader.load(RecordFormatProvider.class, conf.getClassLoader())) {
        Optional<FormatChoice> choice = provider.of(inputFormat, conf);
        if (choice.isPresent()) {
          return choice.get();
        }
      }
    } catch (ServiceConfigurationError | RuntimeException e) {
      LOG.warn("Files of {} are left whole: a provider of record formats failed", inputFormat, e);
      return FormatChoice.whole("a provider of record formats failed: " + e);
    }
    return FormatChoice.whole("the cuts of " + inputFormat + " are not known");
  }

  /**
   * A format whose bytes are digested as they are, and whose records end where an alignment says.
   *
   * @param name says how records are read; a chunk counts as known under this name alone
   * @param splitLag as {@link RecordFormat#splitLag()}: for a reader that, like Hadoop's of lines,
   *     skips to the first record end at or after the start of its split, the length of what ends a
   *     record; 0 for a reader that begins at the start of its split
   * @throws IllegalArgumentException if the lag is negative or longer than a split allows
   */
  public static RecordFormat aligned(String name, RecordAlignment alignment, int splitLag) {
    if (splitLag < 0 || splitLag > LONGEST_DELIMITER) {
      throw new IllegalArgumentException(
          "splitLag is " + splitLag + ", expected 0 to " + LONGEST_DELIMITER);
    }
    return new AlignedFormat(name, alignment, splitLag);
  }

  private static FormatChoice text(boolean keyValue, Configuration conf) {
    if (!Integer.toString(Integer.MAX_VALUE)
        .equals(conf.getTrimmed(LONGEST_LINE, Integer.toString(Integer.MAX_VALUE)))) {
      // Such a reader gives up a line at the end of its split, and takes the rest for another one.
      return FormatChoice.whole(
          "what a reader makes of lines longer than " + LONGEST_LINE + " depends on its split");
    }
    String delimiter = conf.get(DELIMITER);
    if (delimiter == null) {
      return FormatChoice.cutUncompressed(LINES);
    }
    if (keyValue) {
      return FormatChoice.whole(DELIMITER + " is set, and this format does not heed it");
    }
    return delimited(delimiter.getBytes(StandardCharsets.UTF_8));
  }

  private static FormatChoice delimited(byte[] delimiter) {
    if (delimiter.length == 0 || delimiter.length > LONGEST_DELIMITER) {
      return FormatChoice.whole(
          DELIMITER + " has " + delimiter.length + " bytes, not 1 to " + LONGEST_DELIMITER);
    }
    if (Delimiters.overlapsItself(delimiter)) {
      return FormatChoice.whole(
          DELIMITER + " may overlap itself: its records depend on where a split begins");
    }
    if (Delimiters.beginsWithinItsPart(delimiter)) {
      return FormatChoice.whole(
          DELIMITER
              + " may begin within a part of itself: its records depend on a reader's buffer");
    }
    return FormatChoice.cutUncompressed(
        new AlignedFormat(
            "delimiter " + HexFormat.of().formatHex(delimiter),
            RecordAlignment.delimiter(delimiter),
            delimiter.length));
  }

  private static FormatChoice fixedLength(Configuration conf) {
    int bytes;
    try {
      bytes = conf.getInt(RECORD_LENGTH, 0);
    } catch (NumberFormatException e) {
      bytes = 0;
    }
    return bytes < 1
        ? FormatChoice.whole(RECORD_LENGTH + " is no length")
        : FormatChoice.cutUncompressed(
            new AlignedFormat("fixed length " + bytes, RecordAlignment.fixedLength(bytes, 0), 0));
  }

  /** The formats whose files tell by their first bytes what they are. */
  public static List<FramedFormat> recognizable() {
    return CONTAINERS;
  }

  /**
   * The format that a file's first bytes tell; empty for all others, which may be text.
   *
   * @param head at least {@value #HEAD_BYTES} bytes, or all that a shorter file has
   */
  public static Optional<FramedFormat> recognize(byte[] head) {
    byte[] magic = head.length > HEAD_BYTES ? Arrays.copyOf(head, HEAD_BYTES) : head;
    return CONTAINERS.stream().filter(format -> Arrays.equals(format.magic(), magic)).findFirst();
  }

  /** Whether an input format, by its class name, gives the records of Avro container files. */
  public static boolean isAvro(String inputFormat) {
    return AVRO.contains(inputFormat);
  }

  /** Whether a format is that of plain text lines. */
  public static boolean isLines(RecordFormat format) {
    return format.equals(LINES);
  }
}
