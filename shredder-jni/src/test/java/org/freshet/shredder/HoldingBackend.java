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

/** The Java backend, with digests that are said to be faster together: parts are held for them. */
final class HoldingBackend implements Backend {
  static final int WIDTH = 4;

  private final Backend java = new JavaBackend();

  @Override
  public String name() {
    return "holding";
  }

  @Override
  public String description() {
    return "holding: a test";
  }

  @Override
  public CandidateFinder finder(CandidateRule rule) {
    return java.finder(rule);
  }

  @Override
  public ChunkDigester digester(DigestAlgorithm algorithm) {
    ChunkDigester javas = JavaDigester.of(algorithm);
    return new ChunkDigester() {
      @Override
      public RunningDigest start() {
        return javas.start();
      }

      @Override
      public int width() {
        return WIDTH;
      }

      @Override
      public void digest(List<UnfinishedDigest> chunks) {
        javas.digest(chunks);
      }

      @Override
      public void digestSome(List<UnfinishedDigest> chunks, int width) {
        digest(chunks.subList(0, Math.max(0, chunks.size() - width + 1)));
      }
    };
  }
}
