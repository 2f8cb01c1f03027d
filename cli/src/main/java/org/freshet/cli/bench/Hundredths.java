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

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.freshet.cli.bench.BenchSeries.Point;

/**
 * How values are distributed.
 *
 * @param values for each hundredth of them, the smallest that it does not exceed, or nearly so;
 *     ascending
 */
record Hundredths(List<Double> values) {
  private static final int ALL = 100;

  Hundredths {
    if (values.size() != ALL) {
      throw new IllegalArgumentException(
          values.size() + " values, expected one for each of " + ALL);
    }
    values = List.copyOf(values);
  }

  /**
   * Of all values, of which there is at least one, in any order. As applications reckon it that
   * print hundredths.
   */
  static Hundredths of(List<Double> all) {
    List<Double> sorted = all.stream().sorted().toList();
    return new Hundredths(
        IntStream.rangeClosed(1, ALL)
            .mapToObj(of100 -> sorted.get(Math.min(sorted.size() - 1, sorted.size() * of100 / ALL)))
            .toList());
  }

  /** As an application has printed them, with commas between. */
  static Hundredths printed(String list) {
    return new Hundredths(numbers(list));
  }

  /** Numbers that an application has printed, with commas between. */
  static List<Double> numbers(String list) {
    return Stream.of(list.split(",")).map(Double::valueOf).toList();
  }

  double percentile(int of100) {
    return values.get(of100 - 1);
  }

  /** How many of a hundred do not exceed each value. */
  List<Point> points() {
    return IntStream.rangeClosed(1, ALL)
        .mapToObj(of100 -> new Point(percentile(of100), of100))
        .toList();
  }
}
