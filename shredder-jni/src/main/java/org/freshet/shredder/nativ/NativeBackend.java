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

import org.freshet.shredder.Backend;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.CandidateFinder;
import org.freshet.shredder.CandidateRule;
import org.freshet.shredder.ChunkDigester;
import org.freshet.shredder.DigestAlgorithm;

/** Searches with the native library, which has been loaded. */
final class NativeBackend implements Backend {
  static final String NAME = "native";

  private final InstructionLevel level;
  private final ChunkDigester sha256;
  private final ChunkDigester blake3;
  private final String description;

  /**
   * @throws BackendUnavailableException if the processor does not have the instructions
   */
  NativeBackend(InstructionLevel level) throws BackendUnavailableException {
    InstructionLevel best = InstructionLevel.best();
    if (level.compareTo(best) > 0) {
      throw new BackendUnavailableException(
          "this processor has " + best.description() + ", not " + level.description());
    }
    this.level = level;
    ChunkDigester javas = Backend.super.digester(DigestAlgorithm.SHA_256);
    int forms = DigestForm.worthwhileUpTo(level);
    this.sha256 = forms == 0 ? javas : new NativeDigester(forms, javas);
    this.blake3 = new NativeBlake3(level);
    this.description =
        NAME
            + ": "
            + level.description()
            + (DigestForm.STREAMS.isIn(forms) ? " + SHA" : "")
            + howDigests(forms);
  }

  /** Empty where digests are computed as wherever there are SHA instructions. */
  private static String howDigests(int forms) {
    if (DigestForm.LANES.isIn(forms) || DigestForm.MORE_LANES.isIn(forms)) {
      return ", digests in " + DigestForm.widths(forms).max().orElseThrow() + " lanes";
    }
    return DigestForm.STREAMS_AVX512.isIn(forms)
        ? ", digests in " + DigestForm.STREAMS_AVX512.width() + " streams"
        : "";
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public CandidateFinder finder(CandidateRule rule) {
    return new NativeFinder(rule, level);
  }

  /** Java's digester copies what is not in an array. */
  @Override
  public boolean prefersDirect() {
    return sha256 instanceof NativeDigester;
  }

  @Override
  public ChunkDigester digester(DigestAlgorithm algorithm) {
    return switch (algorithm) {
      case SHA_256 -> sha256;
      case BLAKE3 -> blake3;
    };
  }
}
