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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SamplesTest {
  @Test
  void theMedianOfAnOddCountIsTheMiddleValue() {
    Samples samples = Samples.of(9, 1, 5);
    assertThat(samples.median()).isEqualTo(5);
    assertThat(samples.min()).isEqualTo(1);
    assertThat(samples.max()).isEqualTo(9);
    assertThat(samples.count()).isEqualTo(3);
  }

  @Test
  void theMedianOfAnEvenCountIsBetweenTheTwoInTheMiddle() {
    assertThat(Samples.of(4, 1, 100, 2).median()).isEqualTo(3);
  }

  @Test
  void laterChangesOfTheArrayDoNotReachTheSamples() {
    double[] values = {3, 1, 2};
    Samples samples = Samples.of(values);
    values[0] = 50;
    assertThat(samples.max()).isEqualTo(3);
  }

  @Test
  void nothingMeasuredIsAnError() {
    assertThatThrownBy(Samples::of).isInstanceOf(IllegalArgumentException.class);
  }
}
