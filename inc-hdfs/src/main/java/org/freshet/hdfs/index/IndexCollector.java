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
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One collection of stale indexes. What is not named as an index is left alone, whatever it is: the
 * directory is the configuration's choice, and may be one that holds something else.
 */
final class IndexCollector {
  private static final Logger LOG = LoggerFactory.getLogger(IndexCollector.class);

  /** Nobody takes that long to write an index. */
  private static final long ABANDONED_AFTER_MILLIS = Duration.ofDays(1).toMillis();

  private static final IndexCollection OTHER = new IndexCollection(0, 0, 0, 0, 1);

  private enum Verdict {
    KEEP,
    DELETE,
    UNDECIDED
  }

  private final IndexPlace place;
  private final FileSystem files;
  private final InstantSource clock;

  IndexCollector(IndexPlace place, FileSystem files, InstantSource clock) {
    this.place = place;
    this.files = files;
    this.clock = clock;
  }

  IndexCollection run(int threads, Consumer<IndexCollection> progress) throws IOException {
    List<Callable<IndexCollection>> directories = new ArrayList<>();
    IndexCollection others = IndexCollection.NONE;
    for (FileStatus directory : list(place.root())) {
      if (directory.isDirectory() && IndexedPath.isDirectoryName(directory.getPath().getName())) {
        directories.add(() -> collect(directory.getPath()));
      } else {
        others = others.plus(OTHER);
        LOG.info("{} is no directory of chunk indexes and stays", directory.getPath());
      }
    }
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<IndexCollection>> all = new ArrayList<>();
      directories.forEach(directory -> all.add(executor.submit(directory)));
      IndexCollection sum = others;
      for (Future<IndexCollection> one : all) {
        sum = sum.plus(one.get());
        progress.accept(sum);
      }
      return sum;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted in collecting chunk indexes");
    } catch (ExecutionException e) {
      throw new IOException("Cannot collect chunk indexes: " + e.getCause(), e.getCause());
    } finally {
      executor.shutdownNow();
    }
  }

  private FileStatus[] list(Path directory) throws IOException {
    try {
      return place.fs().listStatus(directory);
    } catch (FileNotFoundException e) {
      return new FileStatus[0];
    }
  }

  private IndexCollection collect(Path directory) throws IOException {
    IndexCollection sum = IndexCollection.NONE;
    for (FileStatus index : list(directory)) {
      String name = index.getPath().getName();
      if (index.isFile() && IndexedPath.isName(directory.getName(), name)) {
        sum = sum.plus(collect(index));
      } else {
        sum = sum.plus(OTHER);
        LOG.info("{} is no chunk index and stays", index.getPath());
      }
    }
    return sum;
  }

  private IndexCollection collect(FileStatus index) {
    try {
      return switch (verdict(index)) {
        case KEEP -> new IndexCollection(1, 0, 0, 0, 0);
        case UNDECIDED -> new IndexCollection(0, 0, 0, 1, 0);
        // An index that was replaced since it was looked at is lost with it: the file is read
        // again.
        case DELETE ->
            place.fs().delete(index.getPath(), false)
                ? new IndexCollection(0, 1, index.getLen(), 0, 0)
                : IndexCollection.NONE;
      };
    } catch (IOException | RuntimeException e) {
      LOG.debug("The chunk index {} stays", index.getPath(), e);
      return new IndexCollection(0, 0, 0, 1, 0);
    }
  }

  private Verdict verdict(FileStatus status) throws IOException {
    if (status.getPath().getName().endsWith(FileReplacement.TEMPORARY)) {
      boolean abandoned = status.getModificationTime() < clock.millis() - ABANDONED_AFTER_MILLIS;
      return abandoned ? Verdict.DELETE : Verdict.UNDECIDED;
    }
    FileIndexHeader header;
    try (FileIndex index = FileIndex.open(place.fs(), status)) {
      header = index.header();
    } catch (FileNotFoundException e) {
      return Verdict.UNDECIDED;
    } catch (StreamCorruptedException e) {
      return Verdict.DELETE;
    }
    return verdict(header);
  }

  private Verdict verdict(FileIndexHeader header) throws IOException {
    Path file =
        IndexedPath.inodeOf(header.key())
            .map(inode -> HdfsFiles.byInode(files, inode))
            .orElseGet(() -> new Path(header.path()));
    FileVersion present;
    try {
      present = FileVersion.observe(files, file);
    } catch (FileNotFoundException e) {
      return Verdict.DELETE;
    }
    if (present.isBeingWritten()) {
      return Verdict.UNDECIDED;
    }
    return header.content().equals(present.content()) ? Verdict.KEEP : Verdict.DELETE;
  }
}
