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
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The file of an image: a header, the references to its chunks in order, and a trailer with the
 * image's length, count, time and id, and a digest of all that. Immutable.
 */
public final class ImageFile {
  static final long MAGIC = 0x46525348_54494D47L; // "FRSHTIMG"
  static final String SUFFIX = ".image";
  static final int TRAILER_BYTES = 3 * Long.BYTES + 2 * ChunkDigest.BYTES;

  /** What is read into memory at once is no longer than an array. */
  static final long MOST_CHUNKS =
      (Integer.MAX_VALUE - 64 - PackFormat.HEADER_BYTES - TRAILER_BYTES) / ChunkRef.BYTES;

  private final Image image;
  private final ByteBuffer refs;

  private ImageFile(Image image, ByteBuffer refs) {
    this.image = image;
    this.refs = refs;
  }

  /**
   * Reads and checks a file.
   *
   * @throws IOException if it is not whole
   */
  static ImageFile read(String name, int sequence, Path file) throws IOException {
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
    int refBytes = content.limit() - PackFormat.HEADER_BYTES - TRAILER_BYTES;
    if (refBytes < 0 || refBytes % ChunkRef.BYTES != 0) {
      throw damaged(file);
    }
    ByteBuffer refs = content.slice(PackFormat.HEADER_BYTES, refBytes);
    ByteBuffer trailer = content.slice(PackFormat.HEADER_BYTES + refBytes, TRAILER_BYTES);
    Image image =
        new Image(
            name,
            sequence,
            trailer.getLong(),
            trailer.getLong(),
            Instant.ofEpochMilli(trailer.getLong()),
            ChunkDigest.get(trailer));
    ByteBuffer header = content.slice(0, PackFormat.HEADER_BYTES);
    if (!header.equals(PackFormat.header(MAGIC))
        || image.chunks() != refBytes / ChunkRef.BYTES
        || !ChunkDigest.ofContent(refs).equals(image.id())
        || !trailer(image).equals(trailer.rewind())) {
      throw damaged(file);
    }
    return new ImageFile(image, refs);
  }

  /** What the file says of the image. */
  public Image image() {
    return image;
  }

  /** The references in the image's order, this many at a time, read as they are asked for. */
  public Iterable<List<ChunkRef>> batches(int size) {
    int count = refs.limit() / ChunkRef.BYTES;
    return () ->
        IntStream.iterate(0, from -> from < count, from -> from + size)
            .mapToObj(from -> refs(from, Math.min(count, from + size)))
            .iterator();
  }

  private List<ChunkRef> refs(int from, int to) {
    ByteBuffer left = refs.slice(from * ChunkRef.BYTES, (to - from) * ChunkRef.BYTES);
    List<ChunkRef> batch = new ArrayList<>(to - from);
    while (left.hasRemaining()) {
      batch.add(ChunkRef.get(left));
    }
    return batch;
  }

  static String fileName(int sequence) {
    return String.format(Locale.ROOT, "%08d%s", sequence, SUFFIX);
  }

  static ByteBuffer trailer(Image image) {
    ByteBuffer trailer = ByteBuffer.allocate(TRAILER_BYTES);
    trailer.putLong(image.bytes()).putLong(image.chunks()).putLong(image.created().toEpochMilli());
    image.id().put(trailer);
    MessageDigest check = ChunkDigest.start();
    check.update(PackFormat.header(MAGIC));
    check.update(trailer.duplicate().flip());
    trailer.put(check.digest());
    return trailer.flip();
  }

  private static IOException damaged(Path file) {
    return new IOException(file + " is damaged; put the image again");
  }
}
