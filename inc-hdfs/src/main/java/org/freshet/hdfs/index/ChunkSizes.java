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
package org.freshet.hdfs.index;

import org.apache.hadoop.conf.Configuration;
import org.freshet.hdfs.ConfigKey;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.shredder.ChunkerConfig;

/**
 * The sizes of chunks that a configuration asks for. Whoever writes an index and whoever looks for
 * it take them from here, so that they agree.
 */
public final class ChunkSizes {
  private static final long SMALLEST_AVERAGE = 256;
  private static final long LARGEST_AVERAGE = 256L << 20;
  private static final int LARGEST_MAXIMUM = 1 << 30;

  private ChunkSizes() {}

  /**
   * Rule and sizes, without an alignment.
   *
   * @throws ConfigKey.InvalidValueException if a size is out of its range
   */
  public static ChunkerConfig of(Configuration conf) {
    int average = (int) HdfsKeys.CHUNK_AVERAGE.getBytes(conf, SMALLEST_AVERAGE, LARGEST_AVERAGE);
    ChunkerConfig defaults = ChunkerConfig.withAverage(average);
    int min =
        size(
            conf,
            HdfsKeys.CHUNK_MIN,
            ChunkIndexer.SMALLEST_MINIMUM,
            average - 1,
            defaults.minSize());
    int max =
        size(conf, HdfsKeys.CHUNK_MAX, average + 1, LARGEST_MAXIMUM, (int) defaults.maxSize());
    return ChunkerConfig.of(min, average, max);
  }

  /** A size in a range, or the default where it is 0. */
  private static int size(Configuration conf, ConfigKey key, int min, int max, int defaultSize) {
    boolean given = key.getBytes(conf, 0, Long.MAX_VALUE) != 0;
    return given ? (int) key.getBytes(conf, min, max) : defaultSize;
  }
}
