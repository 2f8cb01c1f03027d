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

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digest that names a chunk's content. */
final class Sha256 {
  private Sha256() {}

  static MessageDigest start() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every Java platform must provide SHA-256", e);
    }
  }

  static void update(MessageDigest digest, ChunkDigester.Piece piece) {
    ByteBuffer bytes = piece.bytes();
    if (bytes.hasArray()) {
      digest.update(bytes.array(), bytes.arrayOffset() + piece.from(), piece.length());
    } else {
      digest.update(bytes.duplicate().limit(piece.to()).position(piece.from()));
    }
  }
}
