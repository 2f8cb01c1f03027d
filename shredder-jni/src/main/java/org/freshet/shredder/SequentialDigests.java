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
import java.util.function.Consumer;

/** Digests chunks on the calling thread, as segments and the cuts in them come along. */
final class SequentialDigests implements CutSink {
  private final Consumer<Chunk> chunks;
  private final MessageDigest sha256 = Sha256.start();
  private long chunkStart;

  /** The segment begun; null between segments. */
  private SegmentSearch.Segment segment;

  private int digested;

  SequentialDigests(Consumer<Chunk> chunks) {
    this.chunks = chunks;
  }

  @Override
  public void begin(SegmentSearch.Segment next) {
    segment = next;
    digested = next.from();
  }

  @Override
  public void cut(long offset) {
    if (segment != null) {
      digestUpTo(segment.from() + (int) (offset - segment.offset()));
    }
    chunks.accept(new Chunk(chunkStart, offset - chunkStart, sha256.digest()));
    chunkStart = offset;
  }

  @Override
  public void end() {
    digestUpTo(segment.to());
    segment.release();
    segment = null;
  }

  private void digestUpTo(int position) {
    Sha256.update(sha256, segment.bytes(), digested, position);
    digested = position;
  }
}
