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
package org.freshet.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LineageChangeTest {
  @Test
  void onlyDifferencesAreListedInOrder() {
    assertThat(
            LineageChange.between(
                Map.of("a", "1", "b", "2", "c", "3"), Map.of("b", "2", "c", "4", "d", "5")))
        .containsExactly(
            new LineageChange("a", "1", null),
            new LineageChange("c", "3", "4"),
            new LineageChange("d", null, "5"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "property.my.threshold | 3 | 4 | property my.threshold: 3 -> 4",
        "property.my.threshold | - | 4 | property my.threshold: (not set) -> 4",
        "class.combiner | a.B | - | combiner class: a.B -> (none)",
        "code.jar | 0a | 0b | job jar has other contents",
        "code.mapper | 0a | 0b | the jar or directory with the mapper class has other contents",
        "file.tmpjars.0.lib-1.2.jar | 0a | 0b | library jar lib-1.2.jar has other contents",
        "file.tmpjars.12.lib.jar | - | 0b | library jar lib.jar: new",
        "file.mapreduce.job.cache.files.0.stop.txt | 0a | - | cache file stop.txt: not there any"
            + " more",
        "reduces | 1 | 2 | number of reduces: 1 -> 2",
        "leafNaming | CONTENT | PLACE | how chunks are named: CONTENT -> PLACE",
        "unheard.of | 1 | 2 | unheard.of: 1 -> 2"
      })
  void eachFactHasItsSentence(String fact, String before, String after, String sentence) {
    assertThat(new LineageChange(fact, before, after).sentence()).isEqualTo(sentence);
  }

  @Test
  void longValuesAreCut() {
    String sentence = new LineageChange("property.p", "x".repeat(1000), "y").sentence();
    assertThat(sentence).hasSizeLessThan(150).endsWith("... -> y");
  }

  @Test
  void partitionsAreTextedAsRanges() {
    assertThat(ExplanationText.ranges(List.of(0, 1, 2, 3, 7, 9, 10))).isEqualTo("0-3, 7, 9-10");
    assertThat(ExplanationText.ranges(List.of(200, 201))).isEqualTo("200-201");
  }
}
