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
abstract class FramedFormat implements RecordFormat {
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
  abstract Frames header(HeaderReader in, MarkBoundaries boundaries) throws IOException;

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
    try (InputStream in = new BufferedInputStream(source.open(0), BUFFER_BYTES)) {
      MarkBoundaries boundaries = new MarkBoundaries(name());
      HeaderReader header = new HeaderReader(in);
      Frames frames = header(header, boundaries);
      byte[] masked = header.masked(Frames.MARKER_BYTES);
      chunks.add(new Chunk(0, masked.length, sha256(masked)));
      new Chunker(sizes.with(boundaries))
          .chunk(
              new FramedStream(in, frames),
              executor,
              parallelism,
              chunk ->
                  chunks.add(
                      new Chunk(masked.length + chunk.offset(), chunk.length(), chunk.sha256())));
    } catch (NotCuttableException e) {
      LOG.debug("A file is left whole, as it is no {} that can be cut", name(), e);
      return Optional.empty();
    }
    long end = chunks.get(chunks.size() - 1).end();
    if (end != source.length()) {
      throw new SourceChangedException(
          "The source has " + end + " bytes, not its length of " + source.length());
    }
    return chunks.size() == 1 ? Optional.empty() : Optional.of(List.copyOf(chunks));
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
