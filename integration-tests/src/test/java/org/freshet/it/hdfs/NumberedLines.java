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
package org.freshet.it.hdfs;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Lines that many jobs can read: one of some hundred sentences, a tab and a number. Deterministic;
 * for one thread.
 */
final class NumberedLines {
  private static final int SENTENCES = 400;

  private final Random random;
  private final List<String> sentences = new ArrayList<>();

  NumberedLines(long seed) {
    random = new Random(seed);
    for (int i = 0; i < SENTENCES; i++) {
      StringBuilder sentence = new StringBuilder("sentence " + i);
      for (int word = 0; word < 14; word++) {
        sentence.append(' ').append(Integer.toString(random.nextInt(40_000), 36));
      }
      sentences.add(sentence.toString());
    }
  }

  /** The next line. */
  String next() {
    return sentences.get(random.nextInt(SENTENCES)) + "\t" + random.nextInt(1_000);
  }

  /** The next lines, of about so many bytes. */
  List<String> next(long bytes) {
    List<String> lines = new ArrayList<>();
    for (long written = 0; written < bytes; ) {
      String line = next();
      lines.add(line);
      written += line.length() + 1;
    }
    return lines;
  }
}
