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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextFormsTest {

  @Test
  void wordsAreLowerCaseRunsOfLettersAndDigitsWithInnerApostrophes() {
    assertThat(Words.of("Don't panic: 42 'quoted' ÄÖ--x"))
        .containsExactly("don't", "panic", "42", "quoted", "äö", "x");
    assertThat(Words.of(" ... ")).isEmpty();
  }

  @Test
  void keyedNumbersNeedAKeyATabAndAnInteger() {
    assertThat(KeyedNumber.parse("a b\t-7 ")).contains(new KeyedNumber("a b", -7));
    assertThat(KeyedNumber.parse("\t7")).isEmpty();
    assertThat(KeyedNumber.parse("a 7")).isEmpty();
    assertThat(KeyedNumber.parse("a\t7.5")).isEmpty();
    assertThat(KeyedNumber.parse("a\t99999999999999999999")).isEmpty();
  }

  @Test
  void logLinesAreReadInCommonAndCombinedFormat() {
    String common =
        "10.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a.gif?x=1 HTTP/1.0\" 200 2326";
    LogLine expected = new LogLine("10.0.0.1", 13, "/a.gif", 200, 2326);
    assertThat(LogLine.parse(common)).contains(expected);
    assertThat(LogLine.parse(common + " \"http://from\" \"Agent/1.0\"")).contains(expected);
  }

  @Test
  void aDashStandsForNoBytes() {
    assertThat(LogLine.parse("h - - [1/Jan/2020:00:00:00 +0000] \"HEAD / HTTP/1.1\" 304 -"))
        .contains(new LogLine("h", 0, "/", 304, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "h - - [1/Jan/2020:24:00:00 +0000] \"GET / HTTP/1.1\" 200 1",
        "h - - [1/Jan/2020:00:00:00 +0000] \"GET / HTTP/1.1\" 600 1",
        "h - - [1/Jan/2020:00:00:00 +0000] \"GET / HTTP/1.1\" 200",
        "h - - [1/Jan/2020:00:00:00 +0000] GET / 200 1"
      })
  void otherLinesAreMalformed(String line) {
    assertThat(LogLine.parse(line)).isEmpty();
  }

  @Test
  void vectorsAreReadWithAndWithoutAnIndex() {
    List<double[]> read = Vectors.parseAll(List.of("1,2.5", "", "7\t-1,0"));
    assertThat(read).hasSize(2);
    assertThat(read.get(0)).containsExactly(1, 2.5);
    assertThat(read.get(1)).containsExactly(-1, 0);
    assertThat(Vectors.parse(Vectors.format(new double[] {0.1, 1e300})))
        .containsExactly(0.1, 1e300);
    assertThatThrownBy(() -> Vectors.parse("1,x")).isInstanceOf(NumberFormatException.class);
  }
}
