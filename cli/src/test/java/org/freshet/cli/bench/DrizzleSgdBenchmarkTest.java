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

import static org.assertj.core.api.Assertions.assertThat;

import org.freshet.cli.bench.BenchSeries.Point;
import org.freshet.cli.bench.DrizzleSgdBenchmark.Learned;
import org.junit.jupiter.api.Test;

class DrizzleSgdBenchmarkTest {
  private static final Learned LEARNED =
      Learned.of("sample\tdense\t10\t250.000\t0.75,0.5,0.25".split("\t"));

  @Test
  void theLossOfEachIterationIsRead() {
    assertThat(LEARNED.lastLoss()).isEqualTo(0.25);
    assertThat(LEARNED.byIteration())
        .containsExactly(new Point(0, 0.75), new Point(1, 0.5), new Point(2, 0.25));
  }

  @Test
  void overTimeItIsInSeconds() {
    assertThat(LEARNED.byTime())
        .containsExactly(new Point(0, 0.75), new Point(0.25, 0.5), new Point(0.5, 0.25));
  }
}
