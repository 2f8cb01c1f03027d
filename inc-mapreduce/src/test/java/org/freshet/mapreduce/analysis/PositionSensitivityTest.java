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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.freshet.mapreduce.analysis.CodeTraits.Hazard;
import org.freshet.mapreduce.analysis.CodeTraits.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PositionSensitivityTest {

  private final JobCodeAnalyzer analyzer = new JobCodeAnalyzer(getClass().getClassLoader());

  private CodeTraits analyze(Class<?> mapper, boolean keyIsPosition) {
    boolean newApi = org.apache.hadoop.mapreduce.Mapper.class.isAssignableFrom(mapper);
    return analyzer.analyzeMap(newApi, mapper.getName(), List.of(), keyIsPosition, false);
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        PositionMappers.Tokens.class,
        PositionMappers.CopiesKeyUnused.class,
        PositionMappers.DelegatesToTokens.class,
        PositionMappers.GenericLines.class,
        PositionMappers.OwnRunLoop.class,
        PositionMappers.HarmlessHelper.class,
        PositionMappers.TagsConstantly.class,
        PositionMappers.ConstantProperties.class,
        PositionMappers.NamesConstantClass.class,
        PositionMappers.MapperAndTool.class
      })
  void mappersThatNeverLookWhereTheyAreAreInsensitive(Class<?> mapper) {
    assertThat(analyze(mapper, true)).isEqualTo(new CodeTraits(false, false, "", Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource({
    "EmitsKey, PositionMappers$EmitsKey.map reads its key parameter",
    "KeyThroughLocal, PositionMappers$KeyThroughLocal.map reads its key parameter",
    "KeyInLambda, PositionMappers$KeyInLambda.map reads its key parameter",
    "DelegatesToIdentity, Mapper.map reads its key parameter",
    "InheritsInverse, InverseMapper.map reads its key parameter",
    "RunLoopReadsKey, PositionMappers$RunLoopReadsKey.run reads the current key",
    "KeyByMethodReference, PositionMappers$KeyByMethodReference.run refers to getCurrentKey()",
    "OldEmitsKey, PositionMappers$OldEmitsKey.map reads its key parameter"
  })
  void aKeyThatIsAnOffsetMustNotBeUsed(String mapper, String reason) throws Exception {
    Class<?> type = Class.forName(PositionMappers.class.getName() + "$" + mapper);
    assertThat(analyze(type, true))
        .isEqualTo(new CodeTraits(true, false, reason, Optional.empty()));
    assertThat(analyze(type, false).positionSensitive()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "InputFileProperty, PositionMappers$InputFileProperty.setup reads property mapreduce.map.input.file",
    "OldInputFile, PositionMappers$OldInputFile.configure reads property map.input.file"
  })
  void theNameOfTheFileIsAPlaceWhateverTheKey(String mapper, String reason) throws Exception {
    Class<?> type = Class.forName(PositionMappers.class.getName() + "$" + mapper);
    assertThat(analyze(type, false))
        .isEqualTo(new CodeTraits(true, false, reason, Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource({
    "ReadsSplit, PositionMappers$ReadsSplit.setup calls Mapper$Context.getInputSplit",
    "SplitByMethodReference, PositionMappers$SplitByMethodReference.setup calls MapContext.getInputSplit",
    "TagsWithSplit, PositionMappers$SplitTagger.tag calls Mapper$Context.getInputSplit",
    "AnonymousTagger, PositionMappers$AnonymousTagger$1.tag calls Mapper$Context.getInputSplit",
    "LambdaInField, PositionMappers$LambdaInField.new calls Mapper$Context.getInputSplit",
    "OldReadsSplit, PositionMappers$OldReadsSplit.map calls Reporter.getInputSplit"
  })
  void lookingAtTheSplitNeedsTheStockSplitsWhateverTheKey(String mapper, String reason)
      throws Exception {
    Class<?> type = Class.forName(PositionMappers.class.getName() + "$" + mapper);
    assertThat(analyze(type, false))
        .isEqualTo(new CodeTraits(true, true, reason, Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        PositionMappers.ConcatenatedProperty.class,
        PositionMappers.PropertyFromArgument.class,
        PositionMappers.IteratesConfiguration.class,
        PositionMappers.CallsByReflection.class,
        PositionMappers.NamesConfiguredClass.class
      })
  void whatCannotBeToldNeedsTheStockSplits(Class<?> mapper) {
    CodeTraits traits = analyze(mapper, false);
    assertThat(traits.positionSensitive()).isTrue();
    assertThat(traits.splitVisible()).isTrue();
    assertThat(traits.hazard()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        PositionMappers.AttemptInHelper.class,
        PositionMappers.TaskPartitionProperty.class
      })
  void idsOfTheRunAreNotEvenDeterminedByAPosition(Class<?> mapper) {
    CodeTraits traits = analyze(mapper, false);
    assertThat(traits.positionSensitive()).isTrue();
    assertThat(traits.hazard().map(Hazard::kind)).contains(Kind.NONDETERMINISTIC);
  }

  @Test
  void propertiesThatTheLineageLeavesOutAreOutsideData() {
    Hazard hazard = analyze(PositionMappers.JobNameProperty.class, false).hazard().orElseThrow();
    assertThat(hazard)
        .isEqualTo(
            new Hazard(
                Kind.READS_OUTSIDE_DATA,
                "PositionMappers$JobNameProperty.setup reads mapreduce.job.name, which may differ"
                    + " between runs of the same job"));
  }

  @ParameterizedTest
  @CsvSource({
    "HandsKeysOn, ''",
    "EmitsKeys, SampleRunners$EmitsKeys.run reads the current key",
    "FillsOwnKey, SampleRunners$FillsOwnKey.run fills a key object of its own",
    "AsksReader, SampleRunners$AsksReader.run calls RecordReader.getPos"
  })
  void mapRunnersAreJudgedLikeRunLoops(String runner, String reason) {
    CodeTraits traits =
        analyzer.analyzeMap(
            false,
            PositionMappers.MapperAndTool.class.getName(),
            List.of(SampleRunners.class.getName() + "$" + runner),
            true,
            false);
    assertThat(traits.positionReason()).isEqualTo(reason);
  }

  @Test
  void theKeysOfACombinerAreNoPositions() {
    CodeTraits traits =
        analyzer.analyzeMap(
            true,
            PositionMappers.Tokens.class.getName(),
            List.of(SampleReducers.Sum.class.getName()),
            true,
            false);
    assertThat(traits.positionReason()).isEmpty();
  }

  @Test
  void traitsHaveAReasonExactlyWhenSensitive() {
    assertThatThrownBy(() -> new CodeTraits(true, false, "", Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("positionSensitive=true");
    assertThatThrownBy(() -> new CodeTraits(false, false, "why", Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"why\"");
  }
}
