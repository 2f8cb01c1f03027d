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

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.format.RecordFormat;
import org.freshet.hdfs.format.RecordFormats;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.RecordAlignment;

/**
 * Reads files and leaves an index of each in the {@link FileIndexStore}, cut into lines as the
 * planner of jobs cuts them; checks such indexes against their files. Files that have their index
 * are not read. For use by one thread.
 */
public final class FileIndexer implements Closeable {
  private final FileIndexStore store;
  private final Configuration conf;
  private final Chunker chunker;
  private final int threads;
  private final InstantSource clock;

  /** By the fingerprint under which the chunks are kept. */
  private final Map<String, FileReading> readings = new HashMap<>();

  private final ExecutorService executor;

  /**
   * @param conf names the sizes of chunks and the place of the indexes
   * @param threads how many files, or pieces of a large file, are read at a time; at least 1
   * @param bytesRead is told the sum of bytes read so far now and then, by one thread at a time
   */
  public FileIndexer(Configuration conf, int threads, LongConsumer bytesRead) {
    this(conf, threads, bytesRead, InstantSource.system());
  }

  FileIndexer(Configuration conf, int threads, LongConsumer bytesRead, InstantSource clock) {
    this.conf = conf;
    this.store = FileIndexStore.of(conf, clock);
    this.chunker = new Chunker(ChunkSizes.of(conf).with(RecordAlignment.lines()));
    this.threads = threads;
    this.clock = clock;
    this.executor = Executors.newFixedThreadPool(threads, FileIndexer::thread);
    ReadingProgress progress = new ReadingProgress(stats -> bytesRead.accept(stats.bytesRead()));
    readings.put(
        fingerprint(),
        new FileReading(
            FileReading.Cutting.by(chunker), ChunkMode.LINES, executor, clock, progress));
    for (RecordFormat format : RecordFormats.recognizable()) {
      readings.put(
          format.fingerprint(chunker.config()),
          new FileReading(
              (source, helpers, parallelism) ->
                  format.chunks(source, chunker.config(), helpers, parallelism),
              ChunkMode.RECORDS,
              executor,
              clock,
              progress));
    }
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "freshet-indexing");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * What became of one file.
   *
   * @param status that it had when it was listed
   * @param known whether it had its index already
   * @param chunks how many it has; 0 if that is not known
   * @param reason why there is no index now
   * @param error why it could not be read
   */
  public record Outcome(
      FileStatus status,
      boolean known,
      long chunks,
      Optional<NoIndex> reason,
      Optional<IOException> error) {}

  /**
   * How an index compares with its file.
   *
   * @param place of the index; null if nobody knows
   * @param chunks of the index that were compared
   * @param differences for people; none if the content is what the index says
   * @param reason why there is no index to compare
   * @param error why the file could not be read
   */
  public record Check(
      FileStatus status,
      Path place,
      long chunks,
      List<String> differences,
      Optional<NoIndex> reason,
      Optional<IOException> error) {}

  /** Names the chunker that cuts text. */
  public String fingerprint() {
    return chunker.config().fingerprint();
  }

  /** Names what cuts a file: its first bytes tell its format. */
  private String fingerprint(FileSystem fs, Path file) throws IOException {
    byte[] head;
    try (InputStream in = fs.open(file)) {
      head = in.readNBytes(RecordFormats.HEAD_BYTES);
    }
    return RecordFormats.recognize(head)
        .map(format -> format.fingerprint(chunker.config()))
        .orElse(fingerprint());
  }

  /**
   * Leaves an index of each file that has none of its present version.
   *
   * @param outcomes is told of each file, in no particular order, on the calling thread
   * @throws InterruptedIOException if the calling thread is interrupted; it stays so
   */
  public void index(List<FileStatus> files, Consumer<Outcome> outcomes) throws IOException {
    forEach(files, this::index, (status, e) -> failed(status, e), outcomes);
  }

  private static Outcome failed(FileStatus status, IOException e) {
    return new Outcome(status, false, 0, Optional.empty(), Optional.of(e));
  }

  private Outcome index(FileStatus status, int parallelism) throws IOException {
    FileSystem fs = status.getPath().getFileSystem(conf);
    if (status.getLen() == 0) {
      return new Outcome(status, false, 0, Optional.of(NoIndex.EMPTY), Optional.empty());
    }
    Optional<FileIndex> known = store.lookUp(fs, status, Optional.empty()).index();
    if (known.isPresent()) {
      try (FileIndex index = known.get()) {
        if (readings.containsKey(index.fingerprint())) {
          return new Outcome(status, true, index.count(), Optional.empty(), Optional.empty());
        }
      }
    }
    // Content that is read at once could change under the same version.
    FileVersion.awaitSettled(fs, status.getPath(), clock);
    String fingerprint = fingerprint(fs, status.getPath());
    FileChunks read = readings.get(fingerprint).read(fs, status.getPath(), parallelism).chunks();
    FileIndexContent content =
        new FileIndexContent(fingerprint, read.startsWithBom(), read.chunks());
    Optional<NoIndex> reason = store.tryPut(fs, status, read.version(), content);
    return new Outcome(status, false, read.chunks().size(), reason, Optional.empty());
  }

