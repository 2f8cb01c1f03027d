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
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Appends chunks to a new pack file and, when told to make them durable, their places to its index.
 * For use by one thread at a time.
 */
final class PackWriter implements Closeable {
  private final FileChannel pack;
  private final Path indexFile;
  private final List<PackEntry> unindexed = new ArrayList<>();
  private FileChannel index;
  private long size;

  /** Creates a pack file that must not exist. */
  PackWriter(Path packFile, Path indexFile) throws IOException {
    this.indexFile = indexFile;
    this.pack = FileChannel.open(packFile, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      StoreFiles.writeFully(pack, PackFormat.header(PackFormat.PACK_MAGIC));
      StoreFiles.forceDirectory(packFile.getParent());
    } catch (IOException e) {
      pack.close();
      throw e;
    }
    this.size = PackFormat.HEADER_BYTES;
  }

  /** Bytes in the pack. */
  long size() {
    return size;
  }

  /**
   * Appends a chunk, whose content is all that is left in the buffer.
   *
   * @return where the content begins
   */
  long append(ChunkDigest digest, ByteBuffer content) throws IOException {
    int length = content.remaining();
    StoreFiles.writeFully(pack, PackFormat.recordHeader(digest, length), content.duplicate());
    long offset = size + PackFormat.RECORD_HEADER_BYTES;
    size = offset + length;
    unindexed.add(new PackEntry(digest, offset, length));
    return offset;
  }

  /**
   * Makes every chunk durable, then its line in the index: a line that can be read speaks of a
   * chunk that can be read.
   */
  void force() throws IOException {
    if (unindexed.isEmpty()) {
      return;
    }
    pack.force(true);
    if (index == null) {
      index = FileChannel.open(indexFile, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      StoreFiles.writeFully(index, PackFormat.header(PackIndex.MAGIC));
      StoreFiles.forceDirectory(indexFile.getParent());
    }
    StoreFiles.writeFully(index, PackIndex.encode(unindexed));
    index.force(true);
    unindexed.clear();
  }

  /** Closes the files as they are; does not make anything durable. */
  @Override
  public void close() throws IOException {
    try (FileChannel first = pack;
        FileChannel second = index) {
      // Both are closed, whichever fails.
    }
  }
}
