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
package org.freshet.slider;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/**
 * A SHA-256 value (FIPS 180-4). Immutable and safe to share between threads.
 *
 * <p>The order is that of the bytes taken as unsigned numbers, most significant first, which is
 * also the order of {@link #hex()} as text.
 */
public final class Digest implements Comparable<Digest> {
  /** Length of a digest in bytes. */
  public static final int BYTES = 32;

  private static final int WORDS = BYTES / Long.BYTES;
  private static final HexFormat HEX = HexFormat.of();

  // Four words take half the memory of a byte array with its header and need no indirection; trees
  // over a million leaves hold millions of these.
  private final long w0;
  private final long w1;
  private final long w2;
  private final long w3;

  private Digest(long w0, long w1, long w2, long w3) {
    this.w0 = w0;
    this.w1 = w1;
    this.w2 = w2;
    this.w3 = w3;
  }

  /**
   * The digest with the given bytes, which are copied.
   *
   * @throws IllegalArgumentException if there are not exactly {@value #BYTES} bytes
   */
  public static Digest of(byte[] thirtyTwoBytes) {
    if (thirtyTwoBytes.length != BYTES) {
      throw new IllegalArgumentException(
          "A SHA-256 digest has " + BYTES + " bytes, not " + thirtyTwoBytes.length);
    }
    ByteBuffer in = ByteBuffer.wrap(thirtyTwoBytes);
    return new Digest(in.getLong(), in.getLong(), in.getLong(), in.getLong());
  }

  /** The SHA-256 of {@code data}. */
  public static Digest sha256(byte[] data) {
    return of(newSha256().digest(data));
  }

  /** A fresh SHA-256 computation, for use by one thread. */
  public static MessageDigest newSha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every Java platform must provide SHA-256", e);
    }
  }

  /** Ends the computation {@code md} and resets it, as {@link MessageDigest#digest()} does. */
  public static Digest finish(MessageDigest md) {
    return of(md.digest());
  }

  /**
   * Reads the {@value #BYTES} bytes that {@link #write} wrote.
   *
   * @throws IOException if {@code in} fails or ends early
   */
  public static Digest read(DataInput in) throws IOException {
    return new Digest(in.readLong(), in.readLong(), in.readLong(), in.readLong());
  }

  /**
   * The digest written as 64 hexadecimal digits, in either case.
   *
   * @throws IllegalArgumentException if {@code hex} is anything else
   */
  public static Digest fromHex(String hex) {
    if (hex.length() != 2 * BYTES) {
      throw new IllegalArgumentException(
          "A SHA-256 digest has " + 2 * BYTES + " hexadecimal digits, not '" + hex + "'");
    }
    return of(HEX.parseHex(hex));
  }

  /** Writes the {@value #BYTES} bytes of this digest. */
  public void write(DataOutput out) throws IOException {
    out.writeLong(w0);
    out.writeLong(w1);
    out.writeLong(w2);
    out.writeLong(w3);
  }

  /** Feeds the {@value #BYTES} bytes of this digest to {@code md}. */
  public void update(MessageDigest md) {
    md.update(toByteArray());
  }

  /** The bytes of this digest, in a new array. */
  public byte[] toByteArray() {
    byte[] bytes = new byte[BYTES];
    put(ByteBuffer.wrap(bytes));
    return bytes;
  }

  void put(ByteBuffer out) {
    out.putLong(w0).putLong(w1).putLong(w2).putLong(w3);
  }

  /** The 64 lower-case hexadecimal digits of this digest. */
  public String hex() {
    return HEX.formatHex(toByteArray());
  }

  /** The first 12 digits of {@link #hex()}: for people, in logs and tables, never as a key. */
  public String shortHex() {
    return HEX.toHexDigits(w0).substring(0, 12);
  }

  /**
   * Eight bytes of this digest as a big-endian number.
   *
   * @param index 0 for the first eight bytes, up to 3 for the last
   * @throws IndexOutOfBoundsException if {@code index} is not 0 to 3
   */
  public long longAt(int index) {
    return switch (Objects.checkIndex(index, WORDS)) {
      case 0 -> w0;
      case 1 -> w1;
      case 2 -> w2;
      default -> w3;
    };
  }

  @Override
  public int compareTo(Digest that) {
    int order = Long.compareUnsigned(w0, that.w0);
    if (order == 0) {
      order = Long.compareUnsigned(w1, that.w1);
    }
    if (order == 0) {
      order = Long.compareUnsigned(w2, that.w2);
    }
    return order != 0 ? order : Long.compareUnsigned(w3, that.w3);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Digest that
        && w0 == that.w0
        && w1 == that.w1
        && w2 == that.w2
        && w3 == that.w3;
  }

  @Override
  public int hashCode() {
    // The bits of a digest are already well mixed.
    return Long.hashCode(w0);
  }

  @Override
  public String toString() {
    return hex();
  }
}
