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
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one job run stored for one reduce partition: an index from the ids of leaves and nodes to
 * their runs, and a record whose meaning is the writer's affair.
 *
 * <p>Opening reads the end of the file only; a look-up reads one or two blocks of 48 KiB, however
 * long the file. Thread-safe once open.
 */
public final class PartitionFile implements Closeable {
  /*
   * Entries are sorted by id and of fixed width, so that the k-th lies at a known place. Ids are SHA-256
   * digests, hence uniform: interpolating between known ids lands in the right block nearly always. Each second
   * probe bisects instead, which bounds the probes by 2 log2(blocks) whatever the ids are (Graefe, "B-tree
   * indexes, interpolation search, and skew", DaMoN 2006).
   *
   * A block may hold damaged entries. A search steers by intact ones only, and looks at the block to the right
   * where a block has none.
   */
  private static final Logger LOG = LoggerFactory.getLogger(PartitionFile.class);

  private static final int ENTRIES_PER_BLOCK = 512;
  private static final int PRIVATE_CACHE_BYTES = 1 << 20;

  /**
   * One line of the index.
   *
   * @param id of a leaf or node
   * @param run where its run lies
   */
  public record Entry(Digest id, RunRef run) {
    /** Checks that nothing is null. */
    public Entry {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(run, "run");
    }
  }

  private final Path file;
  private final FSDataInputStream in;
  private final PartitionFileFormat.Tail tail;
  private final MemoryTier tier;

  private PartitionFile(
      Path file, FSDataInputStream in, PartitionFileFormat.Tail tail, MemoryTier tier) {
    this.file = file;
    this.in = in;
    this.tail = tail;
    this.tier = tier;
  }

  /**
   * Writes a file that must not exist yet. Name it by task attempt.
   *
   * @param entries in any order; of two with the same id the first is kept
   * @param record kept as it is; may be empty
   * @throws IOException if the file exists or cannot be written; names it
   */
  public static void write(FileSystem fs, Path file, Collection<Entry> entries, byte[] record)
      throws IOException {
    PartitionFileFormat.write(fs, file, entries, record);
  }

  /**
   * Opens a file with a block cache of its own of 1 MiB.
   *
   * @throws CorruptStoreException if the file is missing, truncated or its end is damaged
   * @throws IOException if the file system fails otherwise
   */
  public static PartitionFile open(FileSystem fs, Path file) throws IOException {
    return open(fs, file, null);
  }

  /**
   * Opens a file that keeps its blocks in a shared memory tier.
   *
   * @param tier null for a cache of its own
   * @throws CorruptStoreException if the file is missing, truncated or its end is damaged
   * @throws IOException if the file system fails otherwise
   */
  public static PartitionFile open(FileSystem fs, Path file, MemoryTier tier) throws IOException {
    PartitionFileFormat.Opened opened = PartitionFileFormat.open(fs, file);
    return new PartitionFile(
        file,
        opened.in(),
        opened.tail(),
        tier != null ? tier : new MemoryTier(PRIVATE_CACHE_BYTES));
  }

  /**
   * Finds a run. An entry that is damaged reads as absent.
   *
   * @throws IOException if a block cannot be read
   */
  public Optional<RunRef> lookup(Digest id) throws IOException {
    byte[] key = id.toByteArray();
    long low = 0;
    long high = blocks() - 1;
    double lowKey = 0;
    double highKey = 1;
    for (int probes = 0; low <= high; probes++) {
      long probe =
          probes % 2 == 0
              ? interpolate(fraction(key, 0), low, high, lowKey, highKey)
              : (low + high) >>> 1;
      long block = probe;
      Block found = block(block);
      while (!found.hasIntact() && block < high) {
        found = block(++block);
      }
      if (!found.hasIntact() || found.compareFirst(key) < 0) {
        high = probe - 1;
        highKey = found.hasIntact() ? found.firstFraction() : highKey;
      } else if (found.compareLast(key) > 0) {
        low = block + 1;
        lowKey = found.lastFraction();
      } else {
        return found.find(key);
      }
    }
    return Optional.empty();
  }

  /** The record given to {@link #write}; a copy. */
  public byte[] record() {
    return tail.record().clone();
  }

  /** Number of entries, damaged ones included. */
  public long size() {
    return tail.entries();
  }

  /**
   * The intact entries, ordered by id (unsigned bytes). Reads as it goes and throws {@link
   * UncheckedIOException} where it cannot.
   */
  public Iterator<Entry> entries() {
    return new EntryIterator();
  }