  /**
   * Compares the index of each file, made with whatever chunker, with what is in the file. Errors
   * and calls as with {@link #index(List, Consumer)}.
   */
  public void check(List<FileStatus> files, Consumer<Check> outcomes) throws IOException {
    forEach(files, this::check, FileIndexer::unreadable, outcomes);
  }

  private static Check unreadable(FileStatus status, IOException e) {
    return new Check(status, null, 0, List.of(), Optional.empty(), Optional.of(e));
  }

  private Check check(FileStatus status, int parallelism) throws IOException {
    FileSystem fs = status.getPath().getFileSystem(conf);
    FileIndexStore.Lookup lookup = store.lookUp(fs, status, Optional.empty());
    if (lookup.index().isEmpty()) {
      return new Check(status, lookup.place(), 0, List.of(), lookup.reason(), Optional.empty());
    }
    try (FileIndex index = lookup.index().get()) {
      FileReading same = readings.get(index.fingerprint());
      if (same == null && isOfContainer(index)) {
        // Its digests are not those of the file's own bytes.
        return new Check(
            status,
            lookup.place(),
            0,
            List.of(),
            Optional.of(NoIndex.OTHER_CHUNKER),
            Optional.empty());
      }
      List<Chunk> indexed = index.all();
      // With another chunker's cuts the digests can be compared, but not the cuts.
      List<Chunk> present =
          same != null
              ? same.read(fs, status.getPath(), parallelism).chunks().chunks()
              : readings.get(fingerprint()).digest(fs, status.getPath(), indexed);
      if (!FileVersion.observe(fs, status.getPath()).equals(index.version())) {
        // The file changed while it was read.
        return new Check(
            status,
            lookup.place(),
            0,
            List.of(),
            Optional.of(NoIndex.OTHER_VERSION),
            Optional.empty());
      }
      return new Check(
          status,
          lookup.place(),
          indexed.size(),
          ChunkDifferences.describe(indexed, present),
          Optional.empty(),
          Optional.empty());
    }
  }

  private static boolean isOfContainer(FileIndex index) {
    return RecordFormats.recognizable().stream()
        .anyMatch(format -> index.fingerprint().endsWith(format.name()));
  }

  /**
   * The chunks of a file: from its index, if that was made with this chunker, else by reading it.
   *
   * @throws IOException if the file cannot be read
   */
  public FileChunks chunks(FileStatus status) throws IOException {
    FileSystem fs = status.getPath().getFileSystem(conf);
    Path file = fs.makeQualified(status.getPath());
    String fingerprint = fingerprint(fs, file);
    ChunkMode mode = fingerprint.equals(fingerprint()) ? ChunkMode.LINES : ChunkMode.RECORDS;
    FileReading.Result known =
        new KnownFiles(store, fingerprint, clock).find(fs, status, file, mode);
    return known != null
        ? known.chunks()
        : readings.get(fingerprint).read(fs, file, threads).chunks();
  }

  private interface Work<T> {
    T on(FileStatus status, int parallelism) throws IOException;
  }

  private interface Failure<T> {
    T of(FileStatus status, IOException e);
  }

  /** Small files by a thread each; large ones one after the other by all threads. */
  private <T> void forEach(
      List<FileStatus> files, Work<T> work, Failure<T> failure, Consumer<T> outcomes)
      throws IOException {
    Map<FileStatus, Future<T>> small = new LinkedHashMap<>();
    List<FileStatus> large = new ArrayList<>();
    for (FileStatus status : files) {
      if (status.getLen() > Chunker.PARALLEL_ABOVE) {
        large.add(status);
      } else {
        small.put(status, executor.submit(() -> work.on(status, 1)));
      }
    }
    try {
      for (FileStatus status : large) {
        T outcome;
        try {
          outcome = work.on(status, threads);
        } catch (SocketTimeoutException e) {
          // Nobody interrupted this thread, whatever its superclass says.
          outcome = failure.of(status, e);
        } catch (InterruptedIOException e) {
          throw e;
        } catch (IOException e) {
          outcome = failure.of(status, e);
        }
        outcomes.accept(outcome);
      }
      for (Map.Entry<FileStatus, Future<T>> entry : small.entrySet()) {
        outcomes.accept(await(entry.getKey(), entry.getValue(), failure));
      }
    } finally {
      small.values().forEach(unlessDone -> unlessDone.cancel(true));
    }
  }

  private static <T> T await(FileStatus status, Future<T> future, Failure<T> failure)
      throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        return failure.of(status, io);
      }
      throw new IllegalStateException("Indexing " + status.getPath() + " failed", e.getCause());
    }
  }

  private static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException interrupted = new InterruptedIOException("Interrupted in indexing");
    interrupted.initCause(cause);
    return interrupted;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
