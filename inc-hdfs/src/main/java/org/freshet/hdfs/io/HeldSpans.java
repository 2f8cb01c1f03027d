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

import java.lang.ref.SoftReference;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * The spans that all {@link ChunkingPipe}s of this JVM hold, so that it may have any number of
 * files open.
 */
final class HeldSpans {
  private static final long MOST_BYTES = 64L << 20;
  private static final int SHARE_OF_HEAP = 16;

  /** How many may be held. */
  static final int MOST = most();

  private static final Semaphore LEFT = new Semaphore(MOST);

  /** No longer held; at most as many as may be. */
  private static final ConcurrentLinkedQueue<SoftReference<byte[]>> UNUSED =
      new ConcurrentLinkedQueue<>();

  private HeldSpans() {}

  private static int most() {
    long bytes = Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    return (int) (bytes / ChunkingPipe.SPAN_BYTES);
  }

  /** Whether one more may be held; {@link #letGo} must follow. */
  static boolean tryHold() {
    return LEFT.tryAcquire();
  }

  /**
   * One less is held.
   *
   * @param bytes to be used again; null if they are no whole span
   */
  static void letGo(byte[] bytes) {
    if (bytes != null && UNUSED.size() < MOST) {
      UNUSED.add(new SoftReference<>(bytes));
    }
    LEFT.release();
  }

  /** A span's bytes, to be used again; null if there are none. */
  static byte[] poll() {
    for (SoftReference<byte[]> next = UNUSED.poll(); next != null; next = UNUSED.poll()) {
      byte[] bytes = next.get();
      if (bytes != null) {
        return bytes;
      }
    }
    return null;
  }

  /** How many more may be held. */
  static int left() {
    return LEFT.availablePermits();
  }
}
