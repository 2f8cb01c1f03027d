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

/** Records of equal length after a header; bytes say nothing, offsets everything. */
record FixedLengthAlignment(long recordBytes, long headerBytes) implements RecordAlignment {
  FixedLengthAlignment {
    if (recordBytes < 1) {
      throw new IllegalArgumentException("recordBytes must be at least 1, not " + recordBytes);
    }
    if (headerBytes < 0) {
      throw new IllegalArgumentException("headerBytes must be 0 or more, not " + headerBytes);
    }
  }

  @Override
  public String name() {
    return "fixed(" + recordBytes + "," + headerBytes + ")";
  }

  @Override
  public int lookBehind() {
    return 0;
  }

  @Override
  public Search searchFrom(long position) {
    long intoRecord = position - headerBytes;
    if (intoRecord <= 0) {
      return new Distance(-intoRecord);
    }
    long intoLast = intoRecord % recordBytes;
    return new Distance(intoLast == 0 ? 0 : recordBytes - intoLast);
  }

  /** Counts down to the boundary. */
  private static final class Distance implements Search {
    private long left;

    Distance(long left) {
      this.left = left;
    }

    @Override
    public int next(ByteBuffer bytes, int from, int to) {
      if (left <= to - from) {
        return from + (int) left;
      }
      left -= to - from;
      return -1;
    }
  }
}
