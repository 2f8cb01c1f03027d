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
package org.freshet.cli.backup.store;

import java.io.IOException;

/** A chunk that a store should have is not there, or is not what its digest says. */
public final class DamagedChunkException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With the chunk, and what was found in its place. */
  public DamagedChunkException(ChunkDigest digest, String found) {
    super("chunk " + digest + " " + found + "; put an image that holds it to store it again");
  }
}
