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
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Writes down an image, reference by reference, where nobody sees it until {@link #commit}. Closing
 * without committing leaves nothing. For use by one thread.
 */
public final class ImageWriter implements Closeable {
  private static final int BUFFERED_REFS = 4096;

  private final BackupStore store;
  private final String name;
  private final Path draft;
  private final FileChannel channel;
  private final MessageDigest refDigest = ChunkDigest.start();
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFERED_REFS * ChunkRef.BYTES);
  private long bytes;
  private long chunks;
  private boolean committed;

  ImageWriter(BackupStore store, String name, Path draft) throws IOException {
    this.store = store;
    this.name = name;
    this.draft = draft;
    this.channel = FileChannel.open(draft, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    StoreFiles.writeFully(channel, PackFormat.header(ImageFile.MAGIC));
  }

  /**
   * The image goes on with this chunk.
   *
   * @throws IOException if the store does not have the chunk
   */
  public void add(ChunkRef ref) throws IOException {
    if (!store.contains(ref.digest())) {
      throw new DamagedChunkException(ref.digest(), "is not in the store");
    }
    if (chunks == ImageFile.MOST_CHUNKS) {
      throw new IOException(
          "image "
              + name
              + " has more than "
              + ImageFile.MOST_CHUNKS
              + " chunks, which can't be restored; put it with longer chunks");
    }
    if (!buffer.hasRemaining()) {
      flush();
    }
    ref.put(buffer);
    bytes += ref.length();
    chunks++;
  }

  /**
   * Makes the image and all its chunks durable, then visible.
   *
   * @param expected the id that whoever put the image came to
   * @throws IOException if it is another one
   */
  public Image commit(ChunkDigest expected) throws IOException {
    flush();
    ChunkDigest id = ChunkDigest.of(refDigest.digest());
    if (!id.equals(expected)) {
      throw new IOException(
          "the references written down have the SHA-256 " + id + ", expected " + expected);
    }
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    Image unnumbered = new Image(name, 0, bytes, chunks, now, id);
    StoreFiles.writeFully(channel, ImageFile.trailer(unnumbered));
    channel.force(true);
    Image image = store.publish(unnumbered, draft);
    committed = true;
    return image;
  }

  @Override
  public void close() throws IOException {
    channel.close();
    if (!committed) {
      Files.deleteIfExists(draft);
    }
  }

  private void flush() throws IOException {
    refDigest.update(buffer.flip().duplicate());
    StoreFiles.writeFully(channel, buffer);
    buffer.clear();
  }
}
