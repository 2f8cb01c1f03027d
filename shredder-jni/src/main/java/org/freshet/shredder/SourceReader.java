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
package org.freshet.shredder;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * Reads a source in order into buffers and notices if it is not as long as it says. For one thread.
 */
public final class SourceReader implements Closeable {
  /** Reading into heap buffers goes through a buffer of the JDK's, which should fit the cache. */
  private static final int PIECE_BYTES = 256 << 10;

  private static final long UNKNOWN = Long.MAX_VALUE;

  private final ReadableByteChannel in;
  private final long length;
  private long position;

  /**
   * Opens {@code source}.
   *
   * @param offset where to begin: 0 to {@code source.length()}
   * @throws SourceChangedException if the source has become shorter than {@code offset}
   * @throws IOException if the source cannot be read
   */
  public SourceReader(ByteSource source, long offset) throws IOException {
    this.length = source.length();
    this.position = offset;
    try {
      this.in = source.openChannel(offset);
    } catch (EOFException e) {
      throw shorter(e);
    }
  }

  /** Reads all that {@code in} has, however much that is, and leaves it open. */
  SourceReader(InputStream in) {
    this.length = UNKNOWN;
    this.in = new StreamChannel(in);
  }

  /** Offset in the source of the byte that is read next. */
  public long position() {
    return position;
  }

  /**
   * Puts the next bytes of the source at absolute index {@code from} to {@code to - 1}; the
   * buffer's position and limit are neither heeded nor changed.
   *
   * @return how many bytes there were: fewer than {@code to - from} only at the source's end
   * @throws SourceChangedException if the source ends before its length or goes on after it
   * @throws IOException if the source cannot be read
   */
  public int fill(ByteBuffer bytes, int from, int to) throws IOException {
    int end = from + (int) Math.min(to - from, length - position);
    ByteBuffer view = bytes.duplicate();
    view.clear();
    int at = from;
    while (at < end) {
      view.limit(Math.min(end, at + PIECE_BYTES)).position(at);
      int read = read(view);
      if (read < 0) {
        if (length == UNKNOWN) {
          return at - from;
        }
        throw shorter(null);
      }
      position += read;
      at += read;
    }
    if (position == length) {
      requireEnd();
    }
    return end - from;
  }

  private int read(ByteBuffer view) throws IOException {
    try {
      return in.read(view);
    } catch (EOFException e) {
      throw shorter(e);
    }
  }

  private void requireEnd() throws IOException {
    if (in.read(ByteBuffer.allocate(1)) > 0) {
      throw new SourceChangedException("The source goes on after its length of " + length);
    }
  }

  private SourceChangedException shorter(EOFException cause) {
    return new SourceChangedException(
        "The source ends near " + position + ", before its length of " + length, cause);
  }

  @Override
  public void close() throws IOException {
    if (length != UNKNOWN) {
      in.close();
    }
  }
}
