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

/**
 * A line of the form {@code key<TAB>integer}.
 *
 * @param key everything before the first tab, not empty
 * @param number a 64-bit integer
 */
record KeyedNumber(String key, long number) {

  /** Counters of the jobs that read such lines. */
  enum Lines {
    /** Lines read. */
    GOOD,
    /** Lines of another form, left out. */
    MALFORMED
  }

  /** The line's content, or empty if it has another form. */
  static Optional<KeyedNumber> parse(String line) {
    int tab = line.indexOf('\t');
    if (tab < 1) {
      return Optional.empty();
    }
    try {
      long number = Long.parseLong(line.substring(tab + 1).trim());
      return Optional.of(new KeyedNumber(line.substring(0, tab), number));
    } catch (NumberFormatException e) {
      // Not a number: the line is malformed, which the callers count.
      return Optional.empty();
    }
  }
}
