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
package org.freshet.memo;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.PriorityQueue;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partition files of several job runs as one index, the newest first: an id that several know
 * is taken from the newest. A file that is missing or damaged is left out with a warning, which
 * costs what it knew; so is one that cannot be read for another reason, unless the opener would
 * rather know. Thread-safe.
 */
public final class PartitionIndex implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionIndex.class);

  private final List<PartitionFile> files;
  private final boolean strict;

  private PartitionIndex(List<PartitionFile> files, boolean strict) {
    this.files = List.copyOf(files);
    this.strict = strict;
  }

  /**
   * Opens a chain of files.
   *
   * @param files relative to the lineage's directory, newest first
   */
  public static PartitionIndex open(FileSystem fs, Path lineageDir, List<String> files) {
    return open(fs, lineageDir, files, null);
  }

  /**
   * Opens a chain of files that share a memory tier.
   *
   * @param files relative to the lineage's directory, newest first
   * @param tier null for a small cache of its own in each file
   */
  public static PartitionIndex open(
      FileSystem fs, Path lineageDir, List<String> files, MemoryTier tier) {
    List<PartitionFile> open = new ArrayList<>();
    for (String file : files) {
      Path path = new Path(lineageDir, file);
      try {
        open.add(PartitionFile.open(fs, path, tier));
      } catch (IOException e) {
        LOG.warn("Doing without partition file {}", path, e);
      }
    }
    return new PartitionIndex(open, false);
  }

  /**
   * Opens a chain of files none of which is given up because its file system fails: that may pass,
   * or be so on this machine alone.
   *
   * @param files relative to the lineage's directory, newest first
   * @throws IOException if a file that is neither missing nor damaged cannot be read
   */
  public static PartitionIndex openStrictly(FileSystem fs, Path lineageDir, List<String> files)
      throws IOException {
    List<PartitionFile> open = new ArrayList<>();
    boolean done = false;
    try {
      for (String file : files) {
        Path path = new Path(lineageDir, file);
        try {
          open.add(PartitionFile.open(fs, path));
        } catch (CorruptStoreException e) {
          LOG.warn("Doing without partition file {}", path, e);
        }
      }
      done = true;
    } finally {
      if (!done) {
        close(open);
      }
    }
    return new PartitionIndex(open, true);
  }

  /**
   * Finds a run; a file that fails to answer is passed over with a warning.
   *
   * @throws UncheckedIOException if the index was opened strictly and its file system fails
   */
  public Optional<RunRef> lookup(Digest id) {
    for (PartitionFile file : files) {
      try {
        Optional<RunRef> run = file.lookup(id);
        if (run.isPresent()) {
          return run;
        }
      } catch (IOException e) {
        if (strict && !(e instanceof CorruptStoreException)) {
          throw new UncheckedIOException(e);
        }
        LOG.warn("Look-up of {} passes over {}", id.shortHex(), file.path(), e);
      }
    }
    return Optional.empty();
  }

  /** Number of files that could be opened. */
  public int fileCount() {
    return files.size();
  }

  /**
   * All entries ordered by id, each id once. A file that fails while being read contributes what
   * was read of it, and a warning.
   */
  public Iterator<PartitionFile.Entry> entries() {
    return new MergedEntries();
  }

  @Override
  public void close() throws IOException {
    close(files);
  }

  private static void close(List<PartitionFile> files) throws IOException {
    IOException failure = null;
    for (PartitionFile file : files) {
      try {
        file.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static final class Cursor {
    private final int age;
    private final PartitionFile file;
    private final Iterator<PartitionFile.Entry> rest;
    private PartitionFile.Entry head;

    Cursor(int age, PartitionFile file) {
      this.age = age;
      this.file = file;
      this.rest = file.entries();
    }

    /** Moves to the next entry, if there is one that can be read. */
    boolean advance() {
      try {
        head = rest.hasNext() ? rest.next() : null;
      } catch (UncheckedIOException e) {
        LOG.warn("Doing without the rest of {}", file.path(), e);
        head = null;
      }
      return head != null;
    }

    Digest id() {
      return head.id();
    }

    int age() {
      return age;
    }
  }

  private final class MergedEntries implements Iterator<PartitionFile.Entry> {
    private final PriorityQueue<Cursor> queue =
        new PriorityQueue<>(Comparator.comparing(Cursor::id).thenComparingInt(Cursor::age));

    MergedEntries() {
      for (int i = 0; i < files.size(); i++) {
        push(new Cursor(i, files.get(i)));
      }
    }

    @Override
    public boolean hasNext() {
      return !queue.isEmpty();
    }

    @Override
    public PartitionFile.Entry next() {
      Cursor newest = queue.poll();
      if (newest == null) {
        throw new NoSuchElementException("no entry after the last of " + files.size() + " files");
      }
      PartitionFile.Entry entry = newest.head;
      push(newest);
      while (!queue.isEmpty() && queue.peek().id().equals(entry.id())) {
        push(queue.poll());
      }
      return entry;
    }

    private void push(Cursor cursor) {
      if (cursor.advance()) {
        queue.add(cursor);
      }
    }
  }
}
