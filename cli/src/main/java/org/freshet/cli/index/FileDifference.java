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
package org.freshet.cli.index;

import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.freshet.cli.chunk.ByteSize;
import org.freshet.shredder.Chunk;

/**
 * How one file came from another, in chunks. An immutable value.
 *
 * @param ranges of the new file in order, and between them, where they were, those that only the
 *     old file has
 */
public record FileDifference(List<Range> ranges) {
  /** What became of a range. */
  public enum Kind {
    /** In both files, in the same order. */
    KEPT,
    /** In both files, but elsewhere among the others. */
    MOVED,
    /** In the new file only. */
    ADDED,
    /** In the old file only. */
    REMOVED
  }

  /**
   * Consecutive chunks of the same kind.
   *
   * @param oldOffset in the old file; -1 if it is not there
   * @param newOffset in the new file; -1 if it is not there
   * @param length in bytes
   */
  public record Range(Kind kind, long oldOffset, long newOffset, long length, int chunks) {}

  /**
   * Compares two lists of chunks that were cut by the same rule.
   *
   * <p>The n-th chunk of some content in one file is taken for the n-th chunk of that content in
   * the other. Of these pairs, a longest sequence that ascends in both files is kept and the others
   * have moved. Takes O(n log n) time.
   */
  public static FileDifference between(List<Chunk> before, List<Chunk> after) {
    int[] partners = partners(before, after);
    boolean[] inOrder = longestAscending(partners);
    boolean[] paired = new boolean[before.size()];
    for (int partner : partners) {
      if (partner >= 0) {
        paired[partner] = true;
      }
    }
    Ranges ranges = new Ranges();
    int old = 0;
    for (int i = 0; i < partners.length; i++) {
      Chunk chunk = after.get(i);
      if (partners[i] < 0) {
        ranges.add(Kind.ADDED, -1, chunk.offset(), chunk.length());
      } else if (inOrder[i]) {
        old = ranges.addRemoved(before, paired, old, partners[i]);
        old = partners[i] + 1;
        long oldOffset = before.get(partners[i]).offset();
        ranges.add(Kind.KEPT, oldOffset, chunk.offset(), chunk.length());
      } else {
        long oldOffset = before.get(partners[i]).offset();
        ranges.add(Kind.MOVED, oldOffset, chunk.offset(), chunk.length());
      }
    }
    ranges.addRemoved(before, paired, old, before.size());
    return new FileDifference(ranges.list);
  }

  /** For each new chunk the old one with the same content, or -1. */
  private static int[] partners(List<Chunk> before, List<Chunk> after) {
    Map<String, Deque<Integer>> places = new HashMap<>();
    for (int i = 0; i < before.size(); i++) {
      places.computeIfAbsent(content(before.get(i)), key -> new ArrayDeque<>()).add(i);
    }
    int[] partners = new int[after.size()];
    for (int i = 0; i < partners.length; i++) {
      Deque<Integer> left = places.get(content(after.get(i)));
      partners[i] = left == null || left.isEmpty() ? -1 : left.remove();
    }
    return partners;
  }

  private static String content(Chunk chunk) {
    return HexFormat.of().formatHex(chunk.digest());
  }

  /** Marks a longest ascending subsequence of those that are not negative. */
  private static boolean[] longestAscending(int[] values) {
    int[] tails = new int[values.length];
    int[] previous = new int[values.length];
    int length = 0;
    for (int i = 0; i < values.length; i++) {
      if (values[i] < 0) {
        continue;
      }
      int low = 0;
      int high = length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (values[tails[middle]] < values[i]) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      previous[i] = low == 0 ? -1 : tails[low - 1];
      tails[low] = i;
      length = Math.max(length, low + 1);
    }
    boolean[] marked = new boolean[values.length];
    for (int i = length == 0 ? -1 : tails[length - 1]; i >= 0; i = previous[i]) {
      marked[i] = true;
    }
    return marked;
  }

  /** Joins neighbours of the same kind. */
  private static final class Ranges {
    private final List<Range> list = new ArrayList<>();

    void add(Kind kind, long oldOffset, long newOffset, long length) {
      Range last = list.isEmpty() ? null : list.get(list.size() - 1);
      boolean follows =
          last != null
              && last.kind() == kind
              && follows(last.oldOffset(), last.length(), oldOffset)
              && follows(last.newOffset(), last.length(), newOffset);
      if (follows) {
        list.set(
            list.size() - 1,
            new Range(
                kind,
                last.oldOffset(),
                last.newOffset(),
                last.length() + length,
                last.chunks() + 1));
      } else {
        list.add(new Range(kind, oldOffset, newOffset, length, 1));
      }
    }

    private static boolean follows(long offset, long length, long next) {
      return offset < 0 ? next < 0 : offset + length == next;
    }

    int addRemoved(List<Chunk> before, boolean[] paired, int from, int to) {
      for (int i = from; i < to; i++) {
        if (!paired[i]) {
          add(Kind.REMOVED, before.get(i).offset(), -1, before.get(i).length());
        }
      }
      return to;
    }
  }

  /** Whether the files have the same content. */
  public boolean isSame() {
    return ranges.stream().allMatch(range -> range.kind() == Kind.KEPT);
  }

  /** Bytes in ranges of a kind. */
  public long bytes(Kind kind) {
    return ranges.stream().filter(r -> r.kind() == kind).mapToLong(Range::length).sum();
  }

  /** Chunks in ranges of a kind. */
  public long chunks(Kind kind) {
    return ranges.stream().filter(r -> r.kind() == kind).mapToLong(Range::chunks).sum();
  }

  /**
   * Writes it for people.
   *
   * @param withKept whether to name ranges that are in both files in the same order
   */
  public void print(PrintWriter out, boolean withKept) {
    for (Range range : ranges) {
      if (withKept || range.kind() != Kind.KEPT) {
        out.printf(
            "%-8s %s%d bytes, %d chunks%n",
            range.kind().name().toLowerCase(Locale.ROOT),
            where(range),
            range.length(),
            range.chunks());
      }
    }
    long length =
        Arrays.stream(Kind.values()).filter(k -> k != Kind.REMOVED).mapToLong(this::bytes).sum();
    for (Kind kind : Kind.values()) {
      out.printf(
          Locale.ROOT,
          "%s: %s in %d chunks%s%n",
          kind.name().toLowerCase(Locale.ROOT),
          ByteSize.format(bytes(kind)),
          chunks(kind),
          kind == Kind.REMOVED || length == 0
              ? ""
              : String.format(
                  Locale.ROOT, ", %.1f %% of the new file", 100.0 * bytes(kind) / length));
    }
  }

  private static String where(Range range) {
    String there = range.oldOffset() < 0 ? "" : "old " + range.oldOffset() + " ";
    String here = range.newOffset() < 0 ? "" : "new " + range.newOffset() + " ";
    return there + here + "+ ";
  }
}
