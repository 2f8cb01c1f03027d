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
package org.freshet.hdfs.format;

import java.io.IOException;
import java.io.InputStream;

/** The bytes of a container file behind its header, with the random markers masked. */
final class FramedStream extends InputStream {
  private final InputStream in;
  private final Frames frames;
  private boolean ended;

  /** What {@code in} has from where it is; stays open. */
  FramedStream(InputStream in, Frames frames) {
    this.in = in;
    this.frames = frames;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    if (ended) {
      return -1;
    }
    int count = in.read(bytes, from, length);
    if (count < 0) {
      ended = true;
      frames.end();
    } else {
      frames.accept(bytes, from, from + count);
    }
    return count;
  }
}
