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
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Waits for what other threads do, with errors as a reader of a source expects them. An executor
 * that is shut down at once drops what it has not begun and tells nobody, so each wait looks now
 * and then whether there is still somebody to wait for.
 */
final class Waiting {
  private static final long LOOK_MILLIS = 100;

  private Waiting() {}

  /**
   * Has the executor run a task.
   *
   * @throws IllegalStateException if the executor has been shut down
   */
  static <T> CompletableFuture<T> submit(Supplier<T> task, Executor executor) {
    try {
      return CompletableFuture.supplyAsync(task, executor);
    } catch (RejectedExecutionException e) {
      throw isShutDown(executor) ? shutDown(e) : e;
    }
  }

  /**
   * Until there is a permit, which it takes.
   *
   * @param executor runs what releases permits
   * @throws InterruptedIOException if the calling thread is interrupted; it stays so
   * @throws IllegalStateException if the executor has been shut down and will release none
   */
  static void forPermit(Semaphore permits, Executor executor) throws InterruptedIOException {
    try {
      while (true) {
        boolean last = hasTerminated(executor);
        if (permits.tryAcquire(last ? 0 : LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          return;
        }
        if (last) {
          throw shutDown(null);
        }
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /**
   * The future's result.
   *
   * @param executor runs what the future stands for
   * @throws IOException that with which it ended; {@link InterruptedIOException} if the calling
   *     thread is interrupted, even where the result is there already; it stays so
   * @throws IllegalStateException if it failed in another way, or never ends because the executor
   *     has been shut down
   */
  static <T> T forResult(CompletableFuture<T> future, Executor executor) throws IOException {
    try {
      if (Thread.interrupted()) {
        throw new InterruptedException("Interrupted between two segments");
      }
      return get(future, executor);
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UncheckedIOException io && !isByShutDown(io, executor)) {
        throw io.getCause();
      }
      throw failure(e.getCause(), executor);
    }
  }

  /**
   * Until the future has ended, whatever with.
   *
   * @throws InterruptedIOException as {@link #forResult}
   * @throws IllegalStateException if it never ends because the executor has been shut down
   */
  static void forEnd(CompletableFuture<Void> future, Executor executor) throws IOException {
    forResult(future.exceptionally(failure -> null), executor);
  }

  /**
   * Until the future has ended, whatever with, or never will, even if the calling thread is
   * interrupted; it stays so.
   *
   * @return whether it has ended; otherwise the executor has been shut down, and none of its
   *     threads is left
   */
  static boolean uninterruptiblyForEnd(CompletableFuture<?> future, Executor executor) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          get(future.handle((result, failure) -> result), executor);
          return true;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          throw new AssertionError("Whatever it ends with is handled", e);
        } catch (IllegalStateException e) {
          return false;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Fails as a future has that has ended, if it has failed. */
  static void requireSuccess(CompletableFuture<Void> ended, Executor executor) {
    try {
      ended.join();
    } catch (CompletionException e) {
      throw failure(e.getCause(), executor);
    }
  }

  /** What is thrown where there is nobody to wait for. */
  static IllegalStateException shutDown(Throwable cause) {
    return new IllegalStateException(
        "The executor was shut down before all of the source was chunked", cause);
  }

  /**
   * @throws IllegalStateException if it never ends because the executor has been shut down
   */
  private static <T> T get(CompletableFuture<T> future, Executor executor)
      throws InterruptedException, ExecutionException {
    while (true) {
      // In this order: what its last thread has done before it ended is seen.
      boolean last = hasTerminated(executor);
      try {
        return future.get(last ? 0 : LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (last) {
          throw shutDown(null);
        }
      }
    }
  }

  private static boolean hasTerminated(Executor executor) {
    return executor instanceof ExecutorService service && service.isTerminated();
  }

  private static boolean isShutDown(Executor executor) {
    return executor instanceof ExecutorService service && service.isShutdown();
  }

  /** Whether a read has failed because the executor's threads were interrupted to end them. */
  private static boolean isByShutDown(UncheckedIOException failure, Executor executor) {
    return isShutDown(executor)
        && (failure.getCause() instanceof ClosedByInterruptException
            || failure.getCause() instanceof InterruptedIOException);
  }

  private static IllegalStateException failure(Throwable cause, Executor executor) {
    Throwable first = cause;
    while (first instanceof CompletionException && first.getCause() != null) {
      first = first.getCause();
    }
    if (first instanceof Error error) {
      throw error;
    }
    boolean byShutDown =
        first instanceof UncheckedIOException io
            ? isByShutDown(io, executor)
            : first instanceof RejectedExecutionException && isShutDown(executor);
    return byShutDown
        ? shutDown(first)
        : new IllegalStateException("Chunking failed on the executor", first);
  }

  private static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException interrupted = new InterruptedIOException("Interrupted in chunking");
    interrupted.initCause(cause);
    return interrupted;
  }
}
