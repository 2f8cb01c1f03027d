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

/** The alignments that need to know nothing about their source. */
enum BuiltInAlignment implements RecordAlignment {
  NONE(0) {
    @Override
    public Search searchFrom(long position) {
      return (bytes, from, to) -> from;
    }
  },

  LINES(1) {
    @Override
    public Search searchFrom(long position) {
      return BuiltInAlignment::afterLineFeed;
    }
  };

  private final int lookBehind;

  BuiltInAlignment(int lookBehind) {
    this.lookBehind = lookBehind;
  }

  @Override
  public int lookBehind() {
    return lookBehind;
  }

  private static int afterLineFeed(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\n') {
        return i + 1;
      }
    }
    return -1;
  }
}
