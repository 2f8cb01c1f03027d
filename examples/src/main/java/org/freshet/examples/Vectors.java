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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/** Reads, writes and compares vectors of numbers. */
final class Vectors {

  private static final Pattern COMMA = Pattern.compile(",");

  private Vectors() {}

  /** Reads {@code x,y,...}. @throws NumberFormatException if a part is no number */
  static double[] parse(String text) {
    return Arrays.stream(COMMA.split(text.trim())).mapToDouble(Double::parseDouble).toArray();
  }

  /** Reads one vector from each line that is not blank, dropping an index and a tab before it. */
  static List<double[]> parseAll(List<String> lines) {
    List<double[]> vectors = new ArrayList<>();
    for (String line : lines) {
      if (!line.isBlank()) {
        vectors.add(parse(line.substring(line.indexOf('\t') + 1)));
      }
    }
    return vectors;
  }

  static String format(double[] vector) {
    StringJoiner text = new StringJoiner(",");
    for (double each : vector) {
      text.add(Double.toString(each));
    }
    return text.toString();
  }

  /** The index of the centre nearest to the point, the first one if several are equally near. */
  static int nearest(double[] point, List<double[]> centres) {
    int nearest = -1;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < centres.size(); i++) {
      double distance = squaredDistance(point, centres.get(i));
      if (distance < least) {
        least = distance;
        nearest = i;
      }
    }
    if (nearest < 0) {
      throw new IllegalArgumentException("no centre is at a finite distance of " + format(point));
    }
    return nearest;
  }

  private static double squaredDistance(double[] left, double[] right) {
    if (left.length != right.length) {
      throw new IllegalArgumentException(
          "a point of dimension " + left.length + " and a centre of dimension " + right.length);
    }
    double sum = 0;
    for (int i = 0; i < left.length; i++) {
      sum += (left[i] - right[i]) * (left[i] - right[i]);
    }
    return sum;
  }
}
