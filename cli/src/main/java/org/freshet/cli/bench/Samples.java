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

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Repeated measurements of one figure. Immutable. */
public final class Samples {
  private final double[] sorted;

  private Samples(double[] sorted) {
    this.sorted = sorted;
  }

  /**
   * Takes the measurements.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Samples of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no measurement, expected at least one");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Samples(sorted);
  }

  /** One figure of each of these outcomes. */
  public static <T> Samples of(List<T> outcomes, ToDoubleFunction<T> figure) {
    return of(outcomes.stream().mapToDouble(figure).toArray());
  }

  public int count() {
    return sorted.length;
  }

  public double min() {
    return sorted[0];
  }

  public double max() {
    return sorted[sorted.length - 1];
  }

  /** The middle value; with an even count the mean of the two in the middle. */
  public double median() {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
