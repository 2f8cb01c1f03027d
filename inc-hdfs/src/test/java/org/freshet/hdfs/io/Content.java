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
package org.freshet.hdfs.io;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Text made from a seed: lines of up to 200 letters. */
final class Content {
  private Content() {}

  static byte[] text(long seed, int bytes) {
    Random random = new Random(seed);
    ByteArrayOutputStream text = new ByteArrayOutputStream(bytes + 200);
    while (text.size() < bytes) {
      int length = random.nextInt(200);
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < length; i++) {
        line.append((char) ('a' + random.nextInt(26)));
      }
      text.writeBytes(line.append('\n').toString().getBytes(StandardCharsets.US_ASCII));
    }
    return Arrays.copyOf(text.toByteArray(), bytes);
  }

  static byte[] concat(byte[] one, byte[] other) {
    byte[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }
}
