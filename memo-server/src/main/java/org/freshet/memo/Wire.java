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

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Numbers and strings as the store's files hold them: LEB128 variable-length integers, zigzag for
 * signed ones, and length-prefixed UTF-8. Reading is defensive, for it happens before a file's
 * digest can be checked: nothing is allocated on the word of a damaged length, and what cannot be
 * right is a {@link CorruptStoreException}.
 */
final class Wire {
  /** Longest string, in UTF-8 bytes; bounds what a damaged length can make a reader allocate. */
  static final int MAX_STRING_BYTES = 16 << 20;

  private Wire() {}

  static void writeUnsigned(DataOutput out, long value) throws IOException {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.writeByte((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.writeByte((int) rest);
  }

  static long readUnsigned(DataInput in) throws IOException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte b = in.readByte();
      value |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new CorruptStoreException("variable-length number has more than 10 bytes");
  }

  static void writeSigned(DataOutput out, long value) throws IOException {
    writeUnsigned(out, (value << 1) ^ (value >> 63));
  }

  static long readSigned(DataInput in) throws IOException {
    long zigzag = readUnsigned(in);
    return (zigzag >>> 1) ^ -(zigzag & 1);
  }

  /** Reads a count, length or index of at most {@code max}. */
  static int readInt(DataInput in, String what, int max) throws IOException {
    long value = readUnsigned(in);
    if (value < 0 || value > max) {
      throw new CorruptStoreException(what + " is " + value + ", expected 0 to " + max);
    }
    return (int) value;
  }

  static void writeString(DataOutput out, String s) throws IOException {
    byte[] utf8 = s.getBytes(StandardCharsets.UTF_8);
    if (utf8.length > MAX_STRING_BYTES) {
      throw new IOException(
          "string of %d bytes, expected at most %d: %.100s..."
              .formatted(utf8.length, MAX_STRING_BYTES, s));
    }
    writeUnsigned(out, utf8.length);
    out.write(utf8);
  }

  static String readString(DataInput in, String what) throws IOException {
    byte[] utf8 = new byte[readInt(in, "length of " + what, MAX_STRING_BYTES)];
    in.readFully(utf8);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new CorruptStoreException(what + " is not UTF-8", e);
    }
  }
}
