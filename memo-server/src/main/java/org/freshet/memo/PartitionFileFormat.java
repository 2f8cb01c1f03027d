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

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.slider.Digest;

/*
 *   magic      8
 *   entries    n x 96: id 32, content 32, pack number 4, offset 8, stored length 8, raw length 8, CRC-32C 4
 *   tail       names of the packs, the record
 *   footer     n 8, length of the tail 4, SHA-256 of the entries 32, SHA-256 of the tail 32, CRC-32C 4, magic 8
 *
 * The digest of the entries is the file's identity, for caches; checking it would mean reading all of them,
 * which is what each entry's own checksum is for.
 */
/** The stored form of a {@link PartitionFile}. */
final class PartitionFileFormat {
  static final int ENTRY_BYTES = 2 * Digest.BYTES + 4 + 3 * 8 + 4;

  private static final byte[] MAGIC = "FRSHIDX1".getBytes(StandardCharsets.US_ASCII);
  private static final int FOOTER_BYTES = 8 + 4 + 2 * Digest.BYTES + 4 + MAGIC.length;
  private static final int FIRST_READ_BYTES = 64 << 10;

  private PartitionFileFormat() {}

  /** What is read on opening: number of entries, the file's identity, pack names, the record. */
  record Tail(long entries, Digest identity, List<String> packs, byte[] record) {}

  /** An open file and its tail. */
  record Opened(FSDataInputStream in, Tail tail) {}

  /** Where in the file the k-th entry begins. */
  static long entryPosition(long k) {
    return MAGIC.length + k * ENTRY_BYTES;
  }

  static void write(
      FileSystem fs, Path file, Collection<PartitionFile.Entry> entries, byte[] record)
      throws IOException {
    Map<String, Integer> packs = new LinkedHashMap<>();
    List<byte[]> encoded = new ArrayList<>(entries.size());
    for (PartitionFile.Entry entry : entries) {
      encoded.add(encode(entry, packs));
    }
    // A stable sort keeps the first of several entries with one id in front.
    encoded.sort((a, b) -> Arrays.compareUnsigned(a, 0, Digest.BYTES, b, 0, Digest.BYTES));
    byte[] tail = encodeTail(packs.keySet(), record);
    NewFile.write(fs, file, false, out -> writeAll(out, encoded, tail));
  }

  private static void writeAll(OutputStream stream, List<byte[]> sorted, byte[] tail)
      throws IOException {
    BufferedOutputStream out = new BufferedOutputStream(stream, FIRST_READ_BYTES);
    MessageDigest sha256 = Digest.newSha256();
    out.write(MAGIC);
    long count = 0;
    byte[] previous = null;
    for (byte[] entry : sorted) {
      if (previous == null || !Arrays.equals(previous, 0, Digest.BYTES, entry, 0, Digest.BYTES)) {
        out.write(entry);
        sha256.update(entry);
        count++;
      }
      previous = entry;
    }
    out.write(tail);
    ByteBuffer footer = ByteBuffer.allocate(FOOTER_BYTES);
    footer.putLong(count).putInt(tail.length);
    footer.put(sha256.digest()).put(Digest.sha256(tail).toByteArray());
    footer.putInt(crc(footer.array(), 0, footer.position())).put(MAGIC);
    out.write(footer.array());
    out.flush();
  }

  private static byte[] encode(PartitionFile.Entry entry, Map<String, Integer> packs) {
    RunRef run = entry.run();
    Integer known = packs.putIfAbsent(run.pack(), packs.size());
    ByteBuffer b = ByteBuffer.allocate(ENTRY_BYTES);
    b.put(entry.id().toByteArray()).put(run.content().toByteArray());
    b.putInt(known != null ? known : packs.size() - 1);
    b.putLong(run.offset()).putLong(run.storedLength()).putLong(run.rawLength());
    return b.putInt(crc(b.array(), 0, b.position())).array();
  }

  /** Whether the entry at a position of a block is as it was written. */
  static boolean isIntact(byte[] block, int at) {
    int length = ENTRY_BYTES - 4;
    return crc(block, at, length) == ByteBuffer.wrap(block).getInt(at + length);
  }

