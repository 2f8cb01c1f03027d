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

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/** Finds the whole records of a pack without its index. */
final class PackScanner {
  /*
   * Where a record is expected and none is, or one whose content has another digest, the scan goes on
   * at the next marker. So a damaged record costs itself alone, and a torn tail ends the scan. What is
   * found has its digest checked, so a marker that happens to lie in content does no harm.
   */
  private static final int BLOCK_BYTES = 64 << 10;

  private final FileChannel pack;
  private final long size;

  PackScanner(FileChannel pack) throws IOException {
    this.pack = pack;
    this.size = pack.size();
  }

  /** Every whole record at or after {@code from}, in order. */
  List<PackEntry> scan(long from) throws IOException {
    List<PackEntry> entries = new ArrayList<>();
    long position = from;
    while (true) {
      PackEntry entry = recordAt(position);
      if (entry != null) {
        entries.add(entry);
        position = entry.end();
        continue;
      }
      position = nextMarker(position + 1);
      if (position < 0) {
        return entries;
      }
    }
  }

  /** The record at {@code position}, or null if there is no whole one. */
  private PackEntry recordAt(long position) throws IOException {
    if (size - position < PackFormat.RECORD_HEADER_BYTES) {
      return null;
    }
    ByteBuffer header = ByteBuffer.allocate(PackFormat.RECORD_HEADER_BYTES);
    StoreFiles.readFully(pack, position, header);
    header.flip();
    long magic = header.getLong();
    int length = header.getInt();
    long offset = position + PackFormat.RECORD_HEADER_BYTES;
    if (magic != PackFormat.RECORD_MAGIC
        || length < 1
        || length > ChunkRef.MAX_CHUNK_BYTES
        || length > size - offset) {
      return null;
    }
    ChunkDigest digest = ChunkDigest.get(header);
    ByteBuffer content = ByteBuffer.allocate(length);
    StoreFiles.readFully(pack, offset, content);
    return ChunkDigest.ofContent(content.flip()).equals(digest)
        ? new PackEntry(digest, offset, length)
        : null;
  }

  /** Offset of the first marker at or after {@code from}, or -1. */
  private long nextMarker(long from) throws IOException {
    ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
    for (long start = from; size - start >= Long.BYTES; start += BLOCK_BYTES - Long.BYTES + 1) {
      block.clear().limit((int) Math.min(BLOCK_BYTES, size - start));
      StoreFiles.readFully(pack, start, block);
      for (int i = 0; i + Long.BYTES <= block.limit(); i++) {
        if (block.getLong(i) == PackFormat.RECORD_MAGIC) {
          return start + i;
        }
      }
    }
    return -1;
  }
}