  /** Path of the file. */
  public Path path() {
    return file;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  private long blocks() {
    return (tail.entries() + ENTRIES_PER_BLOCK - 1) / ENTRIES_PER_BLOCK;
  }

  private static long interpolate(double key, long low, long high, double lowKey, double highKey) {
    double share = highKey > lowKey ? (key - lowKey) / (highKey - lowKey) : 0;
    long guess = low + (long) (share * (high - low + 1));
    return Math.max(low, Math.min(high, guess));
  }

  /** Where an id lies among all ids: 0 for the least, near 1 for the greatest. */
  private static double fraction(byte[] bytes, int at) {
    long top = 0;
    for (int i = 0; i < 6; i++) {
      top = top << 8 | bytes[at + i] & 0xff;
    }
    return top / (double) (1L << 48);
  }

  private Block block(long number) throws IOException {
    byte[] bytes = tier.block(tail.identity(), number);
    if (bytes == null) {
      bytes = readBlock(number);
      tier.putBlock(tail.identity(), number, bytes);
    }
    return new Block(bytes);
  }

  private byte[] readBlock(long number) throws IOException {
    long first = number * ENTRIES_PER_BLOCK;
    int count = (int) Math.min(ENTRIES_PER_BLOCK, tail.entries() - first);
    byte[] bytes = new byte[count * PartitionFileFormat.ENTRY_BYTES];
    try {
      in.readFully(PartitionFileFormat.entryPosition(first), bytes);
    } catch (IOException | FSError e) {
      throw new IOException("cannot read block " + number + " of " + file + ": " + e, e);
    }
    return bytes;
  }

  /** A view of up to {@link #ENTRIES_PER_BLOCK} stored entries. */
  private final class Block {
    private final byte[] bytes;
    private final int count;
    private final int first;
    private final int last;

    Block(byte[] bytes) {
      this.bytes = bytes;
      this.count = bytes.length / PartitionFileFormat.ENTRY_BYTES;
      int f = 0;
      while (f < count && !isIntact(f)) {
        f++;
      }
      int l = count - 1;
      while (l > f && !isIntact(l)) {
        l--;
      }
      this.first = f;
      this.last = l;
    }

    boolean hasIntact() {
      return first < count;
    }

    boolean isIntact(int entry) {
      return PartitionFileFormat.isIntact(bytes, at(entry));
    }

    int compareFirst(byte[] key) {
      return compare(key, first);
    }

    int compareLast(byte[] key) {
      return compare(key, last);
    }

    double firstFraction() {
      return fraction(bytes, at(first));
    }

    double lastFraction() {
      return fraction(bytes, at(last));
    }

    /** Scans rather than bisects: a damaged id in between cannot lead it astray. */
    Optional<RunRef> find(byte[] key) {
      for (int entry = first; entry <= last; entry++) {
        if (compare(key, entry) == 0) {
          return isIntact(entry) ? Optional.of(decode(entry).run()) : Optional.empty();
        }
      }
      return Optional.empty();
    }

    Entry decode(int entry) {
      return PartitionFileFormat.decode(bytes, at(entry), tail.packs());
    }

    private int compare(byte[] key, int entry) {
      int at = at(entry);
      return Arrays.compareUnsigned(key, 0, Digest.BYTES, bytes, at, at + Digest.BYTES);
    }

    private int at(int entry) {
      return entry * PartitionFileFormat.ENTRY_BYTES;
    }
  }

  private final class EntryIterator implements Iterator<Entry> {
    private long nextBlock;
    private Block block;
    private int position;
    private long damaged;
    private Entry next;

    @Override
    public boolean hasNext() {
      while (next == null && (block != null || nextBlock < blocks())) {
        advance();
      }
      return next != null;
    }

    @Override
    public Entry next() {
      if (!hasNext()) {
        throw new NoSuchElementException("no entry after the last of " + file);
      }
      Entry entry = next;
      next = null;
      return entry;
    }

    private void advance() {
      if (block == null) {
        try {
          block = new Block(readBlock(nextBlock++));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        position = 0;
      }
      if (position == block.count) {
        block = null;
        if (nextBlock == blocks() && damaged > 0) {
          LOG.warn("Skipped {} damaged entries of {}", damaged, file);
        }
      } else if (block.isIntact(position)) {
        next = block.decode(position++);
      } else {
        position++;
        damaged++;
      }
    }
  }
}
