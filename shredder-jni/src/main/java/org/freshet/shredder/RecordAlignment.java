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
package org.freshet.shredder;

import java.nio.ByteBuffer;

/**
 * Where records begin, so that chunks can be made of whole records. An alignment must find the same
 * boundaries from wherever a search starts. Immutable and safe for use by several threads.
 *
 * <p>A cut moves forward to the first record boundary at or after the position that content or
 * maximum chose, or to the source's end if there is none. So a record longer than the maximum makes
 * a chunk longer than the maximum, by what is left of that record and no more.
 */
public interface RecordAlignment {
  /** The largest {@link #lookBehind()} that a chunker has to serve. */
  int MAX_LOOK_BEHIND = 64;

  /** Names the rule and its parameters; part of {@link ChunkerConfig#fingerprint()}. */
  String name();

  /**
   * How many bytes before a position tell whether it is a boundary: 0 to {@value #MAX_LOOK_BEHIND}.
   */
  int lookBehind();

  /**
   * Begins a search for the first boundary at or after {@code position}, an offset in the source
   * that is not 0.
   */
  Search searchFrom(long position);

  /** One search, fed with consecutive bytes. For use by one thread. */
  interface Search {
    /**
     * Looks on at the bytes with absolute index {@code from} to {@code to - 1}; the buffer's limit
     * is {@code to} or above it. The first call starts {@link #lookBehind()} bytes before the
     * position searched from, or at the source's first byte if that is nearer; each further one
     * where the last ended.
     *
     * @return the index of the byte that the boundary precedes, at most {@code to}; -1 if there is
     *     no boundary up to there
     */
    int next(ByteBuffer bytes, int from, int to);
  }

  /** Every position is a boundary. */
  static RecordAlignment none() {
    return NoAlignment.INSTANCE;
  }

  /**
   * A boundary is after each {@code '\n'}, so CR LF is never split. Text whose lines end in a lone
   * {@code '\r'} has no boundary but its end.
   */
  static RecordAlignment lines() {
    return LineAlignment.LINE_FEED;
  }

  /** A boundary is after each {@code delimiter}. */
  static RecordAlignment lines(byte delimiter) {
    return new LineAlignment(delimiter);
  }

  /**
   * A boundary is wherever the bytes before it are {@code delimiter}. A delimiter that may overlap
   * itself counts wherever it ends: after {@code "\n\n\n"} there are two boundaries of {@code
   * "\n\n"}.
   *
   * @param delimiter 1 to {@value #MAX_LOOK_BEHIND} bytes, which are copied
   */
  static RecordAlignment delimiter(byte[] delimiter) {
    return delimiter.length == 1
        ? new LineAlignment(delimiter[0])
        : new DelimiterAlignment(delimiter);
  }

  /**
   * Records of equal length after a header: boundaries are at {@code headerBytes + n * recordBytes}
   * for n = 0, 1, 2 and so on.
   *
   * @param recordBytes at least 1
   * @param headerBytes 0 or more
   */
  static RecordAlignment fixedLength(long recordBytes, long headerBytes) {
    return new FixedLengthAlignment(recordBytes, headerBytes);
  }
}
