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

/** SHA-256 by the JDK, which uses the processor's instructions for it. */
final class Sha256 implements RunningDigest {
  private final MessageDigest digest = start();

  private static MessageDigest start() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every Java platform must provide SHA-256", e);
    }
  }

  @Override
  public void update(ChunkDigester.Piece piece) {
    ByteBuffer bytes = piece.bytes();
    if (bytes.hasArray()) {
      digest.update(bytes.array(), bytes.arrayOffset() + piece.from(), piece.length());
    } else {
      digest.update(bytes.duplicate().limit(piece.to()).position(piece.from()));
    }
  }

  @Override
  public byte[] end() {
    return digest.digest();
  }
}
