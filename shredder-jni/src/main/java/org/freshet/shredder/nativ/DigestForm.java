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

/** A way of the library to compute several digests at once. */
enum DigestForm {
  /** Three interleaved streams of the processor's SHA instructions. */
  STREAMS(1, InstructionLevel.AVX2),
  /** Sixteen lanes of AVX-512. */
  LANES(2, InstructionLevel.AVX512);

  private final int bit;
  private final InstructionLevel level;

  DigestForm(int bit, InstructionLevel level) {
    this.bit = bit;
    this.level = level;
  }

  /** Its bit in {@code shredder_digest_form}, in shredder.h. */
  int bit() {
    return bit;
  }

  /** Whether this processor has the instructions; the library must have been loaded. */
  boolean isAvailable() {
    return (NativeCalls.digestForms() & bit) != 0;
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
