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

import org.freshet.cli.backup.store.ChunkRef;

/** The kinds of frames, with the byte that names each and the longest body it may have. */
public enum MessageType {
  HELLO(1, 16),
  PUT(2, 1 << 10),
  OFFER(3, Frames.MAX_REFS * ChunkRef.BYTES),
  CHUNK(4, ChunkRef.MAX_CHUNK_BYTES),
  COMMIT(5, 64),
  LIST(6, 0),
  RESTORE(7, 1 << 10),
  VERIFY(8, 0),

  WELCOME(65, 16),
  WANT(66, Frames.MAX_REFS / Byte.SIZE),
  IMAGE(67, 1 << 10),
  PROBLEM(68, 1 << 16),
  VERIFIED(69, 64),
  END(70, 0),
  ERROR(71, 1 << 16);

  private static final MessageType[] BY_CODE = new MessageType[Byte.MAX_VALUE + 1];

  static {
    for (MessageType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final byte code;
  private final int maxBody;

  MessageType(int code, int maxBody) {
    this.code = (byte) code;
    this.maxBody = maxBody;
  }

  byte code() {
    return code;
  }

  /** The longest body in bytes. */
  int maxBody() {
    return maxBody;
  }

  /** The type of that byte, or null if there is none. */
  static MessageType of(byte code) {
    return code < 0 ? null : BY_CODE[code];
  }
}
