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
package org.freshet.mapreduce.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.freshet.mapreduce.analysis.CodeTraits.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MapperStateTest {
  private final JobCodeAnalyzer analyzer = new JobCodeAnalyzer(getClass().getClassLoader());

  private CodeTraits analyze(String mapper, String... others) throws ClassNotFoundException {
    String name = StateMappers.class.getName() + "$" + mapper;
    boolean newApi =
        org.apache.hadoop.mapreduce.Mapper.class.isAssignableFrom(
            Class.forName(name, false, getClass().getClassLoader()));
    return analyzer.analyzeMap(newApi, name, List.of(others), true, false);
  }

  @ParameterizedTest
  @CsvSource({
    "SkipsHeader, header",
    "ComparesWithPrevious, previous",
    "NumbersLines, number",
    "FirstHundred, seen",
    "Sections, section",
    "Paragraphs, paragraph",
    "Samples, random",
    "CombinesUntilFull, counts",
    "ThroughMethods, last",
    "SetOnOnePathOnly, user",
    "OldSkipsHeader, header",
    "SetInLambda, user",
    "GathersAfterHeader, header",
    "FlushesByCleanup, group",
    "KeepsInCallback, order",
  })
  void whatOneRecordLeavesForTheNextNeedsTheStockSplits(String mapper, String field)
      throws Exception {
    String reason = "field StateMappers$%s.%s keeps something from one record for the next";
    assertThat(analyze(mapper))
        .isEqualTo(new CodeTraits(true, true, reason.formatted(mapper, field), Optional.empty()));
  }

  @Test
  void soDoesWhatAHelperKeeps() throws Exception {
    assertThat(analyze("AsksHelper").positionReason())
        .isEqualTo(
            "field StateMappers$AsksHelper$Total.sum keeps something from one record for the next");
  }

  @Test
  void soDoesAnInheritedFieldAndOneOfTwoObjectsOfAClass() throws Exception {
    assertThat(analyze("UsesInheritedField").positionReason())
        .isEqualTo(
            "field StateMappers$WithWindow.window keeps something from one record for the next");
    assertThat(analyze("TwoOfAClass").positionReason())
        .isEqualTo("field StateMappers$Parsed.user keeps something from one record for the next");
  }

  @ParameterizedTest
  @ValueSource(strings = {"OwnLoopCounts", "OwnLoopGathers", "OwnLoopWithArray"})
  void soDoLocalVariablesOfAnOwnLoop(String mapper) throws Exception {
    assertThat(analyze(mapper).positionReason())
        .isEqualTo("StateMappers$" + mapper + ".run keeps something from one record for the next");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ReusesBuilder",
        "ThroughAccessors",
        "ParsesByHelper",
        "CombinesInMemory",
        "CountsForCounter",
        "FillsOwnValue",
        "Configured",
        "ScratchFields",
        "MakesHelperPerRecord"
      })
  void whatIsReplacedForEachRecordOrOnlyAddedUpIsNotKept(String mapper) throws Exception {
    assertThat(analyze(mapper)).isEqualTo(new CodeTraits(false, false, "", Optional.empty()));
  }

  @Test
  void aCombinerKeepsNothingForAMapper() throws Exception {
    assertThat(analyze("CombinesInMemory", SampleReducers.Sum.class.getName()))
        .isEqualTo(new CodeTraits(false, false, "", Optional.empty()));
  }

  @Test
  void aPartitionerThatKeepsSomethingIsAHazard() throws Exception {
    CodeTraits traits = analyze("Configured", StateMappers.RoundRobin.class.getName());
    assertThat(traits.hazard().map(CodeTraits.Hazard::kind)).contains(Kind.MUTABLE_STATIC_STATE);
    assertThat(traits.hazard().orElseThrow().reason()).contains("RoundRobin.next");
    assertThat(analyze("Configured", StateMappers.ByLength.class.getName()).hazard()).isEmpty();
  }
}
