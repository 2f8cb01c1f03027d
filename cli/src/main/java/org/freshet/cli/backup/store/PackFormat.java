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
 * The layout of a pack file.
 *
 * <p>A header of {@value #HEADER_BYTES} bytes, then records. A record is a marker, the content's
 * length and SHA-256, and the content. The digest covers the content and so tells a whole record
 * from a torn one; the marker lets a reader find the next record behind a damaged one. All numbers
 * are big-endian.
 */
final class PackFormat {
  static final long PACK_MAGIC = 0x46525348_5450434BL; // "FRSHTPCK"
  static final int VERSION = 1;
  static final int HEADER_BYTES = 16;

  /** No valid UTF-8 and no line of text, so that it is rare in content. */
  static final long RECORD_MAGIC = 0xF7C8554E_4B0D1AFEL;

  static final int RECORD_HEADER_BYTES = Long.BYTES + Integer.BYTES + ChunkDigest.BYTES;

  private PackFormat() {}

  static ByteBuffer header(long magic) {
    return ByteBuffer.allocate(HEADER_BYTES).putLong(magic).putInt(VERSION).putInt(0).flip();
  }

  static ByteBuffer recordHeader(ChunkDigest digest, int length) {
    ByteBuffer header = ByteBuffer.allocate(RECORD_HEADER_BYTES);
    header.putLong(RECORD_MAGIC).putInt(length);
    digest.put(header);
    return header.flip();
  }
}
