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

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads on which this JVM searches and digests what it writes: one for each processor. */
final class ChunkingThreads {
  static final Executor EXECUTOR = executor();

  private ChunkingThreads() {}

  private static Executor executor() {
    int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
    AtomicInteger count = new AtomicInteger();
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "freshet-write-" + count.incrementAndGet());
              thread.setDaemon(true);
              // It must not keep the class loader of whoever wrote first.
              thread.setContextClassLoader(ChunkingThreads.class.getClassLoader());
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }
}
