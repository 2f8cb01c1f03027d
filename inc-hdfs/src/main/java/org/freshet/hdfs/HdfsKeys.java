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
package org.freshet.hdfs;

import java.util.List;

/**
 * Every configuration key of files and their chunks, in one place: what writers, readers and the
 * planner of jobs have to agree on. The reference page {@code docs/configuration.md} is generated
 * from {@link #ALL}.
 */
public final class HdfsKeys {
  public static final ConfigKey CHUNK_AVERAGE =
      new ConfigKey(
          "freshet.chunk.average.bytes",
          ConfigKey.Type.BYTES,
          "4194304",
          "256 to 256m",
          "Average size of a content-defined chunk of line-based text.");

  public static final ConfigKey CHUNK_MIN =
      new ConfigKey(
          "freshet.chunk.min.bytes",
          ConfigKey.Type.BYTES,
          "0",
          "64 to less than the average; 0: half the average",
          "Smallest chunk but for a file's last one.");

  public static final ConfigKey CHUNK_MAX =
      new ConfigKey(
          "freshet.chunk.max.bytes",
          ConfigKey.Type.BYTES,
          "0",
          "more than the average to 1g; 0: four times the average",
          "Largest chunk, but for the end of the record that crosses the limit.");

  public static final ConfigKey INDEX_DIR =
      new ConfigKey(
          "freshet.index.dir",
          ConfigKey.Type.PATH,
          "",
          "an absolute path without a scheme; empty: .freshet/chunks in the user's home directory",
          "Where the chunk indexes of single files are kept, on the file system of the files; a"
              + " directory that several users share has mode 1777.");

  public static final ConfigKey WRITE_FILES =
      new ConfigKey(
          "freshet.hdfs.files",
          ConfigKey.Type.PATTERN,
          ".*/[^/_.][^/]*",
          "a regular expression of Java; the whole path must match, without scheme and authority",
          "Which files IncrementalFileSystem chunks while they are written; by default all but"
              + " those that Hadoop's input formats pass over.");

  public static final ConfigKey WRITE_LEAST =
      new ConfigKey(
          "freshet.hdfs.index.least.bytes",
          ConfigKey.Type.BYTES,
          "16777216",
          "0 or more",
          "Files shorter than this get no index when they are closed: to read such a file again"
              + " costs less than to look for its index.");

  public static final ConfigKey WRITE_BLOCK_CUTS =
      new ConfigKey(
          "freshet.hdfs.block.cuts",
          ConfigKey.Type.BOOLEAN,
          "true",
          "",
          "Whether HDFS blocks end at chunk cuts near dfs.blocksize.");

  public static final ConfigKey WRITE_RECORDS =
      new ConfigKey(
          "freshet.hdfs.records",
          ConfigKey.Type.CHOICE,
          "lines",
          "lines, none, delimiter:HEX, fixed:BYTES",
          "Where the records end of the files that are written; SequenceFiles and Avro files tell by"
              + " their first bytes where.");

  public static final ConfigKey WRITE_ENCRYPTED =
      new ConfigKey(
          "freshet.hdfs.encrypted",
          ConfigKey.Type.BOOLEAN,
          "false",
          "",
          "Whether files in encryption zones are chunked while they are written: an index tells"
              + " the digests of their clear text to whoever may read the index.");

  /** All keys, in the order of the reference page. */
  public static final List<ConfigKey> ALL =
      List.of(
          CHUNK_AVERAGE,
          CHUNK_MIN,
          CHUNK_MAX,
          INDEX_DIR,
          WRITE_FILES,
          WRITE_LEAST,
          WRITE_BLOCK_CUTS,
          WRITE_RECORDS,
          WRITE_ENCRYPTED);

  private HdfsKeys() {}
}
