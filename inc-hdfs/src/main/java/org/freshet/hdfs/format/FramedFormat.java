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
package org.freshet.hdfs.format;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.LongConsumer;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunk;
import org.freshet.shredder.Chunker;
import org.freshet.shredder.ChunkerConfig;
import org.freshet.shredder.SourceChangedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Container files: a header that ends with a random marker, and a body in which the marker comes
 * again and again, so that a reader can begin at any of them.
 */
public abstract class FramedFormat implements RecordFormat {
  /*
   * Each file has a marker of its own, so no two files have an equal chunk, not even two with the
   * same records. Hence the canonical form, in which markers are zero. It says all that the bytes say
   * but the marker: a reader finds markers by the lengths in front of them, and so do we, never by
   * searching; bytes that only look like a marker stay what they are. A file in which any marker is
   * not where the lengths say is left whole.
   *
   * A chunk begins and ends behind a marker, as the reader that is given the split before that marker
   * reads what is behind it, and stops at the marker before which its split ends. Lengths are known
   * only from the file's start on, so one thread follows them; searching and digesting is for others.
   */
  private static final Logger LOG = LoggerFactory.getLogger(FramedFormat.class);
  private static final int BUFFER_BYTES = 256 << 10;

  /** What every file of the format begins with. */
  abstract byte[] magic();

  /** Reads the header, up to and with the marker. */
  abstract Frames header(HeaderReader in, LongConsumer boundaries) throws IOException;

  FramedFormat() {}

  /** Follows a file of this format from its first byte. As {@link FrameScan#FrameScan}. */
  public final FrameScan scan(LongConsumer boundaries) {
    return new FrameScan(this, boundaries);
  }

  /**
   * Follows a file of this format from one of its boundaries.
   *
   * @param header all bytes of the file's header
   * @param start where to begin: at the header's end or a boundary behind it
   * @param boundaries is told of each boundary, as an offset in the file, ascending
   * @throws NotCuttableException if that is no header of this format
   */
  public final FrameScan scan(byte[] header, long start, LongConsumer boundaries)
      throws IOException {
    FrameScan scan = new FrameScan(this, boundaries);
    scan.goOn(header, start);
    return scan;
  }

  @Override
  public final String fingerprint(ChunkerConfig sizes) {
    return sizes.with(new MarkBoundaries(name())).fingerprint();
  }

  @Override
  public final boolean hasHeader() {
    return true;
  }

  @Override
  public final Optional<List<Chunk>> chunks(
      ByteSource source, ChunkerConfig sizes, ExecutorService executor, int parallelism)
      throws IOException {
    List<Chunk> chunks = new ArrayList<>();
    Optional<HeaderReader> header =
        read(
            source,
            sizes,
            (chunker, body, start) -> {
              chunker.chunk(
                  body,
                  executor,
                  parallelism,
                  chunk ->
                      chunks.add(
                          new Chunk(start + chunk.offset(), chunk.length(), chunk.digest())));
              return chunks.isEmpty() ? start : chunks.get(chunks.size() - 1).end();
            });
    if (header.isEmpty()) {
      return Optional.empty();
    }
    chunks.add(0, chunk(header.get()));
    return Optional.of(List.copyOf(chunks));
  }

  /**
   * Where a file is to be cut.
   *
   * @param header all bytes of its header
   * @param cuts where chunks end, the first of which is the header; ascending
   */
  public record Boundaries(byte[] header, List<Long> cuts) {}

  /** As {@link #chunks}, without digests, on the calling thread alone. */
  public final Optional<Boundaries> boundaries(ByteSource source, ChunkerConfig sizes)
      throws IOException {
    List<Long> cuts = new ArrayList<>();
    Optional<HeaderReader> header =
        read(
            source,
            sizes,
            (chunker, body, start) -> {
              cuts.add(start);
              chunker.boundaries(body, cut -> cuts.add(start + cut));
              return cuts.get(cuts.size() - 1);
            });
    return header.map(read -> new Boundaries(read.all(), List.copyOf(cuts)));
  }

  /** Reads what is behind a header of length {@code start} and gives the offset of its end. */
  private interface Body {
    long read(Chunker chunker, InputStream masked, long start) throws IOException;
  }

  /** Reads a file; empty if it is to be left whole. */
  private Optional<HeaderReader> read(ByteSource source, ChunkerConfig sizes, Body body)
      throws IOException {
    HeaderReader header;
    long start;
    long end;
    try (InputStream in = new BufferedInputStream(source.open(0), BUFFER_BYTES)) {
      MarkBoundaries boundaries = new MarkBoundaries(name());
      header = new HeaderReader(in);
      Frames frames = header(header, boundaries::add);
      start = header.all().length;
      end = body.read(new Chunker(sizes.with(boundaries)), new FramedStream(in, frames), start);
    } catch (NotCuttableException e) {
      LOG.debug("A file is left whole, as it is no {} that can be cut", name(), e);
      return Optional.empty();
    }
    if (end != source.length()) {
      throw new SourceChangedException(
          "The source has " + end + " bytes, not its length of " + source.length());
    }
    return end == start ? Optional.empty() : Optional.of(header);
  }

  /** The chunk that a header is. */
  static Chunk chunk(HeaderReader header) {
    byte[] masked = header.masked(Frames.MARKER_BYTES);
    return new Chunk(0, masked.length, sha256(masked));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every Java platform must provide SHA-256", e);
    }
  }

  @Override
  public final boolean equals(Object other) {
    return other != null && getClass() == other.getClass();
  }

  @Override
  public final int hashCode() {
    return name().hashCode();
  }

  @Override
  public final String toString() {
    return name();
  }
}
