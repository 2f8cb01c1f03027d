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
package org.freshet.shredder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ChunkerConfigTest {
  @Test
  void averageGivesMinimumAndMaximum() {
    assertThat(ChunkerConfig.withAverage(4 << 20))
        .isEqualTo(new ChunkerConfig(2 << 20, 4 << 20, 16 << 20));
    assertThat(ChunkerConfig.withAverage(128)).isEqualTo(new ChunkerConfig(64, 128, 512));
    assertThat(ChunkerConfig.withAverage(Integer.MAX_VALUE / 4).maxSize()).isPositive();
  }

  @Test
  void keepsCutsAwayFromTheFirstByteOfAFile() {
    assertThatThrownBy(() -> new ChunkerConfig(63, 1000, 2000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 63");
  }

  @Test
  void refusesSizesOutOfOrder() {
    assertThatThrownBy(() -> new ChunkerConfig(100, 101, 200))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 101");
    assertThatThrownBy(() -> new ChunkerConfig(100, 200, 200))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 200");
    assertThatThrownBy(() -> ChunkerConfig.withAverage(127))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 127");
    assertThatThrownBy(() -> ChunkerConfig.withAverage(1 << 29))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void fingerprintNamesAlgorithmAndEachParameter() {
    assertThat(new ChunkerConfig(100, 200, 900).fingerprint())
        .isEqualTo("gear64-1/min=100,avg=200,max=900");
  }
}
