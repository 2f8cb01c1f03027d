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

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.freshet.shredder.RecordAlignment;

/**
 * Boundaries that whoever reads a file finds as it goes, for the chunker that is given what was
 * read. Unlike other alignments it is for one pass over one file, and for searches from ascending
 * positions. Safe for use by a thread that reads and one that searches.
 */
public final class MarkBoundaries implements RecordAlignment {
  private final String name;
  private final Deque<Long> found = new ArrayDeque<>();

  /**
   * @param name of the rule that finds them
   */
  public MarkBoundaries(String name) {
    this.name = name;
  }

  /**
   * Adds a boundary, before the byte in front of it can be searched.
   *
   * @param position above all before it, counted as the chunker counts
   */
  public synchronized void add(long position) {
    found.add(position);
  }

  /** The first boundary at or after {@code position}, or -1 if none is known. */
  private synchronized long first(long position) {
    while (!found.isEmpty() && found.peek() < position) {
      found.remove();
    }
    return found.isEmpty() ? -1 : found.peek();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int lookBehind() {
    return 0;
  }

  @Override
  public Search searchFrom(long position) {
    return new FromHere(position);
  }

  private final class FromHere implements Search {
    private long at;

    FromHere(long position) {
      at = position;
    }

    @Override
    public int next(ByteBuffer bytes, int from, int to) {
      long boundary = first(at);
      if (boundary >= 0 && boundary - at <= to - from) {
        return from + (int) (boundary - at);
      }
      at += to - from;
      return -1;
    }
  }
}
