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

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Content and sources for tests. */
final class Sources {
  private Sources() {}

  static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Lines of 0 to 119 letters, each with its line feed, and sometimes a carriage return. */
  static List<String> lines(int count, long seed) {
    Random random = new Random(seed);
    List<String> lines = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      StringBuilder line = new StringBuilder();
      int length = random.nextInt(120);
      for (int c = 0; c < length; c++) {
        line.append((char) ('a' + random.nextInt(26)));
      }
      lines.add(line.append(random.nextInt(10) == 0 ? "\r\n" : "\n").toString());
    }
    return lines;
  }

  static byte[] bytes(List<String> lines) {
    return String.join("", lines).getBytes(StandardCharsets.US_ASCII);
  }

  static ByteSource of(byte[] content) {
    return claiming(content, content.length);
  }

  /** A source that says its length is {@code length}, whatever it holds. */
  static ByteSource claiming(byte[] content, long length) {
    return new ByteSource() {
      @Override
      public long length() {
        return length;
      }

      @Override
      public InputStream open(long offset) throws IOException {
        if (offset > content.length) {
          throw new EOFException("Cannot open at " + offset);
        }
        return new ByteArrayInputStream(Arrays.copyOfRange(content, (int) offset, content.length));
      }
    };
  }
}
