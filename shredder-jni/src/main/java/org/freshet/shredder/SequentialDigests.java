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
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Digests chunks on the calling thread, as segments and the cuts in them come along. Those that lie
 * within one segment are digested together when the segment ends.
 */
final class SequentialDigests implements CutSink {
  private final ChunkDigester digester;
  private final Consumer<Chunk> chunks;

  /** Takes the bytes of a chunk that runs across segments. */
  private final MessageDigest across = Sha256.start();

  /** Whether {@code across} has some. */
  private boolean isAcross;

  private long chunkStart;

  /** The segment begun; null between segments. */
  private SegmentSearch.Segment segment;

  /** Where the chunks that lie within the segment begin and end. */
  private int within;

  private int[] ends = new int[16];
  private int count;

  SequentialDigests(ChunkDigester digester, Consumer<Chunk> chunks) {
    this.digester = digester;
    this.chunks = chunks;
  }

  @Override
  public void begin(SegmentSearch.Segment next) {
    segment = next;
    within = next.from();
    count = 0;
  }

  @Override
  public void cut(long offset) {
    if (segment == null) {
      pass(offset, across.digest());
      isAcross = false;
      return;
    }
    int position = segment.from() + (int) (offset - segment.offset());
    if (isAcross) {
      Sha256.update(across, segment.bytes(), within, position);
      pass(offset, across.digest());
      isAcross = false;
      within = position;
    } else {
      if (count == ends.length) {
        ends = Arrays.copyOf(ends, 2 * count);
      }
      ends[count++] = position;
    }
  }

  @Override
  public void end() {
    int[] all = Arrays.copyOf(ends, count);
    byte[][] digests = digester.digest(segment.bytes(), within, all);
    for (int i = 0; i < count; i++) {
      pass(segment.offset() + all[i] - segment.from(), digests[i]);
    }
    int rest = count == 0 ? within : all[count - 1];
    if (rest < segment.to()) {
      Sha256.update(across, segment.bytes(), rest, segment.to());
      isAcross = true;
    }
    segment.release();
    segment = null;
  }

  private void pass(long end, byte[] sha256) {
    chunks.accept(new Chunk(chunkStart, end - chunkStart, sha256));
    chunkStart = end;
  }
}
