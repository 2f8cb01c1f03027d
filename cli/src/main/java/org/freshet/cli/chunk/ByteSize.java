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

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes as people write and read them. */
public final class ByteSize {
  private static final Pattern TEXT =
      Pattern.compile("(\\d{1,18})\\s*([kmgt]?)(?:i?b)?", Pattern.CASE_INSENSITIVE);
  private static final Map<String, Integer> SHIFTS =
      Map.of("", 0, "k", 10, "m", 20, "g", 30, "t", 40);
  private static final String[] UNITS = {"bytes", "kB", "MB", "GB", "TB", "PB"};

  private ByteSize() {}

  /**
   * A number of bytes, or with K, M, G or T at its end of 1024, 1024<sup>2</sup> and so on.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  public static long parse(String text) {
    Matcher matcher = TEXT.matcher(text.trim());
    if (matcher.matches()) {
      long number = Long.parseLong(matcher.group(1));
      int shift = SHIFTS.get(matcher.group(2).toLowerCase(Locale.ROOT));
      if (number <= Long.MAX_VALUE >> shift) {
        return number << shift;
      }
    }
    throw new IllegalArgumentException(
        "'" + text + "' is no size, expected bytes, or a number with K, M, G or T such as 64K");
  }

  /** As {@link #format(double)}. */
  public static String format(long bytes) {
    return format((double) bytes);
  }

  /** In the unit, a power of 1000, that leaves one to three digits before the point. */
  public static String format(double bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 999.5 && unit < UNITS.length - 1) {
      value /= 1000;
      unit++;
    }
    int decimals = unit == 0 || value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + decimals + "f %s", value, UNITS[unit]);
  }
}
