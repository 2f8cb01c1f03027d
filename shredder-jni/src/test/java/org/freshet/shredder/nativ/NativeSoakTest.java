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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntConsumer;
import org.freshet.shredder.CandidateRule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A million calls, good and bad. Run with {@code -Dtest.excluded.groups= -Dtest=NativeSoakTest}.
 */
@Tag("soak")
@NeedsNative
class NativeSoakTest {
  private static final int CALLS = 1_000_000;
  private static final int FORMS = DigestForm.upTo(InstructionLevel.best());

  /** A leak of 64 bytes a call would be as much. */
  private static final long MOST_GROWTH = 64L << 20;

  private final byte[] bytes = Noise.bytes(4000, 3);
  private final ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length);

  @Test
  void aMillionSearchesNeedNoMoreMemoryThanAFew() throws IOException {
    needNoMoreMemoryThanAFew(this::calls);
  }

  @Test
  void aMillionDigestsNeedNoMoreMemoryThanAFew() throws IOException {
    assumeThat(FORMS).isNotZero();
    needNoMoreMemoryThanAFew(this::digests);
  }

  private void needNoMoreMemoryThanAFew(IntConsumer calls) throws IOException {
    direct.put(0, bytes);
    touchHeap();
    calls.accept(CALLS / 10);
    long before = residentBytes();
    calls.accept(CALLS);
    assertThat(residentBytes() - before).isLessThan(MOST_GROWTH);
  }

  /** The heap is resident memory, too, from when it is first written to. */
  private static void touchHeap() {
    long written = 0;
    while (written < 2 * Runtime.getRuntime().maxMemory()) {
      written += new byte[1 << 20].length;
    }
  }

  /** Of chunks in two pieces, in an array and in a buffer; one in a hundred is refused. */
  private void digests(int count) {
    byte[][] arrays = {bytes, null};
    ByteBuffer[] buffers = {null, direct};
    int[] ends = {2, 4, 5};
    int[] places = {0, 0, 300, 1, 300, 1000, 1, 0, 70, 0, 10, 80, 0, 0, 0};
    int[] outside = places.clone();
    outside[5] = bytes.length + 1;
    ByteBuffer[] onHeap = {null, ByteBuffer.wrap(bytes)};
    for (int i = 0; i < count; i++) {
      if (i % 50_000 == 0) {
        System.gc();
      }
      DigestContract.digest(FORMS, arrays, buffers, places, ends);
      if (i % 100 == 0) {
        assertThatThrownBy(() -> DigestContract.digest(FORMS, arrays, buffers, outside, ends))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> DigestContract.digest(FORMS, arrays, onHeap, places, ends))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  private void calls(int count) {
    CandidateRule[] rules = {
      CandidateRule.Gear.everyBytes(64),
      CandidateRule.SievedGear.everyBytes(2048),
      CandidateRule.Rabin.published(6, 1),
      CandidateRule.Rabin.published(12, 1)
    };
    NativeFinder[] finders = new NativeFinder[rules.length];
    for (int i = 0; i < count; i++) {
      int which = i % rules.length;
      if (i % 50_000 == 0) {
        // Rules are freed when the collector finds them; that it could wait is no leak.
        System.gc();
      }
      if (i % 1000 < rules.length) {
        finders[which] = new NativeFinder(rules[which], InstructionLevel.best());
      }
      NativeFinder finder = finders[which];
      if (i / rules.length % 2 == 0) {
        finder.find(bytes, 63, bytes.length);
      } else {
        finder.find(direct, 63, bytes.length);
      }
      if (i % 100 == 0) {
        assertThatThrownBy(
                () ->
                    NativeCalls.searchArray(
                        ByteBuffer.allocateDirect(8), 0, bytes, 63, bytes.length))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  private static long residentBytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }
}
