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
package org.freshet.cli.chunk;

import java.util.ArrayList;
import java.util.List;
import org.freshet.cli.chunk.ChunkStatistics.LengthClass;

/**
 * Collects what {@link ChunkStatistics} says of the chunks of each file and of all files. Keeps no
 * chunk: some bytes for each length that occurs and, where chunks have digests, 32 to 64 for each
 * content. For one thread.
 */
public final class ChunkCounter {
  /** Null if chunks have no digests. */
  private final DigestTable digests;

  private final Tally all = new Tally();
  private Tally file = new Tally();

  /** Of the chunks of this file, those whose content an earlier file has. */
  private long chunksOfEarlier;

  private long bytesOfEarlier;

  /**
   * @param digested whether chunks have digests
   */
  public ChunkCounter(boolean digested) {
    this.digests = digested ? new DigestTable() : null;
  }

  /**
   * Counts a chunk of the file that has not ended.
   *
   * @param digest not heeded if chunks have no digests
   */
  public void add(long length, byte[] digest) {
    file.lengths.add(length, 1);
    if (digests == null) {
      return;
    }
    switch (digests.add(digest)) {
      case NEVER -> {}
      case IN_THIS_FILE -> {
        file.duplicateChunks++;
        file.duplicateBytes += length;
      }
      case IN_EARLIER_FILE -> {
        chunksOfEarlier++;
        bytesOfEarlier += length;
      }
    }
  }

  /** What was counted of this file, which ends and counts among all. The next one begins. */
  public ChunkStatistics endFile() {
    all.lengths.addAll(file.lengths);
    all.duplicateChunks += file.duplicateChunks + chunksOfEarlier;
    all.duplicateBytes += file.duplicateBytes + bytesOfEarlier;
    ChunkStatistics statistics = statistics(file);
    beginFile();
    return statistics;
  }

  /** This file does not count. The next one begins. */
  public void dropFile() {
    if (digests != null) {
      digests.forgetFile();
    }
    beginFile();
  }

  private void beginFile() {
    file = new Tally();
    chunksOfEarlier = 0;
    bytesOfEarlier = 0;
    if (digests != null) {
      digests.nextFile();
    }
  }

  /** What was counted of all files that have ended. */
  public ChunkStatistics total() {
    return statistics(all);
  }

  private static final class Tally {
    private final LengthCounts lengths = new LengthCounts();
    private long duplicateChunks;
    private long duplicateBytes;
  }

  private ChunkStatistics statistics(Tally of) {
    long[] sorted = of.lengths.sorted();
    long[] upTo = new long[sorted.length];
    long chunks = 0;
    for (int i = 0; i < sorted.length; i++) {
      chunks += of.lengths.count(sorted[i]);
      upTo[i] = chunks;
    }
    long bytes = of.lengths.sum((length, count) -> length * count);
    double mean = chunks == 0 ? 0 : (double) bytes / chunks;
    double squares = 0;
    for (long length : sorted) {
      squares += of.lengths.count(length) * (length - mean) * (length - mean);
    }
    return new ChunkStatistics(
        bytes,
        chunks,
        quantile(sorted, upTo, 0),
        mean,
        quantile(sorted, upTo, 1),
        chunks == 0 ? 0 : Math.sqrt(squares / chunks),
        quantile(sorted, upTo, 0.01),
        quantile(sorted, upTo, 0.5),
        quantile(sorted, upTo, 0.99),
        distribution(sorted, upTo),
        digests == null ? null : of.duplicateChunks,
        digests == null ? null : of.duplicateBytes);
  }

  /**
   * The least length that this share of the chunks does not exceed.
   *
   * @param upTo how many chunks have each length or a shorter one
   */
  private static long quantile(long[] sorted, long[] upTo, double share) {
    if (sorted.length == 0) {
      return 0;
    }
    long wanted = Math.max(1, (long) Math.ceil(share * upTo[upTo.length - 1]));
    int at = 0;
    while (upTo[at] < wanted) {
      at++;
    }
    return sorted[at];
  }

  private static List<LengthClass> distribution(long[] sorted, long[] upTo) {
    List<LengthClass> classes = new ArrayList<>();
    int next = 0;
    long before = 0;
    while (next < sorted.length) {
      long from =
          classes.isEmpty()
              ? Long.highestOneBit(sorted[next])
              : classes.get(classes.size() - 1).below();
      while (next < sorted.length && sorted[next] >> 1 < from) {
        next++;
      }
      long to = next == 0 ? 0 : upTo[next - 1];
      classes.add(new LengthClass(from, 2 * from, to - before));
      before = to;
    }
    return classes;
  }
}
