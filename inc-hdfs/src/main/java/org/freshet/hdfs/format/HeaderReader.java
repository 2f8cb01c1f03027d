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

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads a header and keeps its bytes. Whatever is wrong with it is a NotCuttableException. */
final class HeaderReader {
  /** Headers hold class names, schemas and what users add; this is beyond any of them, in bytes. */
  private static final int LONGEST = 4 << 20;

  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private final DataInputStream in;

  /** How many bytes must be there, or more; 0 if there were enough. */
  private long needed;

  HeaderReader(InputStream in) {
    this.in = new DataInputStream(new Kept(in));
  }

  /** Reads a part of the header. */
  interface Part<T> {
    T from(DataInputStream in) throws IOException;
  }

  <T> T read(Part<T> part) throws IOException {
    return read(part, 1);
  }

  private <T> T read(Part<T> part, int leastBytes) throws IOException {
    long start = read.size();
    try {
      return part.from(in);
    } catch (EOFException e) {
      needed = Math.max(start + leastBytes, read.size() + 1L);
      throw new NotCuttableException("it ends within its header");
    }
  }

  /** Reads {@code length} bytes. */
  byte[] bytes(long length) throws IOException {
    if (length < 0 || length > LONGEST - read.size()) {
      throw new NotCuttableException("a header with a part of " + length + " bytes");
    }
    byte[] bytes = new byte[(int) length];
    return read(
        data -> {
          data.readFully(bytes);
          return bytes;
        },
        bytes.length);
  }

  /** How many bytes a header has at least that ended too early; 0 if it did not. */
  long needed() {
    return needed;
  }

  /** All bytes read. */
  byte[] all() {
    return read.toByteArray();
  }

  /** All bytes read, but for the last {@code masked}, which are zero in the result. */
  byte[] masked(int masked) {
    byte[] bytes = read.toByteArray();
    java.util.Arrays.fill(bytes, bytes.length - masked, bytes.length, (byte) 0);
    return bytes;
  }

  private final class Kept extends FilterInputStream {
    Kept(InputStream in) {
      super(in);
    }

    private void check(int more) throws NotCuttableException {
      if (read.size() + more > LONGEST) {
        throw new NotCuttableException("its header is longer than " + LONGEST + " bytes");
      }
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      if (value >= 0) {
        check(1);
        read.write(value);
      }
      return value;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = super.read(bytes, from, length);
      if (count > 0) {
        check(count);
        read.write(bytes, from, count);
      }
      return count;
    }
  }
}
