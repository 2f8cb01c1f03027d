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
package org.freshet.cli.backup;

import org.freshet.cli.backup.store.Image;

/**
 * What it took to back up an image. An immutable value.
 *
 * @param image as the server committed it
 * @param sentChunks how many of its chunks were sent
 * @param sentChunkBytes their length together
 * @param wireBytes all that was sent to the server, with references and headers
 * @param seconds from the first byte read to the server's word that the image is on disk
 */
public record PutResult(
    Image image, long sentChunks, long sentChunkBytes, long wireBytes, double seconds) {
  /** Bytes of the image backed up in a second. */
  public double bandwidth() {
    return image.bytes() / seconds;
  }
}
