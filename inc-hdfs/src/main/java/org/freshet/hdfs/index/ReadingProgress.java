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

import java.util.function.Consumer;
import org.freshet.hdfs.index.ChunkIndexer.Stats;

/** Counts what is read and what is not, and tells a listener. Safe for use by several threads. */
final class ReadingProgress {
  private static final long TELL_EVERY_BYTES = 16L << 20;

  private final Consumer<Stats> listener;
  private Stats stats = Stats.NONE;
  private long toldAtBytes;

  /**
   * @param listener called by one thread at a time, whenever a file is done or 16 MiB more are read
   */
  ReadingProgress(Consumer<Stats> listener) {
    this.listener = listener;
  }

  synchronized void bytesRead(long bytes) {
    stats = stats.plus(new Stats(0, bytes, 0, 0));
    if (stats.bytesRead() >= toldAtBytes + TELL_EVERY_BYTES) {
      tell();
    }
  }

  synchronized void fileRead() {
    stats = stats.plus(new Stats(1, 0, 0, 0));
    tell();
  }

  synchronized void fileReused(long bytes) {
    stats = stats.plus(new Stats(0, 0, 1, bytes));
    tell();
  }

  synchronized Stats stats() {
    return stats;
  }

  private void tell() {
    toldAtBytes = stats.bytesRead();
    listener.accept(stats);
  }
}
