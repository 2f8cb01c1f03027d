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
package org.freshet.cli.bench.plot;

import java.util.ArrayList;
import java.util.List;

/**
 * Where values stand on an axis: evenly, or by their logarithms if a few are much greater than the
 * others, as latencies are after a fault.
 */
final class Scale {
  /** Ratio of the greatest value to the middle one from which on there is little to see evenly. */
  private static final double WIDE = 8;

  private static final int TICKS = 6;

  private final double from;
  private final double to;
  private final boolean isLogarithmic;

  private Scale(double from, double to, boolean isLogarithmic) {
    this.from = from;
    this.to = to;
    this.isLogarithmic = isLogarithmic;
  }

  /** From 0 on, evenly. */
  static Scale even(double greatest) {
    return new Scale(0, greatest > 0 ? greatest : 1, false);
  }

  /** A scale that shows all of these, which are not negative, of which there is at least one. */
  static Scale of(double[] values) {
    double[] sorted = values.clone();
    java.util.Arrays.sort(sorted);
    double least = sorted[0];
    double middle = sorted[sorted.length / 2];
    double greatest = sorted[sorted.length - 1];
    return least > 0 && greatest > WIDE * middle
        ? new Scale(
            Math.pow(10, Math.floor(Math.log10(least))),
            Math.pow(10, Math.ceil(Math.log10(greatest))),
            true)
        : even(greatest * 1.05);
  }

  /** Where a value is, from 0 to 1. */
  double position(double value) {
    return isLogarithmic
        ? Math.log(value / from) / Math.log(to / from)
        : (value - from) / (to - from);
  }

  /** Values to be written beside the axis, ascending. */
  List<Double> ticks() {
    List<Double> ticks = new ArrayList<>();
    if (isLogarithmic) {
      for (double decade = from; decade <= to * 1.001; decade *= 10) {
        for (double tick : new double[] {decade, 2 * decade, 5 * decade}) {
          if (tick <= to * 1.001) {
            ticks.add(tick);
          }
        }
      }
      return ticks;
    }
    double raw = (to - from) / TICKS;
    double decade = Math.pow(10, Math.floor(Math.log10(raw)));
    double step = decade * (raw <= decade ? 1 : raw <= 2 * decade ? 2 : raw <= 5 * decade ? 5 : 10);
    for (int i = 0; i * step <= to * 1.001; i++) {
      ticks.add(i * step);
    }
    return ticks;
  }
}
