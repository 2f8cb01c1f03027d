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
package org.freshet.cli.backup;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.BitSet;
import org.freshet.cli.backup.protocol.Frame;
import org.freshet.cli.backup.protocol.ProtocolException;
import org.freshet.cli.backup.store.ChunkDigest;
import org.freshet.cli.backup.store.Image;

/** Bodies of the frames {@code IMAGE} and {@code WANT}. */
final class Images {
  private static final int NUMBERS_BYTES = Integer.BYTES + 3 * Long.BYTES + ChunkDigest.BYTES;

  private Images() {}

  static ByteBuffer encode(Image image) {
    byte[] name = image.name().getBytes(StandardCharsets.UTF_8);
    ByteBuffer body = ByteBuffer.allocate(Short.BYTES + name.length + NUMBERS_BYTES);
    body.putShort((short) name.length).put(name).putInt(image.sequence());
    body.putLong(image.bytes()).putLong(image.chunks()).putLong(image.created().toEpochMilli());
    image.id().put(body);
    return body.flip();
  }

  static Image decode(Frame frame) throws ProtocolException {
    String name = frame.text();
    frame.requireLeft(NUMBERS_BYTES);
    ByteBuffer body = frame.body();
    Image image =
        new Image(
            name,
            body.getInt(),
            body.getLong(),
            body.getLong(),
            Instant.ofEpochMilli(body.getLong()),
            ChunkDigest.get(body));
    frame.requireEnd();
    return image;
  }

  static ByteBuffer encode(BitSet wanted, int count) {
    ByteBuffer body = ByteBuffer.allocate((count + Byte.SIZE - 1) / Byte.SIZE);
    body.put(wanted.toByteArray());
    return body.rewind();
  }

  static BitSet decodeWanted(Frame frame, int count) throws ProtocolException {
    frame.requireLeft((count + Byte.SIZE - 1) / Byte.SIZE);
    BitSet wanted = BitSet.valueOf(frame.body());
    if (wanted.length() > count) {
      throw new ProtocolException(
          "WANT names chunk " + (wanted.length() - 1) + " of " + count + " that were offered");
    }
    return wanted;
  }
}
