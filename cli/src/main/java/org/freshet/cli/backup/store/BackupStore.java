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
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.freshet.cli.files.LockFile;

/**
 * A directory of backups: chunks, each kept once, and images made of them. Images are numbered
 * within their name and never change.
 *
 * <p>An image is committed by one rename, after it and its chunks are on disk. A process killed
 * before that leaves chunks that the next image may use, and nothing else; a process killed after
 * it leaves the image. Nothing read is given out before its digest was checked.
 *
 * <p>Safe for use by several threads. One process at a time: a second one is refused.
 */
public final class BackupStore implements Closeable {
  private static final long PACK_BYTES = 1L << 30;
  private static final int VERIFIED_AT_ONCE = 4096;
  private static final String DRAFT = ".draft";

  private final Path images;
  private final ChunkStore chunks;
  private final FileChannel lockFile;

  private BackupStore(Path images, ChunkStore chunks, FileChannel lockFile) {
    this.images = images;
    this.chunks = chunks;
    this.lockFile = lockFile;
  }

  /**
   * Opens a store, which is created if the directory is empty or not there.
   *
   * @throws IOException if another process has it open, or the directory is no store
   */
  public static BackupStore open(Path directory) throws IOException {
    return open(directory, PACK_BYTES);
  }

  static BackupStore open(Path directory, long packBytes) throws IOException {
    Path packs = directory.resolve("packs");
    if (Files.exists(directory) && !Files.isDirectory(packs) && !isEmpty(directory)) {
      throw new IOException(directory + " holds files, but no backup store; name an empty one");
    }
    Files.createDirectories(packs);
    Path images = Files.createDirectories(directory.resolve("images"));
    FileChannel lockFile = lock(directory.resolve("lock"));
    boolean opened = false;
    try {
      deleteDrafts(images);
      BackupStore store = new BackupStore(images, new ChunkStore(packs, packBytes), lockFile);
      opened = true;
      return store;
    } finally {
      if (!opened) {
        lockFile.close();
      }
    }
  }

  /** What was not as it should be when the store was opened, a line each. */
  public List<String> remarks() {
    return chunks.remarks();
  }

  /** Whether there is such a chunk. */
  public boolean contains(ChunkDigest digest) {
    return chunks.contains(digest);
  }

  /** Bytes of all chunks, each counted once. */
  public long chunkBytes() {
    return chunks.bytes();
  }

  /**
   * Adds a chunk, unless it is there already.
   *
   * @param content all that is left in it is the chunk; its position does not move
   * @return whether it was added
   * @throws DamagedChunkException if {@code ref} does not describe the content
   */
  public boolean add(ChunkRef ref, ByteBuffer content) throws IOException {
    if (content.remaining() != ref.length()
        || !ChunkDigest.ofContent(content).equals(ref.digest())) {
      throw new DamagedChunkException(ref.digest(), "came with other content than its digest says");
    }
    return chunks.add(ref.digest(), content);
  }

  /**
   * The content of a chunk.
   *
   * @throws DamagedChunkException if it is damaged or not there
   */
  public ByteBuffer read(ChunkRef ref) throws IOException {
    return chunks.read(ref.digest());
  }

  /** Begins an image. */
  public ImageWriter begin(String name) throws IOException {
    Path directory = Files.createDirectories(images.resolve(Image.requireName(name)));
    return new ImageWriter(this, name, directory.resolve(UUID.randomUUID() + DRAFT));
  }

  /** Gives a draft, which is on disk, its number, after its chunks are on disk, too. */
  synchronized Image publish(Image draft, Path file) throws IOException {
    chunks.force();
    Path directory = file.getParent();
    int sequence = sequences(directory).stream().mapToInt(Integer::intValue).max().orElse(0) + 1;
    StoreFiles.publish(file, directory.resolve(ImageFile.fileName(sequence)));
    StoreFiles.forceDirectory(images);
    return new Image(
        draft.name(), sequence, draft.bytes(), draft.chunks(), draft.created(), draft.id());
  }

  /**
   * An image that was committed.
   *
   * @param sequence its number, or 0 for the last one of that name
   * @throws IOException if there is none, or its file is damaged
   */
  public ImageFile image(String name, int sequence) throws IOException {
    Path directory = images.resolve(Image.requireName(name));
    int wanted = sequence;
    if (wanted == 0) {
      wanted = sequences(directory).stream().mapToInt(Integer::intValue).max().orElse(0);
    }
    Path file = directory.resolve(ImageFile.fileName(wanted));
    try {
      return ImageFile.read(name, wanted, file);
    } catch (NoSuchFileException e) {
      throw new IOException(
          "there is no image '" + name + "'" + (sequence == 0 ? "" : " number " + sequence), e);
    }
  }

  /**
   * Every image whose file is whole, by name and number.
   *
   * @param damaged is told of the others, a line each
   */
  public List<Image> images(List<String> damaged) throws IOException {
    List<Image> found = new ArrayList<>();
    for (String name : names()) {
      for (int sequence : sequences(images.resolve(name))) {
        try {
          found.add(image(name, sequence).image());
        } catch (IOException e) {
          damaged.add(e.getMessage());
        }
      }
    }
    return found;
  }

  /** Reads every chunk and every image. */
  public VerifyReport verify() throws IOException {
    List<String> problems = new ArrayList<>();
    // Images first: an agent may commit one, with new chunks, while this goes on.
    List<Image> committed = images(problems);
    Set<ChunkDigest> whole = new HashSet<>();
    long bytes = 0;
    for (ChunkDigest digest : chunks.digests()) {
      try {
        bytes += chunks.read(digest).remaining();
        whole.add(digest);
      } catch (DamagedChunkException e) {
        problems.add(e.getMessage());
      }
    }
    long sound = 0;
    for (Image image : committed) {
      long missing = 0;
      for (List<ChunkRef> refs : image(image.name(), image.sequence()).batches(VERIFIED_AT_ONCE)) {
        missing += refs.stream().filter(ref -> !whole.contains(ref.digest())).count();
      }
      if (missing == 0) {
        sound++;
      } else {
        problems.add(
            "image '"
                + image.name()
                + "' number "
                + image.sequence()
                + " lacks "
                + missing
                + " of "
                + image.chunks()
                + " chunks");
      }
    }
    return new VerifyReport(whole.size(), bytes, sound, problems);
  }

  /** Closes the store; images not committed are gone. */
  @Override
  public void close() throws IOException {
    try (FileChannel lock = lockFile;
        ChunkStore closing = chunks) {
      // Both are closed, whichever fails; the lock last.
    }
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(images)) {
      return files
          .filter(Files::isDirectory)
          .map(file -> file.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  private static List<Integer> sequences(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.matches("\\d{8}\\" + ImageFile.SUFFIX))
          .map(name -> Integer.valueOf(name.substring(0, name.indexOf('.'))))
          .sorted()
          .toList();
    }
  }

  private static void deleteDrafts(Path images) throws IOException {
    try (Stream<Path> files = Files.walk(images)) {
      // An image may have such a name as well: its directory is none.
      for (Path file :
          files.filter(f -> f.toString().endsWith(DRAFT) && Files.isRegularFile(f)).toList()) {
        Files.delete(file);
      }
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }

  private static FileChannel lock(Path file) throws IOException {
    return LockFile.tryLock(file)
        .orElseThrow(
            () ->
                new IOException(
                    "the store "
                        + file.getParent()
                        + " is in use; stop the server that has it open"));
  }
}
