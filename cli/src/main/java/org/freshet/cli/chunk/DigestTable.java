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
package org.freshet.cli.chunk;

import java.nio.ByteBuffer;

/**
 * Which digests have been seen, and in which files. Of each it keeps the first 16 bytes, which no
 * two contents will have in common, in a table of 32 to 64 bytes a digest. For one thread.
 */
final class DigestTable {
  /** Where a digest was seen last before it is seen again. */
  enum Seen {
    NEVER,
    IN_EARLIER_FILE,
    IN_THIS_FILE
  }

  /** Two words of the digest; then the numbers of the files in which it was seen first and last. */
  private static final int WORDS = 3;

  private static final int LEAST_PLACES = 1 << 10;
  private static final int MOST_PLACES = 1 << 29;

  private long[] words = new long[WORDS * LEAST_PLACES];
  private int places = LEAST_PLACES;
  private int count;

  /** From 1 on, so that a place with nothing in it has no file. */
  private int file = 1;

  /** What is seen from now on is in another file. */
  void nextFile() {
    file++;
  }

  /**
   * Notes that a digest is seen in this file.
   *
   * @param digest at least 16 bytes
   * @throws IllegalStateException if there are more than the table can ever hold
   */
  Seen add(byte[] digest) {
    ByteBuffer bytes = ByteBuffer.wrap(digest);
    long high = bytes.getLong();
    long low = bytes.getLong();
    int at = find(high, low);
    long files = words[at + 2];
    if (files != 0) {
      words[at + 2] = files(first(files), file);
      return (int) files == file ? Seen.IN_THIS_FILE : Seen.IN_EARLIER_FILE;
    }
    put(at, high, low, files(file, file));
    if (4L * ++count > 3L * places) {
      grow();
    }
    return Seen.NEVER;
  }

  /** Takes out what was seen for the first time in this file. */
  void forgetFile() {
    refill(places, file);
  }

  private static long files(int first, int last) {
    return (long) first << Integer.SIZE | last;
  }

  private static int first(long files) {
    return (int) (files >>> Integer.SIZE);
  }

  /** Where the digest is, or is to be put. */
  private int find(long high, long low) {
    int place = (int) high & (places - 1);
    while (true) {
      int at = WORDS * place;
      if (words[at + 2] == 0 || (words[at] == high && words[at + 1] == low)) {
        return at;
      }
      place = (place + 1) & (places - 1);
    }
  }

  private void put(int at, long high, long low, long files) {
    words[at] = high;
    words[at + 1] = low;
    words[at + 2] = files;
  }

  private void grow() {
    if (places == MOST_PLACES) {
      throw new IllegalStateException(
          "More than "
              + count
              + " different chunks cannot be told apart; --no-digest does without");
    }
    refill(2 * places, 0);
  }

  /**
   * @param forgotten what was first seen in this file is left out
   */
  private void refill(int wanted, int forgotten) {
    long[] before = words;
    words = new long[WORDS * wanted];
    places = wanted;
    count = 0;
    for (int from = 0; from < before.length; from += WORDS) {
      long files = before[from + 2];
      if (files != 0 && first(files) != forgotten) {
        put(find(before[from], before[from + 1]), before[from], before[from + 1], files);
        count++;
      }
    }
  }
}
