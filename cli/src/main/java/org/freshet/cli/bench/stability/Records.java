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
package org.freshet.cli.bench.stability;

import java.util.Arrays;

/** Many records in one array. An immutable value. */
final class Records {
  private final byte[] bytes;

  /** Where each record begins, and behind the last one where it ends. */
  private final int[] starts;

  private Records(byte[] bytes, int[] starts) {
    this.bytes = bytes;
    this.starts = starts;
  }

  /** The lines of a text, each with its end; a last one without an end is a record, too. */
  static Records lines(byte[] text) {
    int[] starts = new int[1 << 16];
    int count = 0;
    int start = 0;
    for (int i = 0; i < text.length; i++) {
      if (text[i] == '\n' || i == text.length - 1) {
        if (count + 1 == starts.length) {
          starts = Arrays.copyOf(starts, 2 * count + 2);
        }
        starts[count++] = start;
        start = i + 1;
      }
    }
    starts[count] = text.length;
    return new Records(text, Arrays.copyOf(starts, count + 1));
  }

  int count() {
    return starts.length - 1;
  }

  /** All records, one after the other; not to be changed. */
  byte[] bytes() {
    return bytes;
  }

  int start(int record) {
    return starts[record];
  }

  int length(int record) {
    return starts[record + 1] - starts[record];
  }
}
