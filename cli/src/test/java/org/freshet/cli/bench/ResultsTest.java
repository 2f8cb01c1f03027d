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

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTest {
  private static final String[] COUNTS = {"result", "counts", "3", "77"};
  private static final String[] SUMS = {"result", "sums", "3", "78"};
  private static final String[] TIME = {"query", "counts", "12.5"};

  private final Results results = new Results();

  @Test
  void otherLinesAreGivenBack() throws IOException {
    assertThat(results.check(SparkApplications.STOCK, List.of(COUNTS, TIME, SUMS)))
        .containsExactly(TIME);
    assertThat(results.check(SparkApplications.FRESHET, List.of(SUMS, COUNTS))).isEmpty();
  }

  @Test
  void anotherResultIsRefused() throws IOException {
    results.check(SparkApplications.STOCK, List.<String[]>of(COUNTS));
    String[] other = {"result", "counts", "3", "79"};
    assertThatThrownBy(() -> results.check(SparkApplications.FRESHET, List.of(TIME, other)))
        .isInstanceOf(IOException.class)
        .hasMessage("counts gave 3 rows with hash 79 with Freshet, before: 3 rows with hash 77");
  }
}
