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
package org.freshet.cli.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "4096, 4096",
    "4k, 4096",
    "4K, 4096",
    "4KB, 4096",
    "4KiB, 4096",
    "3 M, 3145728",
    "2g, 2147483648",
    "1T, 1099511627776",
    "7B, 7"
  })
  void unitsArePowersOf1024(String text, long bytes) {
    assertThat(ByteSize.parse(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "K", "-1", "1.5K", "4X", "9999999999999999999", "999999999999T"})
  void whatIsNoSizeIsRefused(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }

  @Test
  void sizesAreShownWithThreeDigits() {
    assertThat(ByteSize.format(0)).isEqualTo("0 bytes");
    assertThat(ByteSize.format(999)).isEqualTo("999 bytes");
    assertThat(ByteSize.format(1234)).isEqualTo("1.23 kB");
    assertThat(ByteSize.format(99_960)).isEqualTo("100 kB");
    assertThat(ByteSize.format(999_900)).isEqualTo("1.00 MB");
    assertThat(ByteSize.format(3.14e10)).isEqualTo("31.4 GB");
  }
}
