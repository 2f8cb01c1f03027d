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

import java.util.List;

/** One digest after the other. */
final class JavaDigester implements ChunkDigester {
  private static final JavaDigester SHA_256 = new JavaDigester(DigestAlgorithm.SHA_256);
  private static final JavaDigester BLAKE3 = new JavaDigester(DigestAlgorithm.BLAKE3);

  private final DigestAlgorithm algorithm;

  private JavaDigester(DigestAlgorithm algorithm) {
    this.algorithm = algorithm;
  }

  static JavaDigester of(DigestAlgorithm algorithm) {
    return switch (algorithm) {
      case SHA_256 -> SHA_256;
      case BLAKE3 -> BLAKE3;
    };
  }

  @Override
  public RunningDigest start() {
    return switch (algorithm) {
      case SHA_256 -> new Sha256();
      case BLAKE3 -> new Blake3();
    };
  }

  @Override
  public int width() {
    return 1;
  }

  @Override
  public void digest(List<UnfinishedDigest> chunks) {
    RunningDigest running = start();
    for (UnfinishedDigest chunk : chunks) {
      if (chunk.done() > 0) {
        throw new IllegalArgumentException("Java can't go on with a digest that others began");
      }
      for (int i = 0; i < chunk.pieces(); i++) {
        running.update(chunk.piece(i));
      }
      chunk.end(running.end());
    }
  }
}
