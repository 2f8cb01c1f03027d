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

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.ChunkerConfig;

/**
 * Cuts files of one format into chunks of whole records. Two chunks with equal digests, of files
 * with equal headers, hold the same records, whatever files they come from and wherever they lie;
 * and the input format that the format was made for reads just these records when it is given
 * {@link #split}. Immutable and safe for use by several threads.
 */
public interface RecordFormat {
  /** Names the rule and its parameters, in one line; part of every name made of its chunks. */
  String name();

  /**
   * Names all that decides about the cuts and the digests: lists of chunks may be kept under it.
   *
   * @param sizes rule and sizes of the chunks; its alignment is not heeded
   */
  String fingerprint(ChunkerConfig sizes);

  /**
   * Whether a file begins with a header on which the reading of every chunk depends. If so, the
   * first chunk is that header: it holds no record, and its digest belongs into the name of each
   * other chunk.
   */
  boolean hasHeader();

  /**
   * How many bytes before the end of a chunk the split ends that makes the input format read it,
   * and before its beginning the split begins; 0 or more, and less than the smallest minimum of
   * chunks.
   */
  int splitLag();

  /**
   * Cuts a file. Chunks cover it from its first byte to its last, in order; all lengths are those
   * of the file's own bytes, though a digest may be of a canonical form of them.
   *
   * @param sizes rule and sizes of the chunks; its alignment is not heeded
   * @param executor helps if {@code parallelism} is not 1; the calling thread must be none of its
   *     own
   * @return empty if the file is not what it should be, or nothing but a header: it is to be left
   *     whole
   * @throws org.freshet.shredder.SourceChangedException if the source is not as long as it says
   * @throws IOException if the source cannot be read
   */
  Optional<List<Chunk>> chunks(
      ByteSource source, ChunkerConfig sizes, ExecutorService executor, int parallelism)
      throws IOException;

  /** A range of a file as the input format is to be given it, in bytes. */
  record Range(long start, long length) {}

  /**
   * The split that makes the input format read just the records of some successive chunks.
   *
   * @param offset where the first of them begins
   * @param length of all of them, a header before them included
   */
  default Range split(long offset, long length, long fileLength) {
    return split(offset, length, fileLength, splitLag());
  }

  /** The same for a format with this {@link #splitLag()}. */
  static Range split(long offset, long length, long fileLength, int splitLag) {
    long start = offset == 0 ? 0 : offset - splitLag;
    long end = offset + length == fileLength ? fileLength : offset + length - splitLag;
    return new Range(start, end - start);
  }
}
