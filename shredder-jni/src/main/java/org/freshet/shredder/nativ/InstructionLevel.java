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

import java.util.Locale;
import java.util.Optional;
import org.freshet.shredder.BackendUnavailableException;

/**
 * Which of the processor's instructions the library may use; each level includes those before it.
 */
enum InstructionLevel {
  SCALAR(0, "scalar"),
  AVX2(1, "AVX2"),
  AVX512(2, "AVX-512 + GFNI");

  private static final String PROPERTY = "shredder.native.level";
  private static final String VARIABLE = "SHREDDER_NATIVE_LEVEL";

  private final int code;
  private final String description;

  InstructionLevel(int code, String description) {
    this.code = code;
    this.description = description;
  }

  /** Its number in {@code shredder_level}, in shredder.h. */
  int code() {
    return code;
  }

  String description() {
    return description;
  }

  /** The best of this processor; the library must have been loaded. */
  static InstructionLevel best() {
    return values()[NativeCalls.bestLevel()];
  }

  /** What the user has limited the library to, if anything. */
  static Optional<InstructionLevel> wanted() throws BackendUnavailableException {
    return parse(System.getProperty(PROPERTY, System.getenv(VARIABLE)));
  }

  /**
   * The level of a name, in any case; empty for null.
   *
   * @throws BackendUnavailableException if there is none of that name
   */
  static Optional<InstructionLevel> parse(String name) throws BackendUnavailableException {
    if (name == null) {
      return Optional.empty();
    }
    for (InstructionLevel level : values()) {
      if (level.name().equals(name.toUpperCase(Locale.ROOT))) {
        return Optional.of(level);
      }
    }
    throw new BackendUnavailableException(
        PROPERTY + " must be scalar, avx2 or avx512, not " + name);
  }
}
