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

import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.freshet.shredder.Chunk;

/**
 * A page of a file's chunk index: some consecutive chunks. Immutable.
 *
 * <pre>
 * long offset of the first chunk
 *   per chunk: long end offset, 32 bytes SHA-256
 * int CRC32C of the header's CRC32C, the number of the page, and everything before
 * </pre>
 */
final class FileIndexPage {
  static final int ENTRY_BYTES = Long.BYTES + Sha256.BYTES;
  static final int OVERHEAD = Long.BYTES + Integer.BYTES;
  static final int MOST_CHUNKS = 1 << 16;

  private final ByteBuffer bytes;
  private final long number;
  private final int chunks;

  private FileIndexPage(ByteBuffer bytes, long number, int chunks) {
    this.bytes = bytes;
    this.number = number;
    this.chunks = chunks;
  }

  /** Length of a page of so many chunks, in bytes. */
  static int bytes(int chunks) {
    return OVERHEAD + chunks * ENTRY_BYTES;
  }

  static byte[] encode(int seed, long number, List<Chunk> chunks) {
    ByteBuffer page = ByteBuffer.allocate(bytes(chunks.size()));
    page.putLong(chunks.get(0).offset());
    for (Chunk chunk : chunks) {
      page.putLong(chunk.end()).put(chunk.digest());
    }
    return page.putInt(crc(seed, number, page.array())).array();
  }

  /**
   * The page in these bytes.
   *
   * @throws StreamCorruptedException if they are not what {@link #encode} gave
   */
  static FileIndexPage decode(FileIndexHeader header, int seed, long number, byte[] bytes)
      throws StreamCorruptedException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    int expected = buffer.getInt(bytes.length - Integer.BYTES);
    int found = crc(seed, number, bytes);
    if (found != expected) {
      throw new StreamCorruptedException(
          String.format("CRC32C %08x of page %d, expected %08x", found, number, expected));
    }
    FileIndexPage page = new FileIndexPage(buffer, number, header.chunksOf(number));
    page.requireOrder(header);
    return page;
  }

  private void requireOrder(FileIndexHeader header) throws StreamCorruptedException {
    boolean first = number == 0;
    boolean last = number == header.pages() - 1;
    boolean ordered = first ? start() == 0 : start() > 0;
    for (int i = 0; i < chunks; i++) {
      ordered &= end(i) > start(i);
    }
    ordered &= last ? end() == header.length() : end() < header.length();
    if (!ordered) {
      throw new StreamCorruptedException(
          "The chunks of page " + number + " do not follow one another");
    }
  }

  private static int crc(int seed, long number, byte[] page) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(12).putInt(seed).putLong(number).flip());
    crc.update(page, 0, page.length - Integer.BYTES);
    return (int) crc.getValue();
  }

  long number() {
    return number;
  }

  int chunks() {
    return chunks;
  }

  /** Where the first chunk begins. */
  long start() {
    return bytes.getLong(0);
  }

  /** Where the last chunk ends. */
  long end() {
    return end(chunks - 1);
  }

  private long start(int chunk) {
    return chunk == 0 ? start() : end(chunk - 1);
  }

  private long end(int chunk) {
    return bytes.getLong(Long.BYTES + chunk * ENTRY_BYTES);
  }

  Chunk chunk(int chunk) {
    byte[] sha256 = new byte[Sha256.BYTES];
    bytes.get(2 * Long.BYTES + chunk * ENTRY_BYTES, sha256);
    return new Chunk(start(chunk), end(chunk) - start(chunk), sha256);
  }

  /** The chunk that contains an offset between {@link #start()} and {@link #end()}. */
  int chunkAt(long offset) {
    int low = 0;
    int high = chunks - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (offset < end(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
