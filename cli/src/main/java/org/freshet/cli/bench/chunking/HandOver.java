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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long a value takes from one core to another. Cores that share a cache are several times as
 * close as others, and what threads hand over to each other takes accordingly. Where virtual
 * machines are moved between cores, that changes while they run.
 */
final class HandOver {
  private static final int ATTEMPTS = 4;
  private static final int ROUNDS = 500;
  private static final int SPINS = 10_000;

  private HandOver() {}

  /**
   * The shortest of some attempts, which no other thread has disturbed.
   *
   * @param executor has a thread that is not busy
   * @return nanoseconds for a value to go there and an answer to come back
   */
  static long nanosThereAndBack(Executor executor) {
    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < ATTEMPTS; i++) {
      AtomicInteger ball = new AtomicInteger();
      CompletableFuture<Void> other = CompletableFuture.runAsync(() -> answer(ball), executor);
      await(ball, 1);
      long start = System.nanoTime();
      for (int round = 1; round <= ROUNDS; round++) {
        ball.set(2 * round);
        await(ball, 2 * round + 1);
      }
      shortest = Math.min(shortest, System.nanoTime() - start);
      other.join();
    }
    return shortest / ROUNDS;
  }

  private static void answer(AtomicInteger ball) {
    ball.set(1);
    for (int round = 1; round <= ROUNDS; round++) {
      await(ball, 2 * round);
      ball.set(2 * round + 1);
    }
  }

  private static void await(AtomicInteger ball, int value) {
    for (int spins = 1; ball.get() != value; spins++) {
      Thread.onSpinWait();
      if (spins % SPINS == 0) {
        // Both may be on one core.
        Thread.yield();
      }
    }
  }
}
