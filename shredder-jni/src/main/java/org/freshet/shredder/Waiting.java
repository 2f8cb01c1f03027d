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
package org.freshet.shredder;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for what other threads do, with errors as a reader of a source expects them. */
final class Waiting {
  private Waiting() {}

  /** What can be waited for. */
  interface Interruptible {
    void await() throws InterruptedException;
  }

  static void forInterruptibly(Interruptible event) throws InterruptedIOException {
    try {
      event.await();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /**
   * The future's result.
   *
   * @throws IOException that with which it ended; {@link InterruptedIOException} if the calling
   *     thread is interrupted, even where the result is there already; it stays so
   */
  static <T> T forResult(CompletableFuture<T> future) throws IOException {
    try {
      if (Thread.interrupted()) {
        throw new InterruptedException("Interrupted between two segments");
      }
      return future.get();
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UncheckedIOException io) {
        throw io.getCause();
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("Chunking failed on the executor", e.getCause());
    }
  }

  /**
   * Until the future has ended, whatever with.
   *
   * @throws InterruptedIOException as {@link #forResult}
   */
  static void forEnd(CompletableFuture<Void> future) throws IOException {
    forResult(future.exceptionally(failure -> null));
  }

  private static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException interrupted = new InterruptedIOException("Interrupted in chunking");
    interrupted.initCause(cause);
    return interrupted;
  }
}
