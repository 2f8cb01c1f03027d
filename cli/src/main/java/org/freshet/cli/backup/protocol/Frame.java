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
package org.freshet.cli.backup.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A message as it came in.
 *
 * @param type what it is
 * @param body the rest, from position to limit; to be read once
 */
public record Frame(MessageType type, ByteBuffer body) {
  /**
   * Takes the next text of the body.
   *
   * @throws ProtocolException if it is cut short
   */
  public String text() throws ProtocolException {
    requireLeft(Short.BYTES);
    int length = Short.toUnsignedInt(body.getShort());
    requireLeft(length);
    byte[] utf8 = new byte[length];
    body.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /**
   * Makes sure that this much of the body is left.
   *
   * @throws ProtocolException if not
   */
  public void requireLeft(int bytes) throws ProtocolException {
    if (body.remaining() < bytes) {
      throw new ProtocolException(
          type + " has " + body.remaining() + " bytes left where " + bytes + " were expected");
    }
  }

  /**
   * Makes sure that all of the body was read.
   *
   * @throws ProtocolException if not
   */
  public void requireEnd() throws ProtocolException {
    if (body.hasRemaining()) {
      throw new ProtocolException(type + " goes on for " + body.remaining() + " bytes too many");
    }
  }
}
