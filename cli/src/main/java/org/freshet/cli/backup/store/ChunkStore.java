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
package org.freshet.cli.backup.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Chunks by their digest, each kept once. A chunk can be read as soon as it is added, and outlives
 * a crash after the next {@link #force()}.
 *
 * <p>Safe for use by several threads; one process at a time, which {@link BackupStore} sees to.
 */
final class ChunkStore implements Closeable {
  /*
   * The index is a hash table in memory, about 150 bytes a chunk, filled from the index files. A pack
   * file belongs to the process that created it: the next one reads it, takes back the chunks that its
   * index does not list (added after the last force), and appends to a pack of its own. So recovery
   * has nothing to cut off, and no index can point into bytes that were written over.
   *
   * A chunk that turns out damaged is dropped from the table. The next image that has it brings it
   * along, and the new copy, in a later pack, is the one found from then on.
   */
  private static final String PACK = ".pack";
  private static final String INDEX = ".index";

  private final Path directory;
  private final long packBytes;
  private final Map<ChunkDigest, ChunkLocation> places = new ConcurrentHashMap<>();
  private final Map<Integer, FileChannel> packs = new ConcurrentHashMap<>();
  private final List<String> remarks = new ArrayList<>();

  private int lastPack;
  private PackWriter writer;

  /** Set when a chunk may not have reached the disk although it is in the table. */
  private IOException failure;

  /**
   * Opens the packs of a directory, which is created if need be.
   *
   * @param packBytes a pack of this length is not appended to any more
   */
  ChunkStore(Path directory, long packBytes) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.packBytes = packBytes;
    boolean opened = false;
    try {
      for (Path pack : packFiles()) {
        load(pack);
      }
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /** What was not as it should be when the store was opened, a line each. */
  List<String> remarks() {
    return List.copyOf(remarks);
  }

  boolean contains(ChunkDigest digest) {
    return places.containsKey(digest);
  }

  /** Every chunk that can be asked for. */
  Set<ChunkDigest> digests() {
    return Set.copyOf(places.keySet());
  }

  /** Bytes of all chunks. */
  long bytes() {
    return places.values().stream().mapToLong(ChunkLocation::length).sum();
  }

  /**
   * Adds a chunk, unless it is there.
   *
   * @param digest of what is left in {@code content}; not checked here
   * @return whether it was added
   */
  synchronized boolean add(ChunkDigest digest, ByteBuffer content) throws IOException {
    requireSound();
    if (places.containsKey(digest)) {
      return false;
    }
    if (writer != null && writer.size() >= packBytes) {
      force();
      endPack();
    }
    if (writer == null) {
      beginPack();
    }
    try {
      long offset = writer.append(digest, content);
      places.put(digest, new ChunkLocation(lastPack, offset, content.remaining()));
    } catch (IOException e) {
      // The record may be torn. What was appended before it can still be made durable.
      try {
        force();
      } catch (IOException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      endPack();
      throw e;
    }
    return true;
  }

  /** Returns when every chunk added so far is durable. */
  synchronized void force() throws IOException {
    requireSound();
    if (writer == null) {
      return;
    }
    try {
      writer.force();
    } catch (IOException e) {
      // The system may have dropped what it could not write; only reading it back would tell.
      failure = e;
      throw e;
    }
  }

  /**
   * The content of a chunk, its digest checked.
   *
   * @throws DamagedChunkException if it is not there or damaged; it is forgotten then
   */
  ByteBuffer read(ChunkDigest digest) throws IOException {
    ChunkLocation place = places.get(digest);
    if (place == null) {
      throw new DamagedChunkException(digest, "is not in the store");
    }
    ByteBuffer content = ByteBuffer.allocate(place.length());
    try {
      StoreFiles.readFully(packs.get(place.pack()), place.offset(), content);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      places.remove(digest, place);
      throw new DamagedChunkException(
          digest,
          "can't be read from "
              + packFile(place.pack())
              + " at "
              + place.offset()
              + ": "
              + e.getMessage());
    }
    if (!ChunkDigest.ofContent(content.flip()).equals(digest)) {
      places.remove(digest, place);
      throw new DamagedChunkException(
          digest, "is damaged in " + packFile(place.pack()) + " at " + place.offset());
    }
    return content;
  }

  /** Closes the files, without making anything durable. */
  @Override
  public synchronized void close() throws IOException {
    endPack();
    for (FileChannel pack : packs.values()) {
      pack.close();
    }
  }

  private void requireSound() throws IOException {
    if (failure != null) {
      throw new IOException(
          "the store could not be written; free some space or replace the disk, then start the"
              + " server again",
          failure);
    }
  }

  private void beginPack() throws IOException {
    // A file that could not be begun, with a full disk, is in the way of the next try.
    int number = ++lastPack;
    PackWriter begun = new PackWriter(packFile(number), indexFile(number));
    try {
      packs.put(number, FileChannel.open(packFile(number), StandardOpenOption.READ));
    } catch (IOException e) {
      begun.close();
      throw e;
    }
    writer = begun;
  }

  private void endPack() throws IOException {
    if (writer != null) {
      PackWriter ended = writer;
      writer = null;
      ended.close();
    }
  }

  private void load(Path packFile) throws IOException {
    int number = number(packFile);
    FileChannel pack = FileChannel.open(packFile, StandardOpenOption.READ);
    packs.put(number, pack);
    lastPack = Math.max(lastPack, number);
    List<PackEntry> listed = PackIndex.read(indexFile(number));
    long size = pack.size();
    List<PackEntry> entries =
        new ArrayList<>(listed.stream().filter(entry -> entry.end() <= size).toList());
    int lost = listed.size() - entries.size();
    long indexed = entries.stream().mapToLong(PackEntry::end).max().orElse(PackFormat.HEADER_BYTES);
    List<PackEntry> found = new PackScanner(pack).scan(indexed);
    entries.addAll(found);
    for (PackEntry entry : entries) {
      places.put(entry.digest(), new ChunkLocation(number, entry.offset(), entry.length()));
    }
    if (lost > 0) {
      remarks.add(packFile + " is cut short: " + lost + " chunks are lost");
    }
    if (!found.isEmpty()) {
      remarks.add(packFile + ": found " + found.size() + " chunks that its index does not list");
    }
    if (lost > 0 || !found.isEmpty()) {
      // They may be in the system's memory only; from now on images rely on them.
      pack.force(true);
      PackIndex.replace(indexFile(number), entries);
    }
  }

  private List<Path> packFiles() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().matches("\\d{8}\\" + PACK))
          .sorted()
          .toList();
    }
  }

  private static int number(Path packFile) {
    String name = packFile.getFileName().toString();
    return Integer.parseInt(name.substring(0, name.length() - PACK.length()));
  }

  private Path packFile(int number) {
    return directory.resolve(name(number, PACK));
  }

  private Path indexFile(int number) {
    return directory.resolve(name(number, INDEX));
  }

  private static String name(int number, String suffix) {
    return String.format(Locale.ROOT, "%08d%s", number, suffix);
  }
}
