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

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.CandidateRule;

/** One rule, prepared for the library. Immutable and safe for use by several threads. */
final class NativeFinder implements CandidateFinder {
  /** Bytes copied at a time from buffers that give no access to their memory. */
  private static final int COPY_BYTES = 1 << 20;

  private final int window;
  private final int level;
  private final ByteBuffer rule;

  NativeFinder(CandidateRule rule, InstructionLevel level) {
    this.window = rule.window();
    this.level = level.code();
    this.rule = ByteBuffer.allocateDirect(NativeCalls.ruleBytes());
    if (rule instanceof CandidateRule.Gear gear) {
      NativeCalls.prepareGear(this.rule, gear.first(), gear.width());
    } else if (rule instanceof CandidateRule.SievedGear sieved) {
      NativeCalls.prepareSievedGear(this.rule, sieved.width());
    } else if (rule instanceof CandidateRule.Rabin rabin) {
      NativeCalls.prepareRabin(
          this.rule, rabin.polynomial(), rabin.window(), rabin.maskBits(), rabin.marker());
    } else {
      throw new IllegalArgumentException("The library knows Gear and Rabin, not " + rule.name());
    }
  }

  @Override
  public int window() {
    return window;
  }

  @Override
  public int[] find(byte[] bytes, int from, int to) {
    check(from, to, bytes.length);
    return NativeCalls.searchArray(rule, level, bytes, from, to);
  }

  @Override
  public int[] find(ByteBuffer bytes, int from, int to) {
    check(from, to, bytes.capacity());
    if (bytes.isDirect()) {
      return NativeCalls.searchDirect(rule, level, bytes, from, to);
    }
    if (bytes.hasArray()) {
      int offset = bytes.arrayOffset();
      int[] found = NativeCalls.searchArray(rule, level, bytes.array(), offset + from, offset + to);
      return moved(found, -offset);
    }
    return findInCopies(bytes, from, to);
  }

  /** A read-only buffer on the heap hides its array. */
  private int[] findInCopies(ByteBuffer bytes, int from, int to) {
    int before = window - 1;
    ByteBuffer all = bytes.duplicate().clear();
    byte[] copy = new byte[before + Math.min(COPY_BYTES, to - from)];
    IntStream found = IntStream.empty();
    for (int at = from; at < to; ) {
      int length = Math.min(copy.length - before, to - at);
      all.get(at - before, copy, 0, before + length);
      int[] here = NativeCalls.searchArray(rule, level, copy, before, before + length);
      found = IntStream.concat(found, Arrays.stream(moved(here, at - before)));
      at += length;
    }
    return found.toArray();
  }

  private static int[] moved(int[] positions, int by) {
    if (by != 0) {
      for (int i = 0; i < positions.length; i++) {
        positions[i] += by;
      }
    }
    return positions;
  }

  private void check(int from, int to, int length) {
    if (from < window - 1 || to < from || to > length) {
      throw new IndexOutOfBoundsException(
          "from and to must be in this order, from "
              + (window - 1)
              + ", the bytes of the first window, to the length of "
              + length
              + ", not "
              + from
              + " and "
              + to);
    }
  }
}
