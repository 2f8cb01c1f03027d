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

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;

/**
 * Values of one figure over time, or over something else, of one measurement.
 *
 * @param figure what is shown in one picture, with other series
 * @param caseName what was done
 * @param metric what was measured
 * @param unit its unit; empty if it is a mere number
 * @param over what the values are over; time in reports that don't say so
 * @param round the how manieth measurement of the same it is, from 1
 * @param points the values, ascending in what they are over
 * @param marks what happened meanwhile, if they are over time
 */
@JsonPropertyOrder({"figure", "case", "metric", "unit", "over", "round", "marks", "points"})
public record BenchSeries(
    String figure,
    @JsonProperty("case") String caseName,
    String metric,
    String unit,
    Axis over,
    int round,
    List<Point> points,
    List<Mark> marks) {

  public BenchSeries {
    over = over == null ? Axis.TIME : over;
    points = List.copyOf(points);
    marks = List.copyOf(marks);
  }

  /**
   * What values are over.
   *
   * @param unit empty if it is a mere number
   */
  public record Axis(String name, String unit) {
    /** Since the measurement began. */
    public static final Axis TIME = new Axis("time", "s");
  }

  /** A value, and where it was so; over time, in seconds since the measurement began. */
  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  @JsonPropertyOrder({"at", "value"})
  public record Point(double at, double value) {}

  /** Something that happened, and when, in seconds since the measurement began. */
  public record Mark(double seconds, String what) {}
}
