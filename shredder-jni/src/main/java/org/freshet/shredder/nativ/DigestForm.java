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

import java.util.Arrays;
import java.util.stream.IntStream;

/** A way of the library to compute several digests at once. */
enum DigestForm {
  /** Three interleaved streams of the processor's SHA instructions. */
  STREAMS(1, InstructionLevel.AVX2, 3),
  /** Sixteen lanes of AVX-512. */
  LANES(2, InstructionLevel.AVX512, 16),
  /** Four such streams, whose message schedules are computed in lanes of AVX-512. */
  STREAMS_AVX512(4, InstructionLevel.AVX512, 4),
  /** Thirty-two lanes, in two groups. */
  MORE_LANES(8, InstructionLevel.AVX512, 32);

  private final int bit;
  private final InstructionLevel level;
  private final int width;

  DigestForm(int bit, InstructionLevel level, int width) {
    this.bit = bit;
    this.level = level;
    this.width = width;
  }

  /** Its bit in {@code shredder_digest_form}, in shredder.h. */
  int bit() {
    return bit;
  }

  /** How many chunks it works on at a time. */
  int width() {
    return width;
  }

  /** Whether it is among those of a set of bits. */
  boolean isIn(int forms) {
    return (forms & bit) != 0;
  }

  /** Whether this processor has the instructions; the library must have been loaded. */
  boolean isAvailable() {
    return (NativeCalls.digestForms() & bit) != 0;
  }

  /**
   * The bits of those among {@link #upTo} that are worth using here: on some processors with
   * AVX-512, lanes are no faster than streams, or more lanes than fewer, and need more chunks in
   * memory.
   */
  static int worthwhileUpTo(InstructionLevel level) {
    int forms = upTo(level);
    return LANES.isIn(forms) ? forms & Measured.WORTHWHILE : forms;
  }

  /** The widths of a set of bits, ascending. */
  static IntStream widths(int forms) {
    return Arrays.stream(values())
        .filter(form -> form.isIn(forms))
        .mapToInt(DigestForm::width)
        .sorted();
  }

  /** Once for each JVM that may choose. */
  private static final class Measured {
    static final int WORTHWHILE = NativeCalls.worthwhileDigestForms();
  }

  /** The bits of all that this processor has and a level allows; 0 if there are none. */
  static int upTo(InstructionLevel level) {
    int forms = 0;
    for (DigestForm form : values()) {
      if (form.isAvailable() && form.level.compareTo(level) <= 0) {
        forms |= form.bit;
      }
    }
    return forms;
  }
}
