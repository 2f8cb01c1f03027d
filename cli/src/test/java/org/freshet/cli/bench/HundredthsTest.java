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

import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.freshet.cli.bench.BenchSeries.Point;
import org.junit.jupiter.api.Test;

class HundredthsTest {
  @Test
  void readsWhatWasPrinted() {
    String list =
        IntStream.rangeClosed(1, 100)
            .mapToObj(i -> String.valueOf(10 * i))
            .collect(Collectors.joining(","));
    Hundredths printed = Hundredths.printed(list);
    assertThat(printed.percentile(1)).isEqualTo(10);
    assertThat(printed.percentile(99)).isEqualTo(990);
    assertThat(printed.points())
        .hasSize(100)
        .startsWith(new Point(10, 1))
        .endsWith(new Point(1000, 100));
  }

  @Test
  void manyValuesInAnyOrderAreReducedToAHundred() {
    List<Double> all =
        DoubleStream.iterate(999, value -> value - 1)
            .limit(1000)
            .boxed()
            .collect(Collectors.toList());
    assertThat(Hundredths.of(all).percentile(50)).isEqualTo(500);
    assertThat(Hundredths.of(all).percentile(99)).isEqualTo(990);
    assertThat(Hundredths.of(all).percentile(100)).isEqualTo(999);
    Collections.shuffle(all);
    assertThat(Hundredths.of(all).percentile(1)).isEqualTo(10);
  }

  @Test
  void fewValuesAreRepeated() {
    Hundredths few = Hundredths.of(List.of(3.0, 1.0));
    assertThat(few.points()).hasSize(100);
    assertThat(few.percentile(49)).isEqualTo(1);
    assertThat(few.percentile(50)).isEqualTo(3);
    assertThat(few.percentile(100)).isEqualTo(3);
  }

  @Test
  void aListThatIsCutOffIsRefused() {
    assertThatThrownBy(() -> Hundredths.printed("1,2,3"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3 values");
  }
}
