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

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.hdfs.index.FileIndex;
import org.freshet.hdfs.index.FileVersion;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies local files to a Hadoop file system and leaves a chunk index of each. A large file goes to
 * HDFS in parts, several at a time, which the NameNode then joins; parts that arrived stay there if
 * the rest does not, and are not sent again. Where HDFS does not join files it goes in one stream.
 * A file appears under its name when it is whole. For use by one thread.
 */
public final class Uploader implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Uploader.class);

  private final Configuration conf;
  private final WriteSettings settings;
  private final int threads;
  private final LongConsumer sent;
  private final InstantSource clock;
  private final ExecutorService executor;
  private final Map<URI, FileSystem> fileSystems = new HashMap<>();

  /**
   * @param conf names the file systems, the sizes of chunks and the place of the indexes
   * @param threads how many files, or parts of a large one, are sent at a time; at least 1
   * @param sent is told of bytes as they are sent, or found to be there; by several threads
   */
  public Uploader(Configuration conf, int threads, LongConsumer sent) {
    this(conf, threads, sent, InstantSource.system());
  }

  Uploader(Configuration conf, int threads, LongConsumer sent, InstantSource clock) {
    this.clock = clock;
    this.settings = WriteSettings.of(conf);
    this.conf = new Configuration(conf);
    // The chunks are known before a stream is opened.
    this.conf.set(HdfsKeys.WRITE_FILES.name(), "");
    this.threads = threads;
    this.sent = sent;
    this.executor = Executors.newFixedThreadPool(threads, Uploader::thread);
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "freshet-upload");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * What is to be copied.
   *
   * @param source a local file
   * @param target the file it becomes; replaced if it is there
   * @param previous the file with whose chunks those of the new one are compared; may be the target
   */
  public record Item(
      Path source, org.apache.hadoop.fs.Path target, org.apache.hadoop.fs.Path previous) {}

  /**
   * What became of it.
   *
   * @param bytes length of the file
   * @param resumedBytes that were there already, of an upload that was broken off
   * @param chunks of the file
   * @param kept what of them the previous version had too; empty if that has no index
   * @param indexed whether an index was left
   * @param whyOneStream why a file that is long enough for parts was not sent in parts; a clause
   *     for people
   * @param error why the file could not be copied
   */
  public record Outcome(
      Item item,
      long bytes,
      long resumedBytes,
      long chunks,
      Optional<Kept> kept,
      boolean indexed,
      Optional<String> whyOneStream,
      Optional<IOException> error) {
    static Outcome failed(Item item, IOException error) {
      return new Outcome(
          item, 0, 0, 0, Optional.empty(), false, Optional.empty(), Optional.of(error));
    }
  }

  /** Chunks of a new version that the one before had too. */
  public record Kept(long chunks, long bytes) {}

  /** Names what cuts text. */
  public String fingerprint() {
    return settings.chunker().fingerprint();
  }

  /**
   * Copies files. What fails leaves the others alone, and its target as it was.
   *
   * @param outcomes is told of each file, in no particular order, on the calling thread
   * @throws InterruptedIOException if the calling thread is interrupted; it stays so
   */
  public void put(List<Item> items, Consumer<Outcome> outcomes) throws IOException {
    Map<Item, Future<Outcome>> small = new LinkedHashMap<>();
    List<Item> large = new ArrayList<>();
    for (Item item : items) {
      if (item.source().toFile().length() > Chunker.PARALLEL_ABOVE) {
        large.add(item);
      } else {
        small.put(item, executor.submit(() -> tryPut(item, 1)));
      }
    }
    try {
      for (Item item : large) {
        outcomes.accept(tryPut(item, threads));
      }
      for (Future<Outcome> each : small.values()) {
        outcomes.accept(await(each));
      }
    } finally {
      small.values().forEach(unlessDone -> unlessDone.cancel(true));
    }
  }

  private Outcome tryPut(Item item, int parallelism) throws InterruptedIOException {
    try {
      return put(item, parallelism);
    } catch (SocketTimeoutException e) {
      // Nobody interrupted this thread, whatever its superclass says.
      return Outcome.failed(item, e);
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      return Outcome.failed(item, e);
    } catch (UncheckedIOException e) {
      return Outcome.failed(item, e.getCause());
    }
  }

  private Outcome put(Item item, int parallelism) throws IOException {
    FileSystem local = FileSystem.getLocal(conf).getRawFileSystem();
    org.apache.hadoop.fs.Path read = new org.apache.hadoop.fs.Path(item.source().toUri());
    FileVersion version = FileVersion.awaitSettled(local, read, clock);
    // A view of other file systems has no parts to join; its parts lie where the target does.
    org.apache.hadoop.fs.Path parent = item.target().getParent();
    FileSystem named = fileSystem(parent);
    named.mkdirs(parent);
    parent = named.resolvePath(parent);
    FileSystem fs = fileSystem(parent);
    org.apache.hadoop.fs.Path target =
        new org.apache.hadoop.fs.Path(parent, item.target().getName());
    ByteSource bytes = ByteSource.of(item.source());
    UploadCuts cuts = UploadCuts.of(bytes, settings, executor, parallelism);
    Optional<Set<String>> before = chunksOf(item.previous(), cuts.fingerprint());
    Upload upload =
        new Upload(item.source(), local, version, bytes, cuts, fs, target, settings, sent);
    Upload.Done done = upload.run(parallelism == 1 ? Optional.empty() : Optional.of(executor));
    done.whyOneStream().ifPresent(why -> LOG.info("{} was sent in one stream: {}", target, why));
    List<Chunk> chunks = done.sent().chunks();
    return new Outcome(
        item,
        done.joined().status().getLen(),
        done.sent().resumedBytes(),
        chunks.size(),
        before.map(digests -> kept(digests, chunks)),
        keepIndex(fs, done, cuts.fingerprint()),
        done.whyOneStream(),
        Optional.empty());
  }

  private boolean keepIndex(FileSystem fs, Upload.Done done, Optional<String> fingerprint) {
    FileStatus status = done.joined().status();
    Optional<FileVersion> version = done.joined().version();
    if (version.isEmpty()
        || fingerprint.isEmpty()
        || (status.isEncrypted() && !settings.encrypted())) {
      return false;
    }
    return settings
        .store()
        .put(
            fs,
            status,
            version.get(),
            fingerprint.get(),
            done.sent().chunks(),
            done.startsWithBom());
  }

  /** A client of our own: the one that is shared may have other settings. */
  private FileSystem fileSystem(org.apache.hadoop.fs.Path path) throws IOException {
    URI uri = path.getFileSystem(conf).getUri();
    synchronized (fileSystems) {
      FileSystem known = fileSystems.get(uri);
      if (known == null) {
        known = FileSystem.newInstance(uri, conf);
        fileSystems.put(uri, known);
      }
      return known;
    }
  }

  /** The digests of a file's chunks, as its index has them; empty if there is none. */
  private Optional<Set<String>> chunksOf(
      org.apache.hadoop.fs.Path file, Optional<String> fingerprint) throws IOException {
    FileSystem fs = fileSystem(file);
    if (fingerprint.isEmpty() || !fs.exists(file)) {
      return Optional.empty();
    }
    Optional<FileIndex> found =
        settings.store().find(fs, fs.getFileStatus(file), fingerprint.get());
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try (FileIndex index = found.get()) {
      Set<String> digests = new HashSet<>();
      index.all().forEach(chunk -> digests.add(hex(chunk)));
      return Optional.of(digests);
    }
  }

  private static Kept kept(Set<String> before, List<Chunk> chunks) {
    long count = 0;
    long bytes = 0;
    for (Chunk chunk : chunks) {
      if (before.contains(hex(chunk))) {
        count++;
        bytes += chunk.length();
      }
    }
    return new Kept(count, bytes);
  }

  private static String hex(Chunk chunk) {
    return HexFormat.of().formatHex(chunk.digest());
  }

  static <T> T await(Future<T> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("Interrupted in uploading");
      interrupted.initCause(e);
      throw interrupted;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof UncheckedIOException io) {
        throw io.getCause();
      }
      throw new IllegalStateException("Uploading failed", e.getCause());
    }
  }

  @Override
  public void close() throws IOException {
    executor.shutdownNow();
    for (FileSystem fs : fileSystems.values()) {
      fs.close();
    }
  }
}
