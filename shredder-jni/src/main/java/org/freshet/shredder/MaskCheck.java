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

/** The one rule on masks and markers, for both kinds of {@link CandidateRule}. */
final class MaskCheck {
  private MaskCheck() {}

  static void check(int maskBits, int mostBits, long marker) {
    if (maskBits < 1 || maskBits > mostBits) {
      throw new IllegalArgumentException("maskBits must be 1 to " + mostBits + ", not " + maskBits);
    }
    if (marker < 0 || marker >>> maskBits != 0) {
      throw new IllegalArgumentException(
          "The marker must be below 2^%d = 0x%x, not 0x%x"
              .formatted(maskBits, 1L << maskBits, marker));
    }
  }
}
