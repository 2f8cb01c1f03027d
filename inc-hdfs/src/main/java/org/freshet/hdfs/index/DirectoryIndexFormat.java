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

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StreamCorruptedException;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.freshet.shredder.Chunk;

/**
 * The bytes of an index file: the chunks of the files of one directory.
 *
 * <pre>
 * int magic, int version, UTF key, int files,
 *   per file: UTF name, UTF version, long length, boolean startsWithBom, int chunks,
 *     per chunk: long length, 32 bytes SHA-256
 * 32 bytes SHA-256 of everything before
 * </pre>
 *
 * <p>Numbers are big-endian, texts in {@link java.io.DataOutput}'s modified UTF-8. The key says for
 * which directory, chunker and mode the index was made.
 */
final class DirectoryIndexFormat {
  private static final int MAGIC = 0x46434958; // FCIX
  private static final int VERSION = 1;

  private DirectoryIndexFormat() {}

  static void write(OutputStream out, String key, Map<String, IndexedFile> files)
      throws IOException {
    DigestOutputStream digesting =
        new DigestOutputStream(new BufferedOutputStream(out, 1 << 16), Sha256.start());
    DataOutputStream data = new DataOutputStream(digesting);
    data.writeInt(MAGIC);
    data.writeInt(VERSION);
    data.writeUTF(key);
    data.writeInt(files.size());
    for (Map.Entry<String, IndexedFile> entry : files.entrySet()) {
      IndexedFile file = entry.getValue();
      data.writeUTF(entry.getKey());
      data.writeUTF(file.version());
      data.writeLong(file.length());
      data.writeBoolean(file.startsWithBom());
      data.writeInt(file.chunks().size());
      for (Chunk chunk : file.chunks()) {
        data.writeLong(chunk.length());
        data.write(chunk.digest());
      }
    }
    data.flush();
    byte[] trailer = digesting.getMessageDigest().digest();
    digesting.on(false);
    data.write(trailer);
    data.flush();
  }

  /**
   * The files in an index, by name.
   *
   * @throws StreamCorruptedException if {@code bytes} are not what {@link #write} wrote for {@code
   *     key}
   */
  static Map<String, IndexedFile> read(byte[] bytes, String key) throws IOException {
    requireIntact(bytes);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    int magic = in.readInt();
    int version = in.readInt();
    if (magic != MAGIC || version != VERSION) {
      throw new StreamCorruptedException(
          String.format(
              "Magic %08x and version %d, expected %08x and %d", magic, version, MAGIC, VERSION));
    }
    String foundKey = in.readUTF();
    if (!foundKey.equals(key)) {
      throw new StreamCorruptedException(
          "Index of '" + foundKey + "', expected that of '" + key + "'");
    }
    int count = in.readInt();
    Map<String, IndexedFile> files = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      files.put(in.readUTF(), readFile(in));
    }
    return files;
  }

  private static IndexedFile readFile(DataInputStream in) throws IOException {
    String version = in.readUTF();
    long length = in.readLong();
    boolean startsWithBom = in.readBoolean();
    int count = in.readInt();
    List<Chunk> chunks = new ArrayList<>(count);
    long offset = 0;
    for (int i = 0; i < count; i++) {
      long chunkLength = in.readLong();
      byte[] sha256 = in.readNBytes(Sha256.BYTES);
      chunks.add(new Chunk(offset, chunkLength, sha256));
      offset += chunkLength;
    }
    return new IndexedFile(version, length, startsWithBom, chunks);
  }

  private static void requireIntact(byte[] bytes) throws IOException {
    int body = bytes.length - Sha256.BYTES;
    if (body < 0) {
      throw new StreamCorruptedException(
          bytes.length + " bytes, expected at least " + Sha256.BYTES);
    }
    MessageDigest sha256 = Sha256.start();
    sha256.update(bytes, 0, body);
    byte[] found = sha256.digest();
    byte[] trailer = Arrays.copyOfRange(bytes, body, bytes.length);
    if (!Arrays.equals(found, trailer)) {
      HexFormat hex = HexFormat.of();
      throw new StreamCorruptedException(
          "SHA-256 " + hex.formatHex(found) + ", expected " + hex.formatHex(trailer));
    }
  }
}
