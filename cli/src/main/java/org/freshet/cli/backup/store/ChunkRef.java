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

/**
 * Points to a chunk: what an image is made of, and what travels in place of a chunk that the server
 * has. An immutable value.
 *
 * @param digest of the content
 * @param length of the content in bytes, 1 to {@link #MAX_CHUNK_BYTES}
 */
public record ChunkRef(ChunkDigest digest, int length) {
  /** The longest chunk that a store takes: 16 MiB. */
  public static final int MAX_CHUNK_BYTES = 16 << 20;

  /** Length in bytes of a reference on disk and on the wire. */
  public static final int BYTES = ChunkDigest.BYTES + Integer.BYTES;

  public ChunkRef {
    if (length < 1 || length > MAX_CHUNK_BYTES) {
      throw new IllegalArgumentException(
          "a chunk of " + length + " bytes, expected 1 to " + MAX_CHUNK_BYTES);
    }
  }

  /** Takes the next reference of a buffer. */
  public static ChunkRef get(ByteBuffer from) {
    return new ChunkRef(ChunkDigest.get(from), from.getInt());
  }

  /** Puts the reference into a buffer. */
  public void put(ByteBuffer to) {
    digest.put(to);
    to.putInt(length);
  }
}
