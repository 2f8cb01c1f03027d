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

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * One measured figure.
 *
 * @param caseName what was done
 * @param metric what was measured
 * @param unit its unit
 * @param value the median
 * @param stock the median of stock Hadoop for the same, or null
 * @param target what the design asks for, or null
 * @param better which direction is better
 * @param runs how many measurements {@code value} is the median of
 * @param min the least of them
 * @param max the greatest of them
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({
  "case", "metric", "unit", "value", "stock", "target", "better", "runs", "min", "max"
})
public record BenchRow(
    @JsonProperty("case") String caseName,
    String metric,
    String unit,
    double value,
    Double stock,
    Double target,
    Better better,
    int runs,
    double min,
    double max) {

  /** The direction in which a figure gets better. */
  public enum Better {
    @JsonProperty("lower")
    LOWER,
    @JsonProperty("higher")
    HIGHER
  }

  /** A figure with neither stock value nor target. */
  public static BenchRow of(
      String caseName, String metric, String unit, Better better, Samples samples) {
    return new BenchRow(
        caseName,
        metric,
        unit,
        samples.median(),
        null,
        null,
        better,
        samples.count(),
        samples.min(),
        samples.max());
  }

  /** The same figure beside stock Hadoop's. */
  public BenchRow withStock(double median) {
    return new BenchRow(caseName, metric, unit, value, median, target, better, runs, min, max);
  }

  /** The same figure with what the design asks for. */
  public BenchRow withTarget(double asked) {
    return new BenchRow(caseName, metric, unit, value, stock, asked, better, runs, min, max);
  }

  /** Whether the target is met; true where there is none. */
  public boolean meetsTarget() {
    return target == null || (better == Better.LOWER ? value <= target : value >= target);
  }
}
