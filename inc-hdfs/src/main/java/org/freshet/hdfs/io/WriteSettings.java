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
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.freshet.hdfs.ConfigKey;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.hdfs.format.FramedFormat;
import org.freshet.hdfs.index.ChunkSizes;
import org.freshet.hdfs.index.FileIndexStore;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.RecordAlignment;

/**
 * What a client's configuration says about the files that it writes. An immutable value.
 *
 * @param files full paths, without scheme and authority, of the files that are chunked
 * @param chunker where chunks are cut; the alignment is not heeded in files that tell by their
 *     first bytes what they are
 * @param leastBytes files shorter than this are not indexed
 * @param encrypted whether files in encryption zones are chunked
 * @param blockCuts whether blocks end at chunk cuts
 * @param store where the chunks go
 */
record WriteSettings(
    Pattern files,
    ChunkerConfig chunker,
    long leastBytes,
    boolean encrypted,
    boolean blockCuts,
    FileIndexStore store) {
  /**
   * Reads the configuration.
   *
   * @throws ConfigKey.InvalidValueException if a value is out of range; names the key
   */
  static WriteSettings of(Configuration conf) {
    return new WriteSettings(
        pattern(conf),
        ChunkSizes.of(conf).with(alignment(conf)),
        HdfsKeys.WRITE_LEAST.getBytes(conf, 0, Long.MAX_VALUE),
        HdfsKeys.WRITE_ENCRYPTED.getBoolean(conf),
        HdfsKeys.WRITE_BLOCK_CUTS.getBoolean(conf),
        FileIndexStore.of(conf));
  }

  /** Whether the file of this path is to be chunked, as far as its path tells. */
  boolean covers(String path) {
    // Indexes and the results of jobs are no input of jobs, and an index of an index would not end.
    return !path.contains("/.freshet/") && files.matcher(path).matches();
  }

  /**
   * Names what cuts a file.
   *
   * @param format empty for text and all that does not tell by its first bytes what it is
   */
  String fingerprint(Optional<FramedFormat> format) {
    return format.map(found -> found.fingerprint(chunker)).orElseGet(chunker::fingerprint);
  }

  private static Pattern pattern(Configuration conf) {
    String value = HdfsKeys.WRITE_FILES.get(conf);
    try {
      return Pattern.compile(value, Pattern.DOTALL);
    } catch (PatternSyntaxException e) {
      throw HdfsKeys.WRITE_FILES.invalid(value);
    }
  }

  private static RecordAlignment alignment(Configuration conf) {
    String value = HdfsKeys.WRITE_RECORDS.get(conf);
    int colon = value.indexOf(':');
    String parameter = value.substring(colon + 1);
    try {
      return switch (colon < 0 ? value : value.substring(0, colon)) {
        case "lines" -> RecordAlignment.lines();
        case "none" -> RecordAlignment.none();
        case "delimiter" -> RecordAlignment.delimiter(HexFormat.of().parseHex(parameter));
        case "fixed" -> RecordAlignment.fixedLength(Long.parseLong(parameter), 0);
        default -> throw HdfsKeys.WRITE_RECORDS.invalid(value);
      };
    } catch (IllegalArgumentException e) {
      throw HdfsKeys.WRITE_RECORDS.invalid(value);
    }
  }
}
