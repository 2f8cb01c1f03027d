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

/** A boundary is after each byte of one value. */
record LineAlignment(byte delimiter) implements RecordAlignment {
  static final LineAlignment LINE_FEED = new LineAlignment((byte) '\n');

  @Override
  public String name() {
    return "lines(%02x)".formatted(delimiter);
  }

  @Override
  public int lookBehind() {
    return 1;
  }

  @Override
  public Search searchFrom(long position) {
    return this::afterDelimiter;
  }

  private int afterDelimiter(ByteBuffer bytes, int from, int to) {
    byte wanted = delimiter;
    for (int i = from; i < to; i++) {
      if (bytes.get(i) == wanted) {
        return i + 1;
      }
    }
    return -1;
  }
}
