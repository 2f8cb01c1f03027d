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
package org.freshet.shredder.nativ;

import java.util.ArrayList;
import java.util.List;
import org.freshet.shredder.ChunkDigester;
import org.freshet.shredder.RunningDigest;
import org.freshet.shredder.UnfinishedDigest;

/**
 * Several SHA-256 digests at a time. Which form of the library computes them, the library decides.
 */
final class NativeDigester implements ChunkDigester {
  /** One digest alone the JDK computes as fast. */
  private static final int WORTHWHILE = 2;

  /**
   * Arrays are locked while their chunks are digested, which may hold up the garbage collector. So
   * it is for no more bytes at a time, which take 5 to 15 milliseconds.
   */
  private static final long MOST_AT_A_TIME = 16L << 20;

  private static final int STATE_WORDS = 8;

  private final int forms;
  private final ChunkDigester otherwise;
  private final long mostAtATime;

  /**
   * @param forms bits of the {@link DigestForm}s to use; at least one
   * @param otherwise for what does not pay here
   */
  NativeDigester(int forms, ChunkDigester otherwise) {
    this(forms, otherwise, MOST_AT_A_TIME);
  }

  NativeDigester(int forms, ChunkDigester otherwise, long mostAtATime) {
    this.forms = forms;
    this.otherwise = otherwise;
    this.mostAtATime = mostAtATime;
  }

  @Override
  public RunningDigest start() {
    return otherwise.start();
  }

  @Override
  public int width() {
    return (DigestForm.LANES.isIn(forms) ? DigestForm.LANES : DigestForm.STREAMS).width();
  }

  @Override
  public void digest(List<UnfinishedDigest> chunks) {
    boolean begun = chunks.stream().anyMatch(chunk -> chunk.done() > 0);
    List<UnfinishedDigest> left = digestOthers(chunks);
    if (left.size() < WORTHWHILE && !begun) {
      otherwise.digest(left);
    } else {
      while (!left.isEmpty()) {
        inLibrary(left, false);
        left = unended(left);
      }
    }
  }

  @Override
  public void digestSome(List<UnfinishedDigest> chunks, int width) {
    List<UnfinishedDigest> left = digestOthers(chunks);
    int least = Math.max(width, leastWidth());
    while (left.size() >= least) {
      inLibrary(left, true);
      left = unended(left);
    }
    if (left.size() >= width) {
      digest(left);
    }
  }

  /** Of the form that needs the fewest. */
  private int leastWidth() {
    return forms == DigestForm.LANES.bit() ? DigestForm.LANES.width() : DigestForm.STREAMS.width();
  }

  /**
   * Digests those that the library can't read.
   *
   * @return the rest
   */
  private List<UnfinishedDigest> digestOthers(List<UnfinishedDigest> chunks) {
    List<UnfinishedDigest> mine = new ArrayList<>(chunks.size());
    List<UnfinishedDigest> others = new ArrayList<>();
    for (UnfinishedDigest chunk : chunks) {
      (Pieces.areWithinReach(chunk) ? mine : others).add(chunk);
    }
    otherwise.digest(others);
    return mine;
  }

  private static List<UnfinishedDigest> unended(List<UnfinishedDigest> chunks) {
    List<UnfinishedDigest> left = new ArrayList<>(chunks);
    left.removeIf(UnfinishedDigest::hasEnded);
    return left;
  }

  private void inLibrary(List<UnfinishedDigest> chunks, boolean filled) {
    Pieces pieces = Pieces.of(chunks);
    int[] states = new int[STATE_WORDS * chunks.size()];
    long[] done = new long[chunks.size()];
    for (int i = 0; i < done.length; i++) {
      chunks.get(i).copyState(states, STATE_WORDS * i);
      done[i] = chunks.get(i).done();
    }
    NativeCalls.digest(
        forms,
        mostAtATime,
        filled,
        pieces.arrays(),
        pieces.buffers(),
        pieces.places(),
        pieces.ends(),
        states,
        done);
    for (int i = 0; i < done.length; i++) {
      if (done[i] < 0) {
        chunks.get(i).end(states, STATE_WORDS * i);
      } else {
        chunks.get(i).advance(done[i], states, STATE_WORDS * i);
      }
    }
  }
}
