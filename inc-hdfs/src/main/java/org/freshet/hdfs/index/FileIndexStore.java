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

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.StreamCorruptedException;
import java.net.SocketTimeoutException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.viewfs.ViewFileSystem;
import org.freshet.hdfs.index.FileVersion.Strength;
import org.freshet.shredder.Chunk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a chunk index for each single file, on the file system of the file. Whoever writes or reads
 * a whole file may leave one here; whoever needs the file's chunks later finds it. Safe for use by
 * several threads and processes.
 *
 * <p>An index is found only for the version of the file that it was made of, and only if it can be
 * believed: it belongs to the file's owner, the reader or the superuser, and nobody else may write
 * it. In doubt there is none. An index is as readable as its file, or less.
 */
public final class FileIndexStore {
  /*
   * One index for each inode on HDFS, <place>/<inode modulo 4096 in hexadecimal digits>/<inode>, so
   * that a file's index stays with it when it is renamed; elsewhere one for each path. The version of
   * the file is inside and compared. On HDFS the last block is part of it: length and modification
   * time can be set to what they were, the last block's number and generation stamp can not.
   */
  private static final Logger LOG = LoggerFactory.getLogger(FileIndexStore.class);

  private final Configuration conf;
  private final String configured;
  private final InstantSource clock;
  private final IndexTrust trust = new IndexTrust();

  private FileIndexStore(Configuration conf, InstantSource clock) {
    this.conf = conf;
    this.configured = IndexPlace.configured(conf);
    this.clock = clock;
  }

  /**
   * The store that a configuration names with {@link org.freshet.hdfs.HdfsKeys#INDEX_DIR}.
   *
   * @throws org.freshet.hdfs.ConfigKey.InvalidValueException if it names an impossible one
   */
  public static FileIndexStore of(Configuration conf) {
    return of(conf, InstantSource.system());
  }

  static FileIndexStore of(Configuration conf, InstantSource clock) {
    return new FileIndexStore(conf, clock);
  }

  /**
   * What a look-up gave: an index, or the reason why there is none.
   *
   * @param place where the index is or would be; null if the file system cannot be asked
   */
  public record Lookup(Optional<FileIndex> index, Optional<NoIndex> reason, Path place) {}

  /** Where indexes lie that are for files of {@code fs}. */
  public Path root(FileSystem fs) {
    return IndexPlace.of(fs, configured).root();
  }

  /**
   * Keeps the chunks of one version of a file, in place of what is kept of the file already. Never
   * fails its caller.
   *
   * @param status of the file, from {@code fs}
   * @param version that has these chunks; on HDFS best an {@link FileVersion#observe observed} one
   * @param fingerprint of the chunker that cut the file
   * @param chunks cover the file in order
   * @param startsWithBom as {@link FileChunks#startsWithBom()}
   * @return whether they are kept; if not, the log and the metrics say why
   */
  public boolean put(
      FileSystem fs,
      FileStatus status,
      FileVersion version,
      String fingerprint,
      List<Chunk> chunks,
      boolean startsWithBom) {
    FileIndexContent content = new FileIndexContent(fingerprint, startsWithBom, chunks);
    return tryPut(fs, status, version, content).isEmpty();
  }

  /** As {@link #put}; gives the reason if the index is not kept. */
  Optional<NoIndex> tryPut(
      FileSystem fs, FileStatus status, FileVersion version, FileIndexContent content) {
    Optional<NoIndex> reason;
    try {
      reason = write(fs, status, version, content);
      reason.ifPresent(r -> LOG.debug("No chunk index of {}: {}", status.getPath(), r));
    } catch (IOException | RuntimeException e) {
      keepInterrupted(e);
      LOG.info("No chunk index of {}: {}", status.getPath(), NoIndex.UNWRITABLE, e);
      reason = Optional.of(NoIndex.UNWRITABLE);
    }
    reason.ifPresentOrElse(IndexMetrics.INSTANCE::notKept, IndexMetrics.INSTANCE::kept);
    return reason;
  }

