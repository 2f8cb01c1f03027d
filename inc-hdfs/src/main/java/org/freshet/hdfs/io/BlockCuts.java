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

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.hadoop.conf.Configuration;
import org.freshet.shredder.ChunkerConfig;

/**
 * Which chunk cuts end a block of one file. Told of every chunk cut in order; for one thread.
 *
 * <p>A block ends at a chunk cut where it has three quarters of the block size and the 64 bytes
 * before the cut pass a test; and else at the first chunk cut at which it lacks less than one and a
 * quarter average chunks. HDFS ends it at the block size if neither has come. In a file with half
 * as many blocks as HDFS lets one have, HDFS ends all further ones: it would not take as long a
 * file as it does of full blocks.
 */
final class BlockCuts {
  /*
   * Why so. HDFS reserves, shows and divides by a file's block size, so that must stay what the
   * caller asked for, and no block may be larger. Then blocks are shorter than the block size in the
   * mean, and there are more of them. How many more is decided by the numbers below: one block in four
   * ends by the test, two in three at a cut behind that, the rest where HDFS ends them. With 16 average
   * chunks in a block that makes 8 % more blocks than stock has, with 32 not quite 6 %.
   *
   * Both kinds of cuts are found again after an edit. One by the test, because it depends on 64 bytes
   * alone; the others as long as the edits before them, since the last cut by the test, move the
   * content by less than about a chunk.
   */

  /** Bytes before a cut that are tested. */
  static final int WINDOW = 64;

  /** Blocks of fewer average chunks than this would be too many: they end where HDFS ends them. */
  static final int LEAST_CHUNKS = 16;

  /** How many blocks end by the test, in the mean. */
  private static final double BY_TEST = 0.25;

  /** Average chunks before the block size, from where on any chunk cut is taken. */
  private static final double FORCED_CHUNKS = 1.25;

  /** How many blocks a file may have, as far as clients are told. */
  private static final String MOST_BLOCKS = "dfs.namenode.fs-limits.max-blocks-per-file";

  private static final long MOST_BLOCKS_DEFAULT = 10_000;

  private static final double TWO_TO_63 = 0x1p63;

  private final long blockSize;
  private final long testedFrom;
  private final long forcedFrom;

  /** The test is passed by hashes, less their lowest bit, below this. */
  private final long threshold;

  /** Where no block may end before; see {@link #forAppend}. */
  private final long notBefore;

  private long blockStart;

  /** Blocks that have been ended, at least. */
  private long blocks;

  /** With so many blocks, no more is ended. */
  private long most = Long.MAX_VALUE;

  /** Bytes before a cut that don't count, because they say nothing of the content. */
  private int notTested;

  private BlockCuts(long blockSize, double averageChunk, long blockStart, long notBefore) {
    this.blockSize = blockSize;
    this.testedFrom = blockSize / 4 * 3;
    this.forcedFrom = blockSize - (long) (FORCED_CHUNKS * averageChunk);
    double cutsTested = (forcedFrom - testedFrom) / averageChunk;
    this.threshold = (long) ((1 - Math.pow(1 - BY_TEST, 1 / cutsTested)) * TWO_TO_63);
    this.blockStart = blockStart;
    this.notBefore = notBefore;
    this.blocks = blockStart / blockSize;
  }

  /** Whether there are chunks enough in a block. */
  static boolean suit(ChunkerConfig chunker, long blockSize) {
    return blockSize / LEAST_CHUNKS >= Math.round(average(chunker));
  }

  /** Those of a new file; the block size must {@link #suit}. */
  static BlockCuts forNewFile(ChunkerConfig chunker, long blockSize) {
    return new BlockCuts(blockSize, average(chunker), 0, 0);
  }

  /**
   * Those of a file that is appended to.
   *
   * @param blockStart where the block begins that the next byte goes to
   * @param notBefore where in the file no block may end before
   */
  static BlockCuts forAppend(
      ChunkerConfig chunker, long blockSize, long blockStart, long notBefore) {
    return new BlockCuts(blockSize, average(chunker), blockStart, notBefore);
  }

  private static double average(ChunkerConfig chunker) {
    return chunker.minSize() + chunker.rule().meanGap();
  }

  /** How many blocks HDFS lets a file have. */
  static long mostBlocks(Configuration conf) {
    return conf.getLong(MOST_BLOCKS, MOST_BLOCKS_DEFAULT);
  }

  /**
   * Leaves room for a file that HDFS takes as it is; returns this.
   *
   * @param mostBlocks that HDFS lets a file have
   */
  BlockCuts upTo(long mostBlocks) {
    most = mostBlocks / 2;
    return this;
  }

  /** Before each cut lie so many random bytes, a multiple of eight; the test leaves them out. */
  void leaveOut(int randomBytes) {
    notTested = randomBytes;
  }

  /**
   * Whether the block ends at a chunk cut.
   *
   * @param cut offset in the file
   * @param bytes the {@value #WINDOW} bytes before index {@code to} are those before the cut
   */
  boolean endBlock(long cut, byte[] bytes, int to) {
    if (cut - blockStart >= blockSize) {
      long full = (cut - blockStart) / blockSize;
      blocks += full;
      blockStart += full * blockSize;
    }
    long filled = cut - blockStart;
    boolean ends =
        blocks < most
            && cut >= notBefore
            && (filled >= forcedFrom || filled >= testedFrom && passes(bytes, to - WINDOW));
    if (ends) {
      blockEnded(cut);
    }
    return ends;
  }

  /** The block has been ended at {@code offset} for another reason. */
  void blockEnded(long offset) {
    blocks++;
    blockStart = offset;
  }

  private boolean passes(byte[] bytes, int from) {
    ByteBuffer window =
        ByteBuffer.wrap(bytes, from, WINDOW - notTested).order(ByteOrder.LITTLE_ENDIAN);
    long hash = 0;
    while (window.hasRemaining()) {
      // The finalizer of SplitMix64 over each eight bytes and what came before.
      long z = hash * 0x9E3779B97F4A7C15L + window.getLong();
      z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
      z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
      hash = z ^ (z >>> 31);
    }
    return hash >>> 1 < threshold;
  }
}
