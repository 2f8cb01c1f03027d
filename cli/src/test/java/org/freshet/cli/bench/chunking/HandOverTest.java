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
package org.freshet.cli.bench.chunking;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HandOverTest {
  private static final long A_NANOSECOND = 1;
  private static final long A_SLICE = TimeUnit.MILLISECONDS.toNanos(1);

  /** On a machine with more to do than it has cores, the two seldom run at once. */
  private static final int ATTEMPTS = 20;

  @Test
  @Timeout(60)
  void measuresWhatIsLongerThanACycleAndShorterThanAThreadsSlice() {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      long shortest = HandOver.nanosThereAndBack(executor);
      for (int i = 1; i < ATTEMPTS && shortest > A_SLICE; i++) {
        shortest = Math.min(shortest, HandOver.nanosThereAndBack(executor));
      }
      assertThat(shortest).isBetween(A_NANOSECOND, A_SLICE);
    } finally {
      executor.shutdownNow();
    }
  }
}
