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
package org.freshet.memo;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.freshet.slider.Digest;

/**
 * Small hot things of the store in memory: blocks of partition files and runs of up to {@link
 * RunInput#SMALL_RUN_BYTES}. Meant to be made once per process and shared by all readers;
 * thread-safe.
 *
 * <p>Keys are digests of content, never paths, so an entry cannot outlive or contradict what it
 * stands for: a run is verified against its SHA-256 before insertion, and the entries of a block
 * carry checksums that each look-up tests again. Losing an entry costs a read.
 */
public final class MemoryTier {
  /** What an entry costs beside its bytes: key, node and array header, roughly. */
  private static final int ENTRY_OVERHEAD_BYTES = 160;

  private sealed interface Key {}

  private record RunKey(Digest content) implements Key {}

  private record BlockKey(Digest file, long block) implements Key {}

  private final long maxBytes;
  private final Cache<Key, byte[]> cache;

  /**
   * @param maxBytes bound on the memory held, in bytes; 0 keeps nothing
   * @throws IllegalArgumentException if negative
   */
  public MemoryTier(long maxBytes) {
    if (maxBytes < 0) {
      throw new IllegalArgumentException("maxBytes is " + maxBytes + ", expected 0 or more");
    }
    this.maxBytes = maxBytes;
    // Upkeep on the caller's thread: a task's JVM should not gain threads from being looked into.
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(maxBytes)
            .weigher((Key key, byte[] bytes) -> bytes.length + ENTRY_OVERHEAD_BYTES)
            .executor(Runnable::run)
            .build();
  }

  /** The bound given to the constructor, in bytes. */
  public long maxBytes() {
    return maxBytes;
  }

  /** Memory held now, in bytes; at most {@link #maxBytes()}. */
  public long bytes() {
    cache.cleanUp();
    return cache.policy().eviction().orElseThrow().weightedSize().orElseThrow();
  }

  /** Forgets everything. */
  public void clear() {
    cache.invalidateAll();
  }

  /** The run's bytes, not to be changed, or null. */
  byte[] run(RunRef ref) {
    byte[] run = cache.getIfPresent(new RunKey(ref.content()));
    return run != null && run.length == ref.storedLength() ? run : null;
  }

  /**
   * Keeps a run that was just verified against its digest; the array must not change afterwards.
   */
  void putRun(RunRef ref, byte[] run) {
    cache.put(new RunKey(ref.content()), run);
  }

  /** A block of the partition file with this identity, not to be changed, or null. */
  byte[] block(Digest file, long block) {
    return cache.getIfPresent(new BlockKey(file, block));
  }

  /** Keeps a block of a partition file; the array must not change afterwards. */
  void putBlock(Digest file, long block, byte[] bytes) {
    cache.put(new BlockKey(file, block), bytes);
  }
}
