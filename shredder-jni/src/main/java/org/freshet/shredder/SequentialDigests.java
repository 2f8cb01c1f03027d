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

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/** Digests chunks on the calling thread, as spans and the cuts in them come along. */
final class SequentialDigests {
  private final MessageDigest sha256 = Sha256.start();
  private final List<Chunk> chunks = new ArrayList<>();
  private long chunkStart;

  private byte[] bytes;

  /** Where in the source {@code bytes[0]} would lie. */
  private long origin;

  private int digested;
  private int to;

  /** The source goes on with {@code bytes[from]} to {@code bytes[to - 1]}, at {@code offset}. */
  void begin(byte[] bytes, int from, int to, long offset) {
    this.bytes = bytes;
    this.origin = offset - from;
    this.digested = from;
    this.to = to;
  }

  /** A chunk ends at {@code offset}, which lies in the span begun. */
  void cut(long offset) {
    digestUpTo((int) (offset - origin));
    chunks.add(new Chunk(chunkStart, offset - chunkStart, sha256.digest()));
    chunkStart = offset;
  }

  /** There is no further cut in the span begun. */
  void end() {
    digestUpTo(to);
  }

  List<Chunk> chunks() {
    return List.copyOf(chunks);
  }

  private void digestUpTo(int position) {
    sha256.update(bytes, digested, position - digested);
    digested = position;
  }
}
