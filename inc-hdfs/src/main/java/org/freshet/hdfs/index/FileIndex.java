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

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.shredder.Chunk;

/**
 * The chunk index of one version of a file, read by ranges. Safe for use by several threads.
 *
 * <p>What is read of it is checked; a part that is damaged is an error when it is read, and then
 * the index as a whole is worth nothing.
 */
public final class FileIndex implements Closeable {
  /*
   * A header and pages of chunks, each with a CRC32C (FileIndexHeader, FileIndexPage). All pages have
   * as many chunks but the last, so that the place of a page is computed and the page of an offset is
   * found by binary search: an index of 100 MB, which is of a file of 10 TB in chunks of 4 MB, needs
   * 14 pages of 10 kB for a range. The first 64 KiB are read at once; most indexes are no longer.
   *
   * A page's CRC is over the CRC of the header and the page's number too: pages that change places, or
   * come from another index, are noticed.
   */
  private static final int PAGE_CHUNKS = 256;

  private static final int HEAD_BYTES = 64 << 10;

  private final FSDataInputStream in;
  private final Path place;
  private final long indexBytes;
  private final byte[] head;
  private final int headerBytes;
  private final FileIndexHeader header;
  private final int seed;
  private FileIndexPage lastPage;

  FileIndex(FSDataInputStream in, FileStatus status) throws IOException {
    this.in = in;
    this.place = status.getPath();
    this.indexBytes = status.getLen();
    this.head = read(0, (int) Math.min(HEAD_BYTES, indexBytes));
    if (head.length < FileIndexHeader.PREFIX_BYTES) {
      throw new StreamCorruptedException(indexBytes + " bytes are less than a header has");
    }
    this.headerBytes = FileIndexHeader.headerBytes(ByteBuffer.wrap(head));
    if (headerBytes > indexBytes) {
      throw new StreamCorruptedException(
          indexBytes + " bytes are less than the header's " + headerBytes);
    }
    this.header = FileIndexHeader.decode(bytes(0, headerBytes));
    long expected = headerBytes + header.pageBytes();
    if (expected != indexBytes) {
      throw new StreamCorruptedException(indexBytes + " bytes, expected " + expected);
    }
    this.seed = header.seed();
  }

  /**
   * Opens an index; reads its header and checks it.
   *
   * @throws StreamCorruptedException if it is none, or damaged
   */
  static FileIndex open(FileSystem fs, FileStatus status) throws IOException {
    FSDataInputStream in = HdfsFiles.open(fs, status);
    try {
      return new FileIndex(in, status);
    } catch (EOFException e) {
      in.close();
      StreamCorruptedException corrupted = new StreamCorruptedException("It ends too early");
      corrupted.initCause(e);
      throw corrupted;
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  /** Writes an index. */
  static void write(
      OutputStream out, String key, String path, FileVersion version, FileIndexContent content)
      throws IOException {
    write(out, key, path, version, content, PAGE_CHUNKS);
  }

  static void write(
      OutputStream out,
      String key,
      String path,
      FileVersion version,
      FileIndexContent content,
      int pageChunks)
      throws IOException {
    List<Chunk> chunks = content.chunks();
    FileIndexHeader header =
        new FileIndexHeader(
            key,
            path,
            version.id(),
            version.content(),
            content.fingerprint(),
            chunks.isEmpty() ? 0 : chunks.get(chunks.size() - 1).end(),
            content.startsWithBom(),
            chunks.size(),
            pageChunks);
    out.write(header.encode());
    int seed = header.seed();
    for (long page = 0; page < header.pages(); page++) {
      int from = (int) (page * pageChunks);
      List<Chunk> part = chunks.subList(from, from + header.chunksOf(page));
      out.write(FileIndexPage.encode(seed, page, part));
    }
  }

  FileIndexHeader header() {
    return header;
  }

  /** Where the index lies. */
  public Path place() {
    return place;
  }

  /** How long the index itself is, in bytes. */
  public long indexBytes() {
    return indexBytes;
  }

  /** The version of the file that it is of. */
  public FileVersion version() {
    return FileVersion.recorded(header.version());
  }

  /** Names the chunker that cut the file: rule, sizes and alignment. */
  public String fingerprint() {
    return header.fingerprint();
  }

  /** Length of the file, in bytes. */
  public long length() {
    return header.length();
  }

  /** How many chunks the file has. */
  public long count() {
    return header.chunks();
  }

  /** Whether the file begins with UTF-8's byte order mark. */
  public boolean startsWithBom() {
    return header.startsWithBom();
  }

  /**
   * The chunks of which there is a byte in a range, in order; none if it is empty.
   *
   * @param from offset of the range's first byte in the file, 0 or more
   * @param to offset behind its last byte, at most {@link #length()}
   * @throws StreamCorruptedException if a page is damaged
   * @throws IOException if a page cannot be read
   */
  public List<Chunk> chunksIn(long from, long to) throws IOException {
    List<Chunk> chunks = new ArrayList<>();
    forEach(from, to, chunks::add);
    return chunks;
  }

  /** All chunks, in order. Errors as with {@link #chunksIn}. */
  public List<Chunk> all() throws IOException {
    return chunksIn(0, length());
  }

  /**
   * As {@link #chunksIn}, without a list: an index may be larger than memory.
   *
   * @param chunks is given each chunk, in order, on the calling thread
   */
  public void forEach(long from, long to, Consumer<Chunk> chunks) throws IOException {
    if (from < 0 || from > to || to > length()) {
      throw new IllegalArgumentException(
          "A range of a file of " + length() + " bytes cannot be " + from + " to " + to);
    }
    if (from == to) {
      return;
    }
    FileIndexPage page = pageAt(from);
    int chunk = page.chunkAt(from);
    while (true) {
      for (; chunk < page.chunks(); chunk++) {
        Chunk next = page.chunk(chunk);
        if (next.offset() >= to) {
          return;
        }
        chunks.accept(next);
      }
      if (page.end() >= to) {
        return;
      }
      page = pageAfter(page);
      chunk = 0;
    }
  }

  private FileIndexPage pageAfter(FileIndexPage page) throws IOException {
    FileIndexPage next = page(page.number() + 1);
    if (next.start() != page.end()) {
      throw new StreamCorruptedException(
          "Page " + next.number() + " begins at " + next.start() + ", expected " + page.end());
    }
    return next;
  }

  /** The page with the chunk that contains an offset. */
  private FileIndexPage pageAt(long offset) throws IOException {
    long low = 0;
    long high = header.pages() - 1;
    while (low < high) {
      long middle = (low + high) >>> 1;
      FileIndexPage page = page(middle);
      if (offset < page.start()) {
        high = middle - 1;
      } else if (offset >= page.end()) {
        low = middle + 1;
      } else {
        return page;
      }
    }
    FileIndexPage page = page(low);
    if (offset < page.start() || offset >= page.end()) {
      throw new StreamCorruptedException("No page has a chunk at " + offset);
    }
    return page;
  }

  private synchronized FileIndexPage page(long number) throws IOException {
    if (lastPage == null || lastPage.number() != number) {
      long offset = headerBytes + header.offsetOf(number);
      byte[] bytes = bytes(offset, FileIndexPage.bytes(header.chunksOf(number)));
      lastPage = FileIndexPage.decode(header, seed, number, bytes);
    }
    return lastPage;
  }

  private byte[] bytes(long offset, int length) throws IOException {
    return offset + length <= head.length
        ? Arrays.copyOfRange(head, (int) offset, (int) offset + length)
        : read(offset, length);
  }

  private byte[] read(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    in.readFully(offset, bytes);
    return bytes;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
