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
package org.freshet.hdfs.io;

import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ReflectionUtils;
import org.freshet.hdfs.index.ChunkIndexer;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.RecordAlignment;

/**
 * What a client's configuration says about the files that it writes. An immutable value.
 *
 * @param files full paths, without scheme and authority, of the files that are chunked
 * @param chunker where chunks are cut
 * @param leastBytes files shorter than this are not indexed
 * @param encrypted whether files in encryption zones are chunked
 * @param blockCuts whether blocks end at chunk cuts
 * @param store where the chunks go
 */
public record WriteSettings(
    Pattern files,
    ChunkerConfig chunker,
    long leastBytes,
    boolean encrypted,
    boolean blockCuts,
    FileChunkStore store) {
  /** A regular expression that the full path of a file must match as a whole to be chunked. */
  public static final String FILES = "freshet.hdfs.files";

  /** All files but those that Hadoop's input formats pass over. */
  public static final String DEFAULT_FILES = "(?s).*/[^/_.][^/]*";

  /**
   * Length in bytes below which a file gets no index: reading it again costs less than a look-up.
   */
  public static final String LEAST_BYTES = "freshet.hdfs.index.least.bytes";

  /** The default of {@value #LEAST_BYTES}. */
  public static final long DEFAULT_LEAST_BYTES = 16L << 20;

  /**
   * Whether files in encryption zones are chunked. Off by default: an index tells the digests of
   * their clear text to whoever may read the index.
   */
  public static final String ENCRYPTED = "freshet.hdfs.encrypted";

  /** Whether blocks end at chunk cuts. */
  public static final String BLOCK_CUTS = "freshet.hdfs.block.cuts";

  /** Where records end: {@code lines}, {@code none}, {@code delimiter:HEX}, {@code fixed:BYTES}. */
  public static final String RECORDS = "freshet.hdfs.records";

  /** Name of the class that keeps the chunks. */
  public static final String STORE = "freshet.hdfs.chunk.store";

  /** Average chunk size in bytes. */
  public static final String AVERAGE = "freshet.chunk.average.bytes";

  /** Smallest chunk in bytes; 0 for half the average. */
  public static final String MIN = "freshet.chunk.min.bytes";

  /** Largest chunk in bytes; 0 for four times the average. */
  public static final String MAX = "freshet.chunk.max.bytes";

  private static final long DEFAULT_AVERAGE = 4 << 20;
  private static final long LARGEST = 1 << 30;

  /**
   * Reads the configuration.
   *
   * @throws IllegalArgumentException if a value is out of range; names the key
   */
  public static WriteSettings of(Configuration conf) {
    return new WriteSettings(
        pattern(conf.get(FILES, DEFAULT_FILES)),
        chunker(conf),
        conf.getLongBytes(LEAST_BYTES, DEFAULT_LEAST_BYTES),
        conf.getBoolean(ENCRYPTED, false),
        conf.getBoolean(BLOCK_CUTS, true),
        store(conf));
  }

  /** Whether the file of this path is to be chunked, as far as its path tells. */
  public boolean covers(String path) {
    // Indexes and the results of jobs are no input of jobs, and an index of an index would not end.
    return !path.contains("/.freshet/") && files.matcher(path).matches();
  }

  private static Pattern pattern(String value) {
    try {
      return Pattern.compile(value);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(FILES + " must be a regular expression, not " + value, e);
    }
  }

  private static ChunkerConfig chunker(Configuration conf) {
    int average =
        (int) size(conf, AVERAGE, DEFAULT_AVERAGE, 4 * ChunkIndexer.SMALLEST_MINIMUM, 256L << 20);
    ChunkerConfig defaults = ChunkerConfig.withAverage(average);
    int min = (int) size(conf, MIN, 0, ChunkIndexer.SMALLEST_MINIMUM, average - 1);
    int max = (int) size(conf, MAX, 0, average + 1, LARGEST);
    return ChunkerConfig.of(
            min == 0 ? defaults.minSize() : min, average, max == 0 ? 4 * average : max)
        .with(alignment(conf.getTrimmed(RECORDS, "lines")));
  }

  private static long size(
      Configuration conf, String key, long defaultValue, long least, long most) {
    long value = conf.getLongBytes(key, defaultValue);
    if (value != defaultValue && (value < least || value > most)) {
      throw new IllegalArgumentException(
          key + " must be " + least + " to " + most + " bytes, not " + value);
    }
    return value;
  }

  private static RecordAlignment alignment(String value) {
    int colon = value.indexOf(':');
    String parameter = value.substring(colon + 1);
    try {
      return switch (colon < 0 ? value : value.substring(0, colon)) {
        case "lines" -> RecordAlignment.lines();
        case "none" -> RecordAlignment.none();
        case "delimiter" -> RecordAlignment.delimiter(HexFormat.of().parseHex(parameter));
        case "fixed" -> RecordAlignment.fixedLength(Long.parseLong(parameter), 0);
        default -> throw new IllegalArgumentException("no such records");
      };
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          RECORDS + " must be lines, none, delimiter:HEX or fixed:BYTES, not " + value, e);
    }
  }

  private static FileChunkStore store(Configuration conf) {
    Class<? extends FileChunkStore> type = conf.getClass(STORE, null, FileChunkStore.class);
    return type == null ? FileChunkStore.NONE : ReflectionUtils.newInstance(type, conf);
  }
}
