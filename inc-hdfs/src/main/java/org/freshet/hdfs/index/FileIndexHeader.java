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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The first bytes of a file's chunk index: whose it is, and how to find the pages behind it. An
 * immutable value.
 *
 * <pre>
 * int magic, int format, int bytes of the header
 *   UTF key, UTF path, UTF version, UTF content, UTF fingerprint,
 *   long length, boolean startsWithBom, long chunks, int chunks per page
 * int CRC32C of everything before
 * </pre>
 *
 * @param key names the file however it is called: of the index's own name
 * @param path that the file had when the index was made
 * @param version {@link FileVersion#id()} of the file
 * @param content {@link FileVersion#content()} of the file
 * @param fingerprint of the chunker
 * @param length of the file, in bytes
 * @param startsWithBom as {@link FileChunks#startsWithBom()}
 * @param chunks how many there are
 * @param pageChunks how many each page has but the last
 */
record FileIndexHeader(
    String key,
    String path,
    String version,
    String content,
    String fingerprint,
    long length,
    boolean startsWithBom,
    long chunks,
    int pageChunks) {
  /** Bytes from which {@link #headerBytes} tells the length of the header. */
  static final int PREFIX_BYTES = 12;

  private static final int MAGIC = 0x46434649; // FCFI
  private static final int FORMAT = 1;
  private static final int CRC_BYTES = 4;
  private static final int LARGEST = 1 << 20;

  /** The header as it stands in a file. */
  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(new byte[PREFIX_BYTES]);
      out.writeUTF(key);
      out.writeUTF(path);
      out.writeUTF(version);
      out.writeUTF(content);
      out.writeUTF(fingerprint);
      out.writeLong(length);
      out.writeBoolean(startsWithBom);
      out.writeLong(chunks);
      out.writeInt(pageChunks);
      out.write(new byte[CRC_BYTES]);
    } catch (IOException e) {
      throw new UncheckedIOException("A text has more than 65535 bytes", e);
    }
    ByteBuffer header = ByteBuffer.wrap(bytes.toByteArray());
    header.putInt(0, MAGIC).putInt(4, FORMAT).putInt(8, header.capacity());
    int body = header.capacity() - CRC_BYTES;
    return header.putInt(body, crc(header.array(), body)).array();
  }

  /**
   * How many bytes the header has that begins with these {@value #PREFIX_BYTES}.
   *
   * @throws StreamCorruptedException if they begin something else
   */
  static int headerBytes(ByteBuffer prefix) throws StreamCorruptedException {
    int magic = prefix.getInt(0);
    int format = prefix.getInt(4);
    int bytes = prefix.getInt(8);
    if (magic != MAGIC || format != FORMAT) {
      throw new StreamCorruptedException(
          String.format(
              "Magic %08x and format %d, expected %08x and %d", magic, format, MAGIC, FORMAT));
    }
    if (bytes < PREFIX_BYTES + CRC_BYTES || bytes > LARGEST) {
      throw new StreamCorruptedException(
          "A header of " + bytes + " bytes, expected up to " + LARGEST);
    }
    return bytes;
  }

  /**
   * The header in these bytes.
   *
   * @throws StreamCorruptedException if they are not what {@link #encode} gave
   */
  static FileIndexHeader decode(byte[] bytes) throws IOException {
    int body = bytes.length - CRC_BYTES;
    int expected = ByteBuffer.wrap(bytes).getInt(body);
    int found = crc(bytes, body);
    if (found != expected) {
      throw new StreamCorruptedException(
          String.format("CRC32C %08x of the header, expected %08x", found, expected));
    }
    DataInputStream in =
        new DataInputStream(
            new ByteArrayInputStream(bytes, PREFIX_BYTES, bytes.length - PREFIX_BYTES));
    FileIndexHeader header =
        new FileIndexHeader(
            in.readUTF(),
            in.readUTF(),
            in.readUTF(),
            in.readUTF(),
            in.readUTF(),
            in.readLong(),
            in.readBoolean(),
            in.readLong(),
            in.readInt());
    boolean possible =
        header.length >= header.chunks
            && header.chunks >= 0
            && header.length > 0 == header.chunks > 0
            && header.pageChunks > 0
            && header.pageChunks <= FileIndexPage.MOST_CHUNKS;
    if (!possible) {
      throw new StreamCorruptedException(
          header.chunks
              + " chunks of "
              + header.length
              + " bytes in pages of "
              + header.pageChunks
              + " cannot be");
    }
    return header;
  }

  /** Distinguishes the pages behind this header from those of other indexes. */
  int seed() {
    byte[] bytes = encode();
    return ByteBuffer.wrap(bytes).getInt(bytes.length - CRC_BYTES);
  }

  long pages() {
    return (chunks + pageChunks - 1) / pageChunks;
  }

  /** How many chunks a page has. */
  int chunksOf(long page) {
    return (int) Math.min(pageChunks, chunks - page * pageChunks);
  }

  /** Length of the pages, in bytes. */
  long pageBytes() {
    return pages() * FileIndexPage.OVERHEAD + chunks * FileIndexPage.ENTRY_BYTES;
  }

  /** Where a page begins, counted from the end of the header. */
  long offsetOf(long page) {
    return page * FileIndexPage.bytes(pageChunks);
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
