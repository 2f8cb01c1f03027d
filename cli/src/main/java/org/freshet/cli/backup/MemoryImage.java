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

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import org.freshet.shredder.ByteSource;

/** An image in memory. */
final class MemoryImage implements ByteSource {
  private final byte[] bytes;

  /**
   * @param bytes its content, which nobody may change
   */
  MemoryImage(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Its content, which nobody may change. */
  byte[] bytes() {
    return bytes;
  }

  @Override
  public long length() {
    return bytes.length;
  }

  @Override
  public InputStream open(long offset) {
    return new ByteArrayInputStream(bytes, (int) offset, bytes.length - (int) offset);
  }
}
