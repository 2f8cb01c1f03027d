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
package org.freshet.cli;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.freshet.cli.chunk.ByteSize;
import org.freshet.shredder.Backend;
import org.freshet.shredder.Backends;
import org.freshet.shredder.CandidateRule;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.ChunkerConfigBuilder;
import org.freshet.shredder.RecordAlignment;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** How content is cut, for every command that cuts. */
final class ChunkingOptions {
  private static final int DEFAULT_AVERAGE = 8 << 10;

  /** The families of rules, as on the command line. */
  enum RuleFamily {
    GEAR,
    PLAIN_GEAR,
    RABIN;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--rule",
      paramLabel = "RULE",
      defaultValue = "gear",
      converter = RuleConverter.class,
      description =
          "gear, the fastest; plain-gear, without its sieve; or rabin, as published (default: gear).")
  private RuleFamily rule;

  @Option(
      names = "--polynomial",
      paramLabel = "HEX",
      converter = HexConverter.class,
      description = "Rabin's polynomial, irreducible over GF(2) (default: 3DA3358B4DC173).")
  private Long polynomial;

  @Option(names = "--window", paramLabel = "BYTES", description = "Rabin's window (default: 48).")
  private Integer window;

  @Option(
      names = "--mask-bits",
      paramLabel = "N",
      description =
          "Cut where N bits of the hash equal the marker, about every 2^N bytes: instead of"
              + " --average. There is no minimum and no maximum then, unless set.")
  private Integer maskBits;

  @Option(
      names = "--marker",
      paramLabel = "N",
      converter = NumberConverter.class,
      description = "The marker; 0x... for hexadecimal (default: 0).")
  private Long marker;

  @Option(
      names = "--min",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "No chunk but the last is smaller (default: half the average).")
  private Long min;

  @Option(
      names = "--average",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "The mean length on random content, such as 64K or 4M (default: 8K).")
  private Long average;

  @Option(
      names = "--max",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Cut here if nothing has cut before (default: four times the average).")
  private Long max;

  @Option(names = "--lines", description = "Chunks are whole lines.")
  private boolean lines;

  @Option(
      names = "--delimiter",
      paramLabel = "TEXT",
      description =
          "Chunks are whole records that end in TEXT; \\n, \\r, \\t, \\0, \\\\ and \\xHH.")
  private String delimiter;

  @Option(
      names = "--record",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Chunks are whole records of this length.")
  private Long record;

  @Option(
      names = "--header",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "With --record: the records begin after this many bytes (default: 0).")
  private Long header;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      defaultValue = "auto",
      description =
          "java, native, cuda or auto, the fastest to be had (default: auto). All cut alike.")
  private String backend;

  /**
   * The configuration that the options ask for.
   *
   * @throws ParameterException if they contradict each other or one is out of range
   */
  ChunkerConfig config() {
    try {
      ChunkerConfigBuilder builder = ChunkerConfig.builder();
      if (rule == RuleFamily.RABIN) {
        builder.rabin(
            polynomial == null ? CandidateRule.Rabin.POLYNOMIAL : polynomial,
            window == null ? CandidateRule.Rabin.PUBLISHED_WINDOW : window);
      } else if (polynomial != null || window != null) {
        throw new IllegalArgumentException(
            "--polynomial and --window are Rabin's; add --rule rabin");
      } else if (rule == RuleFamily.PLAIN_GEAR) {
        builder.plainGear();
      }
      if (maskBits != null) {
        builder.maskBits(maskBits);
      }
      if (average != null) {
        builder.averageSize(intSize("--average", average));
      } else if (maskBits == null) {
        builder.averageSize(DEFAULT_AVERAGE);
      }
      if (marker != null) {
        builder.marker(marker);
      }
      if (min != null) {
        builder.minSize(intSize("--min", min));
      }
      if (max != null) {
        builder.maxSize(max);
      }
      return builder.alignment(alignment()).build();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /**
   * The backend that the options ask for.
   *
   * @throws ParameterException if there is none of that name, or not here
   */
  Backend backend() {
    try {
      return backend.equals("auto") ? Backends.preferred() : Backends.named(backend);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new ParameterException(spec.commandLine(), "--backend: " + e.getMessage(), e);
    }
  }

  /** A chunker as the options ask for. */
  Chunker chunker() {
    return new Chunker(config(), backend());
  }

  private RecordAlignment alignment() {
    if (Stream.of(lines ? true : null, delimiter, record).filter(o -> o != null).count() > 1) {
      throw new IllegalArgumentException(
          "--lines, --delimiter and --record exclude each other; name one");
    }
    if (header != null && record == null) {
      throw new IllegalArgumentException("--header needs --record");
    }
    if (lines) {
      return RecordAlignment.lines();
    }
    if (delimiter != null) {
      return RecordAlignment.delimiter(unescape(delimiter));
    }
    if (record != null) {
      return RecordAlignment.fixedLength(record, header == null ? 0 : header);
    }
    return RecordAlignment.none();
  }

  private static int intSize(String option, long size) {
    if (size > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          option + " is " + size + ", expected at most " + Integer.MAX_VALUE);
    }
    return (int) size;
  }

  /** The bytes of a text in which a backslash begins an escape. */
  static byte[] unescape(String text) {
    ByteBuffer left = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (left.hasRemaining()) {
      byte next = left.get();
      bytes.write(next == '\\' ? escaped(left, text) : next);
    }
    return bytes.toByteArray();
  }

  /** The byte that an escape stands for, without its backslash. */
  private static int escaped(ByteBuffer left, String text) {
    switch (left.hasRemaining() ? left.get() : -1) {
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case '0':
        return 0;
      case '\\':
        return '\\';
      case 'x':
        int high = left.hasRemaining() ? Character.digit(left.get(), 16) : -1;
        int low = left.hasRemaining() ? Character.digit(left.get(), 16) : -1;
        if (high >= 0 && low >= 0) {
          return high << 4 | low;
        }
        throw badEscape(text);
      default:
        throw badEscape(text);
    }
  }

  private static IllegalArgumentException badEscape(String text) {
    return new IllegalArgumentException(
        "--delimiter '" + text + "' has an escape other than \\n, \\r, \\t, \\0, \\\\ and \\xHH");
  }

  /** Names of rules. */
  static final class RuleConverter implements ITypeConverter<RuleFamily> {
    @Override
    public RuleFamily convert(String value) {
      return Stream.of(RuleFamily.values())
          .filter(family -> family.toString().equalsIgnoreCase(value))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'" + value + "' is none of " + Arrays.toString(RuleFamily.values())));
    }
  }

  /** Sizes such as 64K. */
  static final class SizeConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      try {
        return ByteSize.parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  /** Hexadecimal numbers of up to 64 bits. */
  static final class HexConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      String digits = value.startsWith("0x") ? value.substring(2) : value;
      return Long.parseUnsignedLong(digits, 16);
    }
  }

  /** Decimal numbers, or hexadecimal ones after 0x. */
  static final class NumberConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      return value.startsWith("0x")
          ? Long.parseUnsignedLong(value.substring(2), 16)
          : Long.parseUnsignedLong(value);
    }
  }
}
