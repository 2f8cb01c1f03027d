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

import java.security.MessageDigest;
import java.util.List;

/** One digest after the other, by the JDK, which uses the processor's instructions for SHA-256. */
final class JavaDigester implements ChunkDigester {
  static final JavaDigester INSTANCE = new JavaDigester();

  private JavaDigester() {}

  @Override
  public int width() {
    return 1;
  }

  @Override
  public void digest(List<UnfinishedDigest> chunks) {
    MessageDigest sha256 = Sha256.start();
    for (UnfinishedDigest chunk : chunks) {
      if (chunk.done() > 0) {
        throw new IllegalArgumentException("The JDK can't go on with a digest that others began");
      }
      chunk.rest().forEach(piece -> Sha256.update(sha256, piece));
      chunk.end(sha256.digest());
    }
  }
}
