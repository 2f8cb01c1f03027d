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

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A SHA-256, the name of a chunk's content. An immutable value; the four numbers are its 32 bytes
 * in big-endian order.
 */
public record ChunkDigest(long first, long second, long third, long fourth) {
  /** Length in bytes. */
  public static final int BYTES = 32;

  /** The digest that these 32 bytes spell. */
  public static ChunkDigest of(byte[] sha256) {
    if (sha256.length != BYTES) {
      throw new IllegalArgumentException("a SHA-256 has " + BYTES + " bytes, not " + sha256.length);
    }
    return get(ByteBuffer.wrap(sha256));
  }

  /** The digest of the bytes between position and limit, neither of which moves. */
  public static ChunkDigest ofContent(ByteBuffer content) {
    MessageDigest sha256 = start();
    sha256.update(content.duplicate());
    return of(sha256.digest());
  }

  /** Takes the next 32 bytes of a buffer. */
  public static ChunkDigest get(ByteBuffer from) {
    return new ChunkDigest(from.getLong(), from.getLong(), from.getLong(), from.getLong());
  }

  /** Puts 32 bytes into a buffer. */
  public void put(ByteBuffer to) {
    to.putLong(first).putLong(second).putLong(third).putLong(fourth);
  }

  /** A SHA-256 to be fed. */
  public static MessageDigest start() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every Java platform must provide SHA-256", e);
    }
  }

  /** Any 32 of its bits are as good as a hash of it. */
  @Override
  public int hashCode() {
    return (int) first;
  }

  @Override
  public String toString() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    put(bytes);
    return HexFormat.of().formatHex(bytes.array());
  }
}
