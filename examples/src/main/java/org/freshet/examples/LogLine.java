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
package org.freshet.examples;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request in a web server's log, Common Log Format: {@code host ident user [date:hour:min:sec
 * zone] "method path protocol" status bytes}, with anything after it.
 *
 * @param host who asked
 * @param hour hour of the day, 0 to 23, in the log's own time zone
 * @param path what was asked for, without the query
 * @param status HTTP status
 * @param bytes length of the answer; 0 where the log has a dash
 */
record LogLine(String host, int hour, String path, int status, long bytes) {

  private static final Pattern FORMAT =
      Pattern.compile(
          "(\\S+) \\S+ \\S+ \\[[^:\\]]+:([01]\\d|2[0-3]):[^\\]]*\\] \"\\S+ ([^ ?\"]+)[^\"]*\""
              + " ([1-5]\\d\\d) (\\d{1,18}|-)(?: .*)?");

  /** The line's content, or empty if it has another form. */
  static Optional<LogLine> parse(String line) {
    Matcher matcher = FORMAT.matcher(line);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String bytes = matcher.group(5);
    return Optional.of(
        new LogLine(
            matcher.group(1),
            Integer.parseInt(matcher.group(2)),
            matcher.group(3),
            Integer.parseInt(matcher.group(4)),
            bytes.equals("-") ? 0 : Long.parseLong(bytes)));
  }
}
