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
package org.freshet.cli.bench;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Text whose word frequencies fall off as in natural language: the word of rank r has a probability
 * proportional to 1/r (Zipf's law), from a fixed vocabulary.
 *
 * <p>The text is a function of the seed alone. Words are drawn in constant time by Walker's alias
 * method (Vose, "A linear algorithm for generating random numbers with a given distribution", IEEE
 * TSE 17(9), 1991), because generating must not take longer than measuring.
 *
 * <p>Not thread-safe.
 */
final class ZipfText {
  private static final int VOCABULARY = 50_000;
  private static final int LINE_BYTES = 80;
  private static final long VOCABULARY_SEED = 0x5eed;

  private final SplittableRandom random;
  private final byte[][] words;
  private final double[] threshold;
  private final int[] alias;

  ZipfText(long seed) {
    this.random = new SplittableRandom(seed);
    this.words = vocabulary();
    this.threshold = new double[VOCABULARY];
    this.alias = new int[VOCABULARY];
    fillAliasTable();
  }

  /**
   * Fills an array with whole lines; the last line is cut short to fit and ends in a newline like
   * all others.
   */
  byte[] lines(int length) {
    byte[] text = new byte[length];
    int position = 0;
    int lineStart = 0;
    while (position < length) {
      byte[] word = words[nextRank()];
      int copied = Math.min(word.length, length - position);
      System.arraycopy(word, 0, text, position, copied);
      position += copied;
      if (position < length) {
        boolean endOfLine = position - lineStart >= LINE_BYTES;
        text[position++] = (byte) (endOfLine ? '\n' : ' ');
        lineStart = endOfLine ? position : lineStart;
      }
    }
    if (length > 0) {
      text[length - 1] = '\n';
    }
    return text;
  }

  private int nextRank() {
    int column = random.nextInt(VOCABULARY);
    return random.nextDouble() < threshold[column] ? column : alias[column];
  }

  private void fillAliasTable() {
    double harmonic = 0;
    for (int rank = 1; rank <= VOCABULARY; rank++) {
      harmonic += 1.0 / rank;
    }
    double[] scaled = new double[VOCABULARY];
    int[] small = new int[VOCABULARY];
    int[] large = new int[VOCABULARY];
    int smallCount = 0;
    int largeCount = 0;
    for (int i = 0; i < VOCABULARY; i++) {
      scaled[i] = VOCABULARY / (harmonic * (i + 1));
      if (scaled[i] < 1) {
        small[smallCount++] = i;
      } else {
        large[largeCount++] = i;
      }
    }
    Arrays.fill(threshold, 1.0);
    while (smallCount > 0 && largeCount > 0) {
      int less = small[--smallCount];
      int more = large[--largeCount];
      threshold[less] = scaled[less];
      alias[less] = more;
      scaled[more] += scaled[less] - 1;
      if (scaled[more] < 1) {
        small[smallCount++] = more;
      } else {
        large[largeCount++] = more;
      }
    }
  }

  /** Words, the frequent ones short; the rank in capitals and digits keeps them distinct. */
  private static byte[][] vocabulary() {
    SplittableRandom letters = new SplittableRandom(VOCABULARY_SEED);
    byte[][] words = new byte[VOCABULARY][];
    for (int i = 0; i < VOCABULARY; i++) {
      StringBuilder word =
          new StringBuilder(Integer.toString(i, Character.MAX_RADIX).toUpperCase(Locale.ROOT));
      int extra = 1 + letters.nextInt(6);
      for (int j = 0; j < extra; j++) {
        word.append((char) ('a' + letters.nextInt(26)));
      }
      words[i] = word.toString().getBytes(StandardCharsets.US_ASCII);
    }
    return words;
  }
}
