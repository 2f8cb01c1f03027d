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

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.ExecutorService;

/**
 * Cuts a source into chunks and digests each, reading every byte once.
 *
 * <p>The chunks cover the source from its first byte to its last, in order. No chunk but the last
 * is below the minimum; none is above the maximum but by the rest of the record that crosses it. An
 * empty source has no chunks. Immutable and safe for use by several threads.
 */
public final class Chunker {
  /*
   * Both forms feed the same BoundarySelector with the same candidates, for a candidate depends on the
   * 64 bytes before it only. They differ in who reads and digests:
   *
   *   one thread:   span by span of one buffer, searched and digested while it is in the cache
   *   parallel:     segments, read and searched by the executor, selected from in order by the caller,
   *                 digested by the executor (ParallelChunking)
   *
   * A buffer holds, before the bytes it is about, the HALO bytes in front of them, which windows and
   * record searches look back into.
   */

  /** Sources up to this length, in bytes, are left to one thread. */
  public static final long PARALLEL_ABOVE = 64L << 20;

  /** Bytes kept in front of those being searched. */
  static final int HALO = Math.max(64, RecordAlignment.MAX_LOOK_BEHIND);

  private final ChunkerConfig config;
  private final CandidateFinder finder;
  private final Pieces pieces;

  /** A chunker on this JVM alone, with {@link GearFinder}. */
  public Chunker(ChunkerConfig config) {
    this(config, new GearFinder(config.candidateGap()), Pieces.DEFAULT);
  }

  Chunker(ChunkerConfig config, CandidateFinder finder, Pieces pieces) {
    if (finder.window() > Math.min(HALO, config.minSize())) {
      throw new IllegalArgumentException(
          "The finder's window must be at most "
              + Math.min(HALO, config.minSize())
              + " bytes, not "
              + finder.window());
    }
    this.config = config;
    this.finder = finder;
    this.pieces = pieces;
  }

  /**
   * How a source is divided for reading; has no influence on the chunks.
   *
   * @param spanBytes read at a time by one thread
   * @param segmentBytes read at a time by each of several threads
   * @param parallelAbove sources up to this length are left to one thread
   */
  record Pieces(int spanBytes, int segmentBytes, long parallelAbove) {
    static final Pieces DEFAULT = new Pieces(1 << 20, 8 << 20, PARALLEL_ABOVE);
  }

  /**
   * Cuts {@code source}, on the calling thread.
   *
   * @throws SourceChangedException if the source is not as long as it says
   * @throws IOException if the source cannot be read
   */
  public List<Chunk> chunk(ByteSource source, RecordAlignment alignment) throws IOException {
    long length = source.length();
    SequentialDigests digests = new SequentialDigests();
    BoundarySelector selector = new BoundarySelector(config, alignment);
    byte[] buffer = new byte[HALO + (int) Math.min(pieces.spanBytes(), length)];
    try (InputStream in = open(source, 0)) {
      for (long offset = 0; offset < length; ) {
        int to = HALO + (int) Math.min(buffer.length - HALO, length - offset);
        readFully(in, buffer, HALO, to, offset, length);
        int[] candidates = candidates(buffer, offset, to);
        digests.begin(buffer, HALO, to, offset);
        selector.accept(buffer, HALO, to, offset, candidates, digests::cut);
        digests.end();
        offset += to - HALO;
        System.arraycopy(buffer, to - HALO, buffer, 0, HALO);
      }
      requireEnd(in, length);
    }
    digests.begin(buffer, HALO, HALO, length);
    selector.finish(length, digests::cut);
    return digests.chunks();
  }

  /**
   * Cuts {@code source} into the same chunks as {@link #chunk(ByteSource, RecordAlignment)} does,
   * with the help of an executor if the source is longer than {@link #PARALLEL_ABOVE}. Holds up to
   * {@code parallelism + 2} segments of 8 MiB in memory.
   *
   * @param executor reads, searches and digests; the calling thread must not be one of its own, for
   *     it waits for the others
   * @param parallelism how many of its threads to keep busy; 1 leaves all to the calling thread
   * @throws SourceChangedException if the source is not as long as it says
   * @throws java.io.InterruptedIOException if the calling thread is interrupted; it stays so
   * @throws IOException if the source cannot be read
   */
  public List<Chunk> chunk(
      ByteSource source, RecordAlignment alignment, ExecutorService executor, int parallelism)
      throws IOException {
    if (parallelism < 1) {
      throw new IllegalArgumentException("parallelism must be at least 1, not " + parallelism);
    }
    if (parallelism == 1 || source.length() <= pieces.parallelAbove()) {
      return chunk(source, alignment);
    }
    return new ParallelChunking(this, source, executor, parallelism + 2, pieces.segmentBytes())
        .chunk(new BoundarySelector(config, alignment));
  }

  /**
   * The candidates in {@code buffer} from {@code HALO} to {@code to}.
   *
   * @param offset where in the source the byte at {@code HALO} lies
   */
  int[] candidates(byte[] buffer, long offset, int to) {
    // The source's first window ends one window in. No cut is missed, for no chunk is shorter.
    long missing = Math.max(0, finder.window() - 1 - offset);
    return finder.find(buffer, (int) Math.min(to, HALO + missing), to);
  }

  static InputStream open(ByteSource source, long offset) throws IOException {
    try {
      return source.open(offset);
    } catch (EOFException e) {
      throw shorter(offset, source.length(), e);
    }
  }

  /** Fills {@code buffer} from {@code from} to {@code to} with the bytes at {@code offset}. */
  static void readFully(InputStream in, byte[] buffer, int from, int to, long offset, long length)
      throws IOException {
    int read;
    try {
      read = in.readNBytes(buffer, from, to - from);
    } catch (EOFException e) {
      throw shorter(offset, length, e);
    }
    if (read < to - from) {
      throw shorter(offset + read, length, null);
    }
  }

  static void requireEnd(InputStream in, long length) throws IOException {
    if (in.read() >= 0) {
      throw new SourceChangedException("The source goes on after its length of " + length);
    }
  }

  private static SourceChangedException shorter(long end, long length, EOFException cause) {
    return new SourceChangedException(
        "The source ends near " + end + ", before its length of " + length, cause);
  }
}
