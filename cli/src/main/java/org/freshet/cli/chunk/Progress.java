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

import java.io.Closeable;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Says every few seconds how far the reading of one file is; nothing if it is read before the first
 * few are over. Bytes may be counted by several threads.
 */
public final class Progress implements Closeable {
  private static final long SECONDS = 3;

  private final String file;
  private final long length;
  private final LongAdder bytes = new LongAdder();
  private final long begin = System.nanoTime();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "progress");
            thread.setDaemon(true);
            return thread;
          });
  private final ScheduledFuture<?> ticks;

  /**
   * @param length in bytes, or -1 if nobody knows
   * @param out is told a line each time, on a thread of its own
   */
  public Progress(String file, long length, Consumer<String> out) {
    this.file = file;
    this.length = length;
    this.ticks =
        timer.scheduleAtFixedRate(
            () -> out.accept(line(seconds())), SECONDS, SECONDS, TimeUnit.SECONDS);
  }

  /** So many more bytes were read. */
  public void add(long count) {
    bytes.add(count);
  }

  /** Seconds since this was made. */
  public double seconds() {
    return (System.nanoTime() - begin) / 1e9;
  }

  String line(double seconds) {
    long read = bytes.sum();
    String rate = ByteSize.format(read / seconds) + "/s";
    return length > 0
        ? String.format(
            Locale.ROOT,
            "%s: %s of %s (%d %%), %s",
            file,
            ByteSize.format(read),
            ByteSize.format(length),
            100 * read / length,
            rate)
        : file + ": " + ByteSize.format(read) + ", " + rate;
  }

  @Override
  public void close() {
    ticks.cancel(false);
    timer.shutdownNow();
  }
}
