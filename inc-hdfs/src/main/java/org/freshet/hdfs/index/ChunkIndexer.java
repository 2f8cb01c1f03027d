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
package org.freshet.hdfs.index;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.format.RecordFormat;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.RecordAlignment;

/**
 * Gives the chunks of input files: from the index where the file is still the version that was
 * indexed; else from the file's own index in the {@link FileIndexStore}, which a writer may have
 * left; else by reading the file. What was not in the index then goes into it. Safe for use by
 * several threads.
 *
 * <p>The index lies under {@code <store root>/chunks}, one file for each input directory. It is a
 * cache: it may be deleted, damaged or read-only, and only reading time is lost.
 */
public final class ChunkIndexer {
  /**
   * The least minimum that chunks may have, in bytes. It keeps cuts away from the very start of a
   * file: a text reader given a split that ends at its first byte would read the first line twice,
   * so no cut may be at offset 1.
   */
  public static final int SMALLEST_MINIMUM = 64;

  private static final AtomicInteger THREADS = new AtomicInteger();

  private final Configuration conf;
  private final Chunker chunker;
  private final Path storeRoot;
  private final FileIndexStore fileStore;
  private final int threads;
  private final InstantSource clock;
  private final AtomicReference<Stats> total = new AtomicReference<>(Stats.NONE);

  /**
   * @param conf finds the file systems of input and store
   * @param storeRoot a directory, which need not exist
   * @param config rule and sizes of the chunks in mode {@link ChunkMode#LINES}, which are whole
   *     lines whatever its alignment; the minimum is at least {@value #SMALLEST_MINIMUM} bytes
   * @param threads how many files, or pieces of a large file, are read at a time; at least 1
   * @throws org.freshet.hdfs.ConfigKey.InvalidValueException if {@code conf} names an impossible
   *     place for the indexes of single files
   */
  public ChunkIndexer(Configuration conf, Path storeRoot, ChunkerConfig config, int threads) {
    this(conf, storeRoot, config, threads, InstantSource.system());
  }

  ChunkIndexer(
      Configuration conf, Path storeRoot, ChunkerConfig config, int threads, InstantSource clock) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, not " + threads);
    }
    if (config.minSize() < SMALLEST_MINIMUM) {
      throw new IllegalArgumentException(
          "minSize must be at least " + SMALLEST_MINIMUM + " bytes, not " + config.minSize());
    }
    this.conf = conf;
    this.chunker = new Chunker(config.with(RecordAlignment.lines()));
    this.storeRoot = storeRoot;
    this.fileStore = FileIndexStore.of(conf, clock);
    this.threads = threads;
    this.clock = clock;
  }

  /**
   * What a call, or all calls, had to read.
   *
   * @param filesRead files that were not in the index
   * @param bytesRead all bytes read, each as often as it was read
   * @param filesReused files whose chunks an index had
   * @param bytesReused length of those files
   */
  public record Stats(long filesRead, long bytesRead, long filesReused, long bytesReused) {
    /** Nothing read and nothing reused. */
    public static final Stats NONE = new Stats(0, 0, 0, 0);

    Stats plus(Stats that) {
      return new Stats(
          filesRead + that.filesRead,
          bytesRead + that.bytesRead,
          filesReused + that.filesReused,
          bytesReused + that.bytesReused);
    }
  }

  /**
   * The chunks of {@code files}.
   *
   * <p>They are those of the version that a file has when it is looked at, which may be newer than
   * its status; {@link FileChunks#length()} says how long that version is.
   *
   * @param files statuses of files, not of directories, of any file systems
   * @param progress is told during the call what this call has read so far; by one thread at a
   *     time, which is not always the caller's
   * @return by fully qualified path, in the order of {@code files}
   * @throws org.freshet.shredder.SourceChangedException if a file changes whenever it is read;
   *     names it
   * @throws java.io.FileNotFoundException if a file is gone
   * @throws java.io.InterruptedIOException if the calling thread is interrupted; it stays so
   * @throws IOException if a file cannot be read
   */
  public Map<Path, FileChunks> index(
      List<FileStatus> files, ChunkMode mode, Consumer<Stats> progress) throws IOException {
    FileReading.Cutting cutting =
        switch (mode) {
          case LINES -> FileReading.Cutting.by(chunker);
          case WHOLE -> (source, executor, parallelism) -> Optional.empty();
          case RECORDS ->
              throw new IllegalArgumentException("Which records is for a format to say");
        };
    return index(files, mode, cutting, chunker.config().fingerprint(), progress);
  }

  /**
   * The chunks of {@code files}, which are cut as a format says. A file that is not what the format
   * expects, or nothing but a header, is one chunk, as in mode {@link ChunkMode#WHOLE}.
   *
   * @param progress as of {@link #index(List, ChunkMode, Consumer)}, as are result and errors
   */
  public Map<Path, FileChunks> index(
      List<FileStatus> files, RecordFormat format, Consumer<Stats> progress) throws IOException {
    return index(
        files,
        ChunkMode.RECORDS,
        (source, executor, parallelism) ->
            format.chunks(source, chunker.config(), executor, parallelism),
        format.fingerprint(chunker.config()),
        progress);
  }

  private Map<Path, FileChunks> index(
      List<FileStatus> files,
      ChunkMode mode,
      FileReading.Cutting cutting,
      String fingerprint,
      Consumer<Stats> progress)
      throws IOException {
    ReadingProgress reading = new ReadingProgress(progress);
    ExecutorService executor = Executors.newFixedThreadPool(threads, ChunkIndexer::thread);
    try {
      FileReading fileReading = new FileReading(cutting, mode, executor, clock, reading);
      ChunkIndexStore index = new ChunkIndexStore(conf, storeRoot, fingerprint);
      KnownFiles known = new KnownFiles(fileStore, fingerprint, clock);
      return new Indexing(conf, index, known, mode, executor, threads, fileReading, reading)
          .run(files);
    } finally {
      executor.shutdownNow();
      total.accumulateAndGet(reading.stats(), Stats::plus);
    }
  }

  /** What all calls that have ended had to read. */
  public Stats stats() {
    return total.get();
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "freshet-chunking-" + THREADS.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }
}
