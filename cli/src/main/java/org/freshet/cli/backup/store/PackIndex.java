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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The index file of a pack: where each chunk lies, in the order of the pack, each line with a
 * checksum. It saves reading the pack when a store is opened, and is made again from the pack where
 * it is short or damaged.
 */
final class PackIndex {
  static final long MAGIC = 0x46525348_54494458L; // "FRSHTIDX"
  static final int ENTRY_BYTES = ChunkDigest.BYTES + Long.BYTES + Integer.BYTES + Integer.BYTES;

  private static final int CHECKED_BYTES = ENTRY_BYTES - Integer.BYTES;

  private PackIndex() {}

  /** The lines of these entries. */
  static ByteBuffer encode(List<PackEntry> entries) {
    ByteBuffer lines = ByteBuffer.allocate(entries.size() * ENTRY_BYTES);
    for (PackEntry entry : entries) {
      int start = lines.position();
      entry.digest().put(lines);
      lines.putLong(entry.offset()).putInt(entry.length());
      lines.putInt(checksum(lines, start));
    }
    return lines.flip();
  }

  /** The lines up to the first that is torn or damaged; none if there is no such file. */
  static List<PackEntry> read(Path file) throws IOException {
    List<PackEntry> entries = new ArrayList<>();
    if (!Files.exists(file)) {
      return entries;
    }
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
    if (content.remaining() < PackFormat.HEADER_BYTES
        || content.getLong() != MAGIC
        || content.getInt() != PackFormat.VERSION) {
      return entries;
    }
    content.position(PackFormat.HEADER_BYTES);
    while (content.remaining() >= ENTRY_BYTES) {
      int start = content.position();
      PackEntry entry =
          new PackEntry(ChunkDigest.get(content), content.getLong(), content.getInt());
      if (content.getInt() != checksum(content, start)) {
        return entries;
      }
      entries.add(entry);
    }
    return entries;
  }

  /** Replaces an index by a whole one, durably. */
  static void replace(Path file, List<PackEntry> entries) throws IOException {
    Path whole = file.resolveSibling(file.getFileName() + ".tmp");
    try (FileChannel channel =
        FileChannel.open(
            whole,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      StoreFiles.writeFully(channel, PackFormat.header(MAGIC), encode(entries));
      channel.force(true);
    }
    StoreFiles.publish(whole, file);
  }

  private static int checksum(ByteBuffer lines, int start) {
    CRC32C crc = new CRC32C();
    crc.update(lines.duplicate().position(start).limit(start + CHECKED_BYTES));
    return (int) crc.getValue();
  }
}
