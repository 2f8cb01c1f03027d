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

import java.io.PrintWriter;
import java.util.HexFormat;
import java.util.Locale;
import org.freshet.cli.chunk.ChunkStatistics.LengthClass;

/** Shows chunks to people. */
public final class ChunkText {
  private static final int BAR = 40;
  private static final int OFFSET_DIGITS = 12;
  private static final int LENGTH_DIGITS = 9;

  private ChunkText() {}

  /**
   * A line on a chunk: offset, length and digest.
   *
   * @param digest null if it was not asked for
   */
  public static void printChunk(long offset, long length, byte[] digest, PrintWriter out) {
    StringBuilder line = new StringBuilder();
    appendAligned(line, offset, OFFSET_DIGITS);
    line.append(' ');
    appendAligned(line, length, LENGTH_DIGITS);
    if (digest != null) {
      line.append("  ").append(HexFormat.of().formatHex(digest));
    }
    out.println(line);
  }

  /** What a format would do, for millions of lines. */
  private static void appendAligned(StringBuilder line, long number, int digits) {
    String text = Long.toString(number);
    line.append(" ".repeat(Math.max(0, digits - text.length()))).append(text);
  }

  /** A paragraph on all chunks. */
  public static void printStatistics(String title, ChunkStatistics s, PrintWriter out) {
    out.printf(Locale.ROOT, "%s: %s in %d chunks%n", title, ByteSize.format(s.bytes()), s.chunks());
    if (s.chunks() == 0) {
      return;
    }
    out.printf(
        Locale.ROOT,
        "  length      least %d, mean %.0f, greatest %d; standard deviation %.0f%n",
        s.minimum(),
        s.mean(),
        s.maximum(),
        s.deviation());
    out.printf(
        Locale.ROOT,
        "  quantiles   1 %%: %d, 50 %%: %d, 99 %%: %d%n",
        s.percentile1(),
        s.median(),
        s.percentile99());
    if (s.duplicateChunks() != null) {
      out.printf(
          Locale.ROOT,
          "  duplicates  %d chunks, %s (%.1f %%)%n",
          s.duplicateChunks(),
          ByteSize.format(s.duplicateBytes()),
          100.0 * s.duplicateBytes() / s.bytes());
    }
    for (LengthClass lengths : s.distribution()) {
      double share = (double) lengths.chunks() / s.chunks();
      out.printf(
          Locale.ROOT,
          "  %10d - %-10d %9d  %5.1f %%  %s%n",
          lengths.from(),
          lengths.below() - 1,
          lengths.chunks(),
          100 * share,
          "#".repeat((int) Math.round(BAR * share)));
    }
  }
}
