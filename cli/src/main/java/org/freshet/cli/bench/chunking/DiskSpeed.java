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

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunker;

/**
 * Cuts a file that is not in memory, so that the disk's time counts, and with it what is done while
 * the disk reads. The file is taken out of the page cache by {@code dd}, and {@code fincore} is
 * asked whether it is: programs of GNU coreutils and util-linux, which any user may run.
 */
final class DiskSpeed implements AutoCloseable {
  /** Says why there are no figures. */
  static final class UnavailableException extends Exception {
    private static final long serialVersionUID = 1;

    UnavailableException(String message) {
      super(message);
    }
  }

  private static final int PIECE = 1 << 20;
  private static final long SEED = 20_261_126;
  private static final int MOST_SECONDS = 60;

  private final Path file;
  private final long bytes;
  private final ExecutorService executor;

  /**
   * Writes the file.
   *
   * @param megabytes how long it is
   * @param threads the most that cut it
   */
  DiskSpeed(Path file, int megabytes, int threads) throws IOException {
    this.file = file;
    this.bytes = (long) megabytes * PIECE;
    SplittableRandom random = new SplittableRandom(SEED);
    byte[] piece = new byte[PIECE];
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < megabytes; i++) {
        random.nextBytes(piece);
        out.write(piece);
      }
    }
    this.executor = Executors.newFixedThreadPool(threads);
  }

  /** How long the file is, in bytes. */
  long bytes() {
    return bytes;
  }

  /**
   * Nanoseconds from the file on disk to cuts, or to digests.
   *
   * @throws UnavailableException if the file cannot be taken out of memory
   */
  long nanos(Chunker chunker, int threads, boolean digests)
      throws IOException, InterruptedException, UnavailableException {
    takeOutOfMemory();
    long start = System.nanoTime();
    if (digests) {
      chunker.chunk(ByteSource.of(file), executor, threads, chunk -> {});
    } else {
      chunker.boundaries(ByteSource.of(file), executor, threads, cut -> {});
    }
    return System.nanoTime() - start;
  }

  private void takeOutOfMemory() throws InterruptedException, UnavailableException {
    // What has been written and not yet synced stays, so that comes first.
    run("dd", "of=" + file, "oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none");
    String resident = run("fincore", "--bytes", "--noheadings", "--output", "RES", file.toString());
    if (Long.parseLong(resident) > bytes / 100) {
      throw new UnavailableException(file + " stays in memory");
    }
  }

  private static String run(String... command) throws InterruptedException, UnavailableException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String printed =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new UnavailableException(command[0] + " does not end");
      }
      if (process.exitValue() != 0) {
        throw new UnavailableException(command[0] + " failed: " + printed);
      }
      return printed;
    } catch (IOException e) {
      throw new UnavailableException(e.getMessage());
    }
  }

  /** Deletes the file. */
  @Override
  public void close() throws IOException {
    executor.shutdownNow();
    Files.deleteIfExists(file);
  }
}