  /** Decodes an intact entry. */
  static PartitionFile.Entry decode(byte[] block, int at, List<String> packs) {
    ByteBuffer b = ByteBuffer.wrap(block, at, ENTRY_BYTES);
    Digest id = digest(b);
    Digest content = digest(b);
    String pack = packs.get(b.getInt());
    return new PartitionFile.Entry(
        id, new RunRef(content, pack, b.getLong(), b.getLong(), b.getLong()));
  }

  static Opened open(FileSystem fs, Path file) throws IOException {
    FSDataInputStream in = null;
    try {
      long length = fs.getFileStatus(file).getLen();
      if (length < MAGIC.length + FOOTER_BYTES) {
        throw new CorruptStoreException(
            "%s has %d bytes, expected at least %d"
                .formatted(file, length, MAGIC.length + FOOTER_BYTES));
      }
      in = fs.open(file);
      return new Opened(in, readTail(in, file, length));
    } catch (IOException | FSError e) {
      if (in != null) {
        in.close();
      }
      if (e instanceof EOFException
          || e instanceof FileNotFoundException
          || e instanceof ChecksumException) {
        throw new CorruptStoreException("cannot read " + file + ": " + e, e);
      }
      if (e instanceof IOException io) {
        throw io;
      }
      throw new IOException("cannot read " + file + ": " + e, e);
    }
  }

  private static Tail readTail(FSDataInputStream in, Path file, long length) throws IOException {
    byte[] end = new byte[(int) Math.min(length, FIRST_READ_BYTES)];
    in.readFully(length - end.length, end);
    int footerAt = end.length - FOOTER_BYTES;
    ByteBuffer footer = ByteBuffer.wrap(end, footerAt, FOOTER_BYTES);
    long entries = footer.getLong();
    int tailLength = footer.getInt();
    Digest identity = digest(footer);
    Digest expected = digest(footer);
    int crcAt = footer.position();
    boolean intact =
        footer.getInt() == crc(end, footerAt, crcAt - footerAt)
            && Arrays.equals(end, footer.position(), end.length, MAGIC, 0, MAGIC.length);
    if (!intact) {
      throw new CorruptStoreException(file + " does not end as a partition file does");
    }
    long tailAt = length - FOOTER_BYTES - tailLength;
    if (entries < 0 || tailLength < 0 || entryPosition(entries) != tailAt) {
      throw new CorruptStoreException(
          "%s has %d bytes, which %d entries and a tail of %d bytes do not add up to"
              .formatted(file, length, entries, tailLength));
    }
    byte[] tail;
    if (tailLength <= footerAt) {
      tail = Arrays.copyOfRange(end, footerAt - tailLength, footerAt);
    } else {
      tail = new byte[tailLength];
      in.readFully(tailAt, tail);
    }
    Digest actual = Digest.sha256(tail);
    if (!actual.equals(expected)) {
      throw new CorruptStoreException(
          "tail of %s has SHA-256 %s, expected %s".formatted(file, actual.hex(), expected.hex()));
    }
    return decodeTail(tail, entries, identity);
  }

  private static byte[] encodeTail(Collection<String> packs, byte[] record) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    Wire.writeUnsigned(out, packs.size());
    for (String pack : packs) {
      Wire.writeString(out, pack);
    }
    Wire.writeUnsigned(out, record.length);
    out.write(record);
    return bytes.toByteArray();
  }

  private static Tail decodeTail(byte[] tail, long entries, Digest identity) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(tail));
    List<String> packs = new ArrayList<>();
    for (int n = Wire.readInt(in, "number of packs", tail.length); n > 0; n--) {
      packs.add(Wire.readString(in, "pack name"));
    }
    byte[] record = new byte[Wire.readInt(in, "length of the record", in.available())];
    in.readFully(record);
    return new Tail(entries, identity, List.copyOf(packs), record);
  }

  private static Digest digest(ByteBuffer b) {
    byte[] bytes = new byte[Digest.BYTES];
    b.get(bytes);
    return Digest.of(bytes);
  }

  private static int crc(byte[] bytes, int at, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, at, length);
    return (int) crc.getValue();
  }
}
