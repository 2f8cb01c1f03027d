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

import java.util.Arrays;
import java.util.HexFormat;

/** A range of a source, with the digest of its bytes. An immutable value. */
public final class Chunk {
  private final long offset;
  private final long length;
  private final byte[] digest;

  /**
   * @param offset of the first byte, 0 or more
   * @param length in bytes, at least 1
   * @param digest 32 bytes, which are copied
   */
  public Chunk(long offset, long length, byte[] digest) {
    this(digest.clone(), offset, length);
  }

  private Chunk(byte[] digest, long offset, long length) {
    if (offset < 0 || length < 1 || digest.length != DigestAlgorithm.BYTES) {
      throw new IllegalArgumentException(
          "A chunk needs an offset of 0 or more, a length of 1 or more and a digest of "
              + DigestAlgorithm.BYTES
              + " bytes, not "
              + offset
              + ", "
              + length
              + " and "
              + digest.length);
    }
    this.offset = offset;
    this.length = length;
    this.digest = digest;
  }

  /** The same with a digest that is nobody else's. */
  static Chunk owning(byte[] digest, long offset, long length) {
    return new Chunk(digest, offset, length);
  }

  /** Offset of the first byte in the source. */
  public long offset() {
    return offset;
  }

  /** Length in bytes. */
  public long length() {
    return length;
  }

  /** Offset behind the last byte. */
  public long end() {
    return offset + length;
  }

  /**
   * The digest of the bytes, in a new array of 32: SHA-256, unless the chunker was told otherwise.
   */
  public byte[] digest() {
    return digest.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Chunk that
        && offset == that.offset
        && length == that.length
        && Arrays.equals(digest, that.digest);
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(offset) + Arrays.hashCode(digest);
  }

  @Override
  public String toString() {
    return "Chunk[" + offset + " + " + length + ", " + HexFormat.of().formatHex(digest) + "]";
  }
}
