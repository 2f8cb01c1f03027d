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

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.freshet.cli.bench.SparkApplications.Way;

/** What queries gave, which has to be the same each time, however they are run. */
final class Results {
  /** First field of a line that tells a query's name, the result's rows, and a hash of them. */
  static final String KIND = "result";

  private final Map<String, String> byQuery = new LinkedHashMap<>();

  /**
   * Compares those that were printed with what the same queries gave before.
   *
   * @return the lines that tell something else
   * @throws IOException if one differs
   */
  List<String[]> check(Way way, List<String[]> printed) throws IOException {
    List<String[]> others = new ArrayList<>();
    for (String[] fields : printed) {
      if (fields[0].equals(KIND)) {
        check(way, fields[1], fields[2] + " rows with hash " + fields[3]);
      } else {
        others.add(fields);
      }
    }
    return others;
  }

  private void check(Way way, String query, String result) throws IOException {
    String first = byQuery.putIfAbsent(query, result);
    if (first != null && !first.equals(result)) {
      throw new IOException(
          query + " gave " + result + " with " + way.title() + ", before: " + first);
    }
  }
}
