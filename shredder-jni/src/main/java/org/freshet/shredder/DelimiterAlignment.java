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
import java.util.Arrays;
import java.util.HexFormat;

/** A boundary is wherever the bytes before it are a delimiter of several bytes. */
final class DelimiterAlignment implements RecordAlignment {
  /*
   * Found by the automaton of D. Knuth, J. Morris, V. Pratt, "Fast pattern matching in strings", SIAM
   * Journal on Computing 6(2), 1977: it looks at each byte once and keeps one number between calls,
   * so that a delimiter may lie across two buffers.
   */
  private final byte[] delimiter;

  /** By number of bytes matched: how many still match if the next byte does not. */
  private final int[] fallback;

  DelimiterAlignment(byte[] delimiter) {
    if (delimiter.length < 1 || delimiter.length > MAX_LOOK_BEHIND) {
      throw new IllegalArgumentException(
          "A delimiter must have 1 to " + MAX_LOOK_BEHIND + " bytes, not " + delimiter.length);
    }
    this.delimiter = delimiter.clone();
    this.fallback = new int[delimiter.length];
    for (int i = 1, matched = 0; i < delimiter.length; i++) {
      while (matched > 0 && delimiter[i] != delimiter[matched]) {
        matched = fallback[matched - 1];
      }
      if (delimiter[i] == delimiter[matched]) {
        matched++;
      }
      fallback[i] = matched;
    }
  }

  @Override
  public String name() {
    return "delimiter(" + HexFormat.of().formatHex(delimiter) + ")";
  }

  @Override
  public int lookBehind() {
    return delimiter.length;
  }

  @Override
  public Search searchFrom(long position) {
    return new Automaton();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DelimiterAlignment that && Arrays.equals(delimiter, that.delimiter);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(delimiter);
  }

  @Override
  public String toString() {
    return name();
  }

  private final class Automaton implements Search {
    private int matched;

    @Override
    public int next(ByteBuffer bytes, int from, int to) {
      for (int i = from; i < to; i++) {
        byte value = bytes.get(i);
        while (matched > 0 && value != delimiter[matched]) {
          matched = fallback[matched - 1];
        }
        if (value == delimiter[matched]) {
          matched++;
        }
        if (matched == delimiter.length) {
          return i + 1;
        }
      }
      return -1;
    }
  }
}
