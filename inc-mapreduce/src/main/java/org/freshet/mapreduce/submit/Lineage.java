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
package org.freshet.mapreduce.submit;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.freshet.slider.Digest;

/**
 * Everything about a job but its input and its output: what two runs must share to share memoized
 * results. Immutable.
 *
 * @param id digest of the text
 * @param text one line a fact, sorted; kept in the store so that people can see what changed
 */
public record Lineage(Digest id, String text) {
  static Lineage of(Map<String, String> facts) {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(facts)
        .forEach(
            (name, value) ->
                text.append(escape(name).replace("=", "\\="))
                    .append('=')
                    .append(escape(value))
                    .append('\n'));
    return new Lineage(
        Digest.sha256(text.toString().getBytes(StandardCharsets.UTF_8)), text.toString());
  }

  /** The facts of a lineage's text. */
  public static Map<String, String> facts(String text) {
    Map<String, String> facts = new TreeMap<>();
    for (String line : text.lines().toList()) {
      int equals = 0;
      while (equals < line.length() && line.charAt(equals) != '=') {
        equals += line.charAt(equals) == '\\' ? 2 : 1;
      }
      if (equals > 0 && equals < line.length()) {
        facts.put(unescape(line.substring(0, equals)), unescape(line.substring(equals + 1)));
      }
    }
    return facts;
  }

  private static String unescape(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        char escaped = text.charAt(++i);
        c = escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped;
      }
      plain.append(c);
    }
    return plain.toString();
  }

  private static String escape(String value) {
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
  }
}
