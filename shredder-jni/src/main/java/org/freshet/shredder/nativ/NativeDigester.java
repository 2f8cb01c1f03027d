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
import java.util.Map;
import java.util.stream.Collectors;
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
  public int narrower(int width) {
    return DigestForm.widths(forms).filter(narrow -> narrow < width).max().orElse(WORTHWHILE);
  }

  @Override
  public RunningDigest start() {
    return otherwise.start();
  }

  @Override
  public int width() {
    return DigestForm.widths(forms).max().orElseThrow();
  }

  @Override
  public void digest(List<UnfinishedDigest> chunks) {
    List<UnfinishedDigest> left = digestOthers(chunks);
    if (left.size() < WORTHWHILE && !haveBegun(left)) {
      otherwise.digest(left);
    } else {
      while (!left.isEmpty()) {
        left = inLibrary(left, false);
      }
    }
  }

  @Override
  public void digestSome(List<UnfinishedDigest> chunks, int width) {
    List<UnfinishedDigest> left = digestOthers(chunks);
    int least = Math.max(width, leastWidth());
    while (left.size() >= least) {
      left = inLibrary(left, true);
    }
    if (left.size() >= width) {
      digest(left);
    }
  }

  private static boolean haveBegun(List<UnfinishedDigest> chunks) {
    return chunks.stream().anyMatch(chunk -> chunk.done() > 0);
  }

  /** Of the form that needs the fewest. */
  private int leastWidth() {
    return DigestForm.widths(forms).min().orElseThrow();
  }

  /**
   * Digests those that the library can't read.
   *
   * @return the rest
   */
  private List<UnfinishedDigest> digestOthers(List<UnfinishedDigest> chunks) {
    if (areWithinReach(chunks)) {
      return chunks;
    }
    Map<Boolean, List<UnfinishedDigest>> byReach =
        chunks.stream().collect(Collectors.partitioningBy(Pieces::areWithinReach));
    otherwise.digest(byReach.get(false));
    return byReach.get(true);
  }

  private static boolean areWithinReach(List<UnfinishedDigest> chunks) {
    for (UnfinishedDigest chunk : chunks) {
      if (!Pieces.areWithinReach(chunk)) {
        return false;
      }
    }
    return true;
  }

  /**
   * @return those that have not ended
   */
  private List<UnfinishedDigest> inLibrary(List<UnfinishedDigest> some, boolean filled) {
    UnfinishedDigest[] chunks = some.toArray(new UnfinishedDigest[0]);
    Pieces pieces = Pieces.of(chunks);
    int[] states = new int[STATE_WORDS * chunks.length];
    long[] done = new long[chunks.length];
    for (int i = 0; i < done.length; i++) {
      chunks[i].copyState(states, STATE_WORDS * i);
      done[i] = chunks[i].done();
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
    List<UnfinishedDigest> left = new ArrayList<>();
    for (int i = 0; i < done.length; i++) {
      if (done[i] < 0) {
        chunks[i].end(states, STATE_WORDS * i);
      } else {
        chunks[i].advance(done[i], states, STATE_WORDS * i);
        left.add(chunks[i]);
      }
    }
    return left;
  }
}
