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
package org.freshet.slider;

/**
 * How many members a group of a contraction tree has. A small fan-in makes an update combine less
 * data per level, a large one makes fewer levels and stores fewer nodes.
 *
 * @param meanFanIn one member in this many ends its group; at least 2
 * @param maxFanIn a group never has more members than this; at least {@code meanFanIn}
 */
public record Grouping(int meanFanIn, int maxFanIn) {
  /** Groups of 8 on average, 32 at most: one group in 70 is cut by the maximum. */
  public static final Grouping DEFAULT = new Grouping(8, 32);

  /** Checks the bounds. */
  public Grouping {
    if (meanFanIn < 2) {
      throw new IllegalArgumentException("meanFanIn must be at least 2, not " + meanFanIn);
    }
    if (maxFanIn < meanFanIn) {
      throw new IllegalArgumentException(
          "maxFanIn must be at least meanFanIn = " + meanFanIn + ", not " + maxFanIn);
    }
  }
}
