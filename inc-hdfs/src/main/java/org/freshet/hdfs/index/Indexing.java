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
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.shredder.Chunker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One call of {@link ChunkIndexer#index}. */
final class Indexing {
  /*
   * Index files are loaded and file versions asked for on the executor, for both may be a round trip
   * each. What the index of its directory does not know of a file, an index of the file alone may: from
   * whoever wrote it, or looked at it before. These are looked for on the executor too. What neither
   * knows is then read: small files by one thread of the executor each; large ones one after the
   * other, by all of its threads, with this thread selecting the cuts (it may wait for the executor's
   * threads because it is not one of them).
   */
  private static final Logger LOG = LoggerFactory.getLogger(Indexing.class);

  private final Configuration conf;
  private final ChunkIndexStore store;
  private final KnownFiles files;
  private final ChunkMode mode;
  private final ExecutorService executor;
  private final int threads;
  private final FileReading reading;
  private final ReadingProgress progress;
  private final Map<Path, Directory> directories = new LinkedHashMap<>();

  Indexing(
      Configuration conf,
      ChunkIndexStore store,
      KnownFiles files,
      ChunkMode mode,
      ExecutorService executor,
      int threads,
      FileReading reading,
      ReadingProgress progress) {
    this.conf = conf;
    this.store = store;
    this.files = files;
    this.mode = mode;
    this.executor = executor;
    this.threads = threads;
    this.reading = reading;
    this.progress = progress;
  }

  /** A directory of input files, with what its index knows and what was read now. */
  private static final class Directory {
    private final Path path;
    private final FileSystem fs;
    private final Future<Map<String, IndexedFile>> known;
    private final Map<String, IndexedFile> added = new ConcurrentHashMap<>();

    Directory(Path path, FileSystem fs, Future<Map<String, IndexedFile>> known) {
      this.path = path;
      this.fs = fs;
      this.known = known;
    }
  }

  private record Input(
      Directory directory, FileStatus status, Path file, Future<FileVersion> version) {
    long length() {
      return status.getLen();
    }
  }

  Map<Path, FileChunks> run(List<FileStatus> files) throws IOException {
    Map<Path, FileChunks> result = new LinkedHashMap<>();
    Map<Input, Future<FileChunks>> found = new LinkedHashMap<>();
    for (Input input : inputs(files).values()) {
      FileChunks known = known(input);
      // Keeps the order; files that are still to be found or read are filled in below.
      result.put(input.file(), known);
      if (known == null) {
        found.put(input, executor.submit(() -> find(input)));
      } else {
        progress.fileReused(known.length());
      }
    }
    Map<Input, Future<FileChunks>> small = new LinkedHashMap<>();
    List<Input> large = new ArrayList<>();
    try {
      for (Map.Entry<Input, Future<FileChunks>> entry : found.entrySet()) {
        Input input = entry.getKey();
        FileChunks chunks = await(entry.getValue());
        if (chunks != null) {
          progress.fileReused(chunks.length());
          result.put(input.file(), chunks);
        } else if (mode != ChunkMode.WHOLE && input.length() > Chunker.PARALLEL_ABOVE) {
          large.add(input);
        } else {
          small.put(input, executor.submit(() -> read(input, 1)));
        }
      }
      for (Input input : large) {
        result.put(input.file(), read(input, threads));
      }
      for (Map.Entry<Input, Future<FileChunks>> entry : small.entrySet()) {
        result.put(entry.getKey().file(), await(entry.getValue()));
      }
    } finally {
      // After a failure too: the files that were read until then need not be read again.
      found.values().forEach(unlessDone -> unlessDone.cancel(true));
      small.values().forEach(unlessDone -> unlessDone.cancel(true));
      save();
    }
    return result;
  }

  private Map<Path, Input> inputs(List<FileStatus> files) throws IOException {
    Map<Path, Input> inputs = new LinkedHashMap<>();
    for (FileStatus status : files) {
      if (!status.isFile()) {
        throw new IllegalArgumentException(
            "Only files have chunks, and " + status.getPath() + " is none");
      }
      FileSystem fs = status.getPath().getFileSystem(conf);
      Path file = fs.makeQualified(status.getPath());
      Directory directory =
          directories.computeIfAbsent(
              file.getParent(),
              path -> new Directory(path, fs, executor.submit(() -> store.load(path, mode))));
      inputs.computeIfAbsent(
          file,
          path ->
              new Input(
                  directory, status, path, executor.submit(() -> FileVersion.of(fs, status))));
    }
    return inputs;
  }

  private FileChunks known(Input input) throws IOException {
    IndexedFile known = await(input.directory().known).get(input.file().getName());
    boolean current = known != null && known.version().equals(await(input.version()).id());
    return current ? known.at(input.file(), mode) : null;
  }

  /** What the file's own index has; null if there is none. */
  private FileChunks find(Input input) throws IOException {
    Directory directory = input.directory();
    FileReading.Result found = files.find(directory.fs, input.status(), input.file(), mode);
    if (found == null) {
      return null;
    }
    keep(input, found);
    return found.chunks();
  }

  private FileChunks read(Input input, int parallelism) throws IOException {
    FileReading.Result read = reading.read(input.directory().fs, input.file(), parallelism);
    keep(input, read);
    return read.chunks();
  }

  private static void keep(Input input, FileReading.Result result) {
    if (result.settled()) {
      IndexedFile indexed = IndexedFile.of(result.chunks());
      input.directory().added.put(input.file().getName(), indexed);
    }
  }

  private void save() throws IOException {
    List<Callable<Void>> tasks = new ArrayList<>();
    for (Directory directory : directories.values()) {
      if (!directory.added.isEmpty()) {
        tasks.add(
            () -> {
              save(directory);
              return null;
            });
      }
    }
    try {
      for (Future<Void> saved : executor.invokeAll(tasks)) {
        await(saved);
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private void save(Directory directory) throws IOException {
    Map<String, IndexedFile> files = new TreeMap<>(await(directory.known));
    files.putAll(directory.added);
    files.keySet().retainAll(present(directory, files.keySet()));
    store.save(directory.path, mode, files);
  }

  /** Which of {@code names} are still there, so that the index stays bounded; all, if in doubt. */
  private static Set<String> present(Directory directory, Set<String> names) {
    try {
      Set<String> present = new HashSet<>();
      for (FileStatus status : directory.fs.listStatus(directory.path)) {
        present.add(status.getPath().getName());
      }
      return present;
    } catch (IOException e) {
      LOG.debug("Cannot list {}; its chunk index keeps the files it has", directory.path, e);
      return names;
    }
  }

  private static <T> T await(Future<T> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IOException io) {
        throw io;
      }
      if (cause instanceof UncheckedIOException io) {
        throw io.getCause();
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("Indexing failed in a thread of its own", cause);
    }
  }

  private static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException interrupted = new InterruptedIOException("Interrupted in indexing");
    interrupted.initCause(cause);
    return interrupted;
  }
}