  private Optional<NoIndex> write(
      FileSystem fs, FileStatus status, FileVersion version, FileIndexContent content)
      throws IOException {
    IndexedPath file = IndexedPath.of(conf, fs, status);
    if (content.chunks().isEmpty()) {
      return Optional.of(NoIndex.EMPTY);
    }
    if (file.isInSnapshot()) {
      return Optional.of(NoIndex.SNAPSHOT);
    }
    FileVersion present = FileVersion.observe(file.fs(), file.path());
    Optional<NoIndex> doubt = doubt(present);
    if (doubt.isPresent()) {
      return doubt;
    }
    // A view of other file systems has versions of its own.
    FileVersion seen = file.fs() == fs ? present : FileVersion.observe(fs, status.getPath());
    if (!seen.sameContent(version)) {
      return Optional.of(NoIndex.OTHER_VERSION);
    }
    requireCovered(present.length(), content.chunks());
    IndexPlace place = IndexPlace.of(file.fs(), configured);
    Path index = place.file(file);
    FileStatus parent = place.makeParent(index);
    if (file.status().isEncrypted() && !parent.isEncrypted()) {
      return Optional.of(NoIndex.ENCRYPTED);
    }
    FsPermission permission = place.permission(file);
    FileReplacement.replace(
        place.fs(),
        index,
        permission,
        out -> FileIndex.write(out, file.key(), file.path().toString(), present, content),
        (store, written) -> place.shareWithGroup(written, permission, file));
    return Optional.empty();
  }

  private Optional<NoIndex> doubt(FileVersion present) {
    if (present.isBeingWritten()) {
      return Optional.of(NoIndex.BEING_WRITTEN);
    }
    return switch (present.strength()) {
      case EXACT -> Optional.empty();
      case SETTLES ->
          present.settled(clock.millis()) ? Optional.empty() : Optional.of(NoIndex.UNSETTLED);
      case TIME -> Optional.of(NoIndex.UNSTABLE);
    };
  }

  private static void requireCovered(long length, List<Chunk> chunks) {
    long end = 0;
    for (Chunk chunk : chunks) {
      if (chunk.offset() != end) {
        throw new IllegalArgumentException(
            "A chunk begins at " + chunk.offset() + ", the one before it ends at " + end);
      }
      end = chunk.end();
    }
    if (end != length) {
      throw new IllegalArgumentException(
          "The chunks end at " + end + ", not at the file's length of " + length);
    }
  }

  /**
   * The index of a file's present version, if there is one that may be trusted.
   *
   * @param status of the file, from {@code fs}
   * @param fingerprint of the chunker that must have cut the file
   * @return to be closed by the caller
   */
  public Optional<FileIndex> find(FileSystem fs, FileStatus status, String fingerprint) {
    return lookUp(fs, status, Optional.of(fingerprint)).index();
  }

  /**
   * As {@link #find}; tells why if there is none.
   *
   * @param fingerprint empty for an index made with any chunker
   */
  public Lookup lookUp(FileSystem fs, FileStatus status, Optional<String> fingerprint) {
    Path place = null;
    NoIndex reason;
    try {
      IndexedPath file = IndexedPath.of(conf, fs, status);
      IndexPlace indexes = IndexPlace.of(file.fs(), configured);
      place = indexes.file(file);
      FileStatus index = indexes.fs().getFileStatus(place);
      Optional<FileVersion> seen = localVersion(indexes, index);
      Optional<NoIndex> doubt = trust.doubt(indexes.fs(), index, file);
      if (doubt.isEmpty()) {
        return open(indexes, index, seen, file, fingerprint);
      }
      reason = doubt.get();
    } catch (FileNotFoundException e) {
      reason = NoIndex.ABSENT;
    } catch (StreamCorruptedException e) {
      LOG.info("Ignoring the chunk index {} of {}: {}", place, status.getPath(), e.getMessage());
      reason = NoIndex.DAMAGED;
    } catch (IOException | RuntimeException e) {
      keepInterrupted(e);
      LOG.info("Ignoring the chunk index {} of {}: {}", place, status.getPath(), e.toString());
      reason = NoIndex.UNREADABLE;
    }
    return none(reason, status, place);
  }

