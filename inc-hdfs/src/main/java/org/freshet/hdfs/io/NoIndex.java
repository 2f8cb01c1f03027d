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

import org.freshet.hdfs.HdfsKeys;

/** Why a file that was written gets no index. The names are those of counters. */
enum NoIndex {
  /** The path filter leaves it out. */
  NOT_COVERED("its path is not covered by " + HdfsKeys.WRITE_FILES.name()),
  /** It lies in an encryption zone. */
  ENCRYPTED("it is encrypted"),
  /** It is shorter than what is worth an index. */
  SHORT("it is shorter than " + HdfsKeys.WRITE_LEAST.name()),
  /** It was appended to, and what it held before had no index. */
  APPENDED("what it held before has no index"),
  /** Writing or closing failed. */
  WRITE_FAILED("writing failed"),
  /**
   * Its first bytes are those of a container file, but it is damaged, cut short or without records.
   */
  NOT_CUTTABLE("it begins as a SequenceFile or Avro file and can't be cut as one"),
  /** Searching or digesting failed. */
  CHUNKING_FAILED("chunking failed"),
  /** Somebody asked for the stream below, and may have written past the chunker. */
  BYPASSED("the stream below was asked for"),
  /** It was changed, moved or deleted after it was closed. */
  CHANGED("it was changed after it was closed"),
  /** The NameNode could not be asked for its version. */
  VERSION_UNKNOWN("its version could not be found out"),
  /** The index could not be written. */
  NOT_KEPT("the index could not be written");

  private final String reason;

  NoIndex(String reason) {
    this.reason = reason;
  }

  /** For log lines, after "has no index: ". */
  String reason() {
    return reason;
  }
}
