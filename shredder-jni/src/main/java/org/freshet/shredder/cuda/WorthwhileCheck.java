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
package org.freshet.shredder.cuda;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.CandidateRule;
import org.freshet.shredder.Chunker;

/**
 * Whether devices are faster than the processor beside them, by a short measurement: a device has
 * to get every byte over the bus, which today is little faster than some cores search it.
 */
final class WorthwhileCheck {
  private static final CandidateRule RULE = CandidateRule.everyBytes(8192);
  private static final long SEED = 0;

  /** The first run compiles, locks pages and loads; the best of the rest counts. */
  private static final int RUNS = 4;

  private WorthwhileCheck() {}

  /**
   * Compares all devices with half of the processor's cores; the other half has to read, to digest
   * and to do what the chunks are for.
   *
   * @throws BackendUnavailableException with the figures, if the processor is faster
   */
  static void check(CudaBackend backend) throws BackendUnavailableException {
    PinnedPool.HostBuffer buffer = backend.takeBuffer();
    try {
      if (!buffer.bytes().isDirect()) {
        throw new BackendUnavailableException("no memory outside the heap for a buffer");
      }
      fill(buffer.bytes());
      double cores = Math.max(1, Runtime.getRuntime().availableProcessors() / 2.0);
      double processor = cores * rate(backend.finderOnProcessor(RULE), buffer.bytes());
      double devices =
          backend.search().devices().size() * rate(backend.finder(RULE), buffer.bytes());
      if (devices < processor) {
        throw new BackendUnavailableException(
            "would not pay: %.1f GB/s, and %.1f GB/s on half of the processor"
                .formatted(devices, processor));
      }
    } finally {
      backend.giveBuffer(buffer);
    }
  }

  private static void fill(ByteBuffer bytes) {
    SplittableRandom random = new SplittableRandom(SEED);
    byte[] content = new byte[bytes.capacity()];
    random.nextBytes(content);
    bytes.put(0, content);
  }

  /** In GB/s. */
  private static double rate(CandidateFinder finder, ByteBuffer bytes) {
    long best = Long.MAX_VALUE;
    for (int run = 0; run < RUNS; run++) {
      long start = System.nanoTime();
      finder.find(bytes, Chunker.HALO, bytes.capacity());
      best = Math.min(best, System.nanoTime() - start);
    }
    return (bytes.capacity() - Chunker.HALO) / (double) best;
  }
}