  /** Tells whether a path is still that of the same local file; HDFS opens files by inode. */
  private static Optional<FileVersion> localVersion(IndexPlace indexes, FileStatus status)
      throws IOException {
    return "file".equals(indexes.fs().getUri().getScheme())
        ? Optional.of(FileVersion.of(indexes.fs(), status))
        : Optional.empty();
  }

  private Lookup open(
      IndexPlace indexes,
      FileStatus status,
      Optional<FileVersion> seen,
      IndexedPath file,
      Optional<String> fingerprint)
      throws IOException {
    FileIndex index = FileIndex.open(indexes.fs(), status);
    try {
      if (!localVersion(indexes, status).equals(seen)) {
        // Who is trusted was asked of a file that was not opened.
        index.close();
        return none(NoIndex.ABSENT, file.status(), index.place());
      }
      Optional<NoIndex> mismatch = mismatch(index.header(), file, fingerprint);
      if (mismatch.isEmpty()) {
        IndexMetrics.INSTANCE.found();
        return new Lookup(Optional.of(index), Optional.empty(), index.place());
      }
      index.close();
      return none(mismatch.get(), file.status(), index.place());
    } catch (IOException | RuntimeException e) {
      index.close();
      throw e;
    }
  }

  private static Optional<NoIndex> mismatch(
      FileIndexHeader header, IndexedPath file, Optional<String> fingerprint) throws IOException {
    if (fingerprint.isPresent() && !fingerprint.get().equals(header.fingerprint())) {
      return Optional.of(NoIndex.OTHER_CHUNKER);
    }
    FileVersion present = FileVersion.observe(file.fs(), file.path());
    if (present.isBeingWritten()) {
      return Optional.of(NoIndex.BEING_WRITTEN);
    }
    boolean same =
        present.strength() != Strength.TIME
            && header.key().equals(file.key())
            && header.content().equals(present.content())
            && header.length() == present.length();
    return same ? Optional.empty() : Optional.of(NoIndex.OTHER_VERSION);
  }

  private static Lookup none(NoIndex reason, FileStatus file, Path place) {
    LOG.debug("No chunk index of {} at {}: {}", file.getPath(), place, reason);
    IndexMetrics.INSTANCE.notFound(reason);
    return new Lookup(Optional.empty(), Optional.of(reason), place);
  }

  private static void keepInterrupted(Exception e) {
    if (e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException)) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether there may be any index for files of {@code fs}; one question for many look-ups. */
  boolean isInUse(FileSystem fs) {
    if (fs instanceof ViewFileSystem) {
      return true;
    }
    try {
      IndexPlace place = IndexPlace.of(fs, configured);
      return place.fs().exists(place.root());
    } catch (IOException | RuntimeException e) {
      keepInterrupted(e);
      LOG.debug("Cannot see whether there are chunk indexes for {}", fs.getUri(), e);
      return false;
    }
  }

  /**
   * Deletes indexes that can never be found again: their files are gone or have changed, or they
   * are damaged. What cannot be told, or not be deleted, stays.
   *
   * @param fs of the files
   * @param threads that work on it; at least 1
   * @param progress is told now and then what was done so far, by one thread at a time
   * @throws IOException if the indexes cannot be listed
   */
  public IndexCollection collect(FileSystem fs, int threads, Consumer<IndexCollection> progress)
      throws IOException {
    if (!(fs instanceof ViewFileSystem view)) {
      return new IndexCollector(IndexPlace.of(fs, configured), fs, clock).run(threads, progress);
    }
    IndexCollection all = IndexCollection.NONE;
    for (FileSystem child : view.getChildFileSystems()) {
      IndexCollection before = all;
      all = before.plus(collect(child, threads, now -> progress.accept(before.plus(now))));
    }
    return all;
  }
}
