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

import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.freshet.mapreduce.analysis.CodeTraits.Hazard;
import org.freshet.mapreduce.analysis.CodeTraits.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Verdicts on the jobs of the stock examples jar and of Hadoop's own library. */
class StockExamplesTest {

  private static final String EXAMPLES = "org.apache.hadoop.examples.";
  private static final String LIB = "org.apache.hadoop.mapreduce.lib.";
  private static final String OLD_LIB = "org.apache.hadoop.mapred.lib.";
  private static final String IDENTITY = "org.apache.hadoop.mapreduce.Mapper";

  private final JobCodeAnalyzer analyzer = new JobCodeAnalyzer(getClass().getClassLoader());

  private CodeTraits textJob(String mapper, String... others) {
    return analyzer.analyzeMap(true, mapper, Arrays.asList(others), true, false);
  }

  private CodeTraits keyedJob(String mapper, String... others) {
    return analyzer.analyzeMap(true, mapper, Arrays.asList(others), false, false);
  }

  private CodeTraits oldTextJob(String mapper) {
    return analyzer.analyzeMap(
        false, mapper, List.of("org.apache.hadoop.mapred.MapRunner"), true, false);
  }

  @ParameterizedTest
  @CsvSource({
    "WordCount$TokenizerMapper, WordCount$IntSumReducer",
    "WordMean$WordMeanMapper, WordMean$WordMeanReducer",
    "WordMedian$WordMedianMapper, WordMedian$WordMedianReducer",
    "WordStandardDeviation$WordStandardDeviationMapper, WordStandardDeviation$WordStandardDeviationReducer",
    "SecondarySort$MapClass, SecondarySort$FirstPartitioner",
    "SecondarySort$MapClass, SecondarySort$FirstGroupingComparator",
    "SecondarySort$MapClass, SecondarySort$IntPair",
    "MultiFileWordCount$MapClass, WordCount$IntSumReducer"
  })
  void jobsThatIgnoreTheirByteOffsetAreNamedByContentAlone(String mapper, String other) {
    assertPure(textJob(EXAMPLES + mapper, EXAMPLES + other));
  }

  @ParameterizedTest
  @CsvSource({
    "map.RegexMapper, reduce.LongSumReducer",
    "map.TokenCounterMapper, reduce.IntSumReducer"
  })
  void libraryMappersAreReadLikeUserCode(String mapper, String combiner) {
    assertPure(textJob(LIB + mapper, LIB + combiner));
  }

  @ParameterizedTest
  @ValueSource(strings = {"RegexMapper", "TokenCountMapper"})
  void oldLibraryMappersAreReadLikeUserCode(String mapper) {
    assertPure(oldTextJob(OLD_LIB + mapper));
  }

  @Test
  void identityAndInverseMappersEmitTheByteOffset() {
    assertThat(textJob(IDENTITY).positionReason()).isEqualTo("Mapper.map reads its key parameter");
    assertThat(textJob(LIB + "map.InverseMapper").positionReason())
        .isEqualTo("InverseMapper.map reads its key parameter");
    assertThat(oldTextJob(OLD_LIB + "IdentityMapper").positionReason())
        .isEqualTo("IdentityMapper.map reads its key parameter");
  }

  @Test
  void aKeyThatIsDataMayBeRead() {
    assertPure(keyedJob(IDENTITY, LIB + "partition.HashPartitioner"));
    assertPure(keyedJob(LIB + "map.InverseMapper"));
    assertPure(keyedJob(IDENTITY, EXAMPLES + "terasort.TeraSort$SimplePartitioner"));
    assertPure(
        keyedJob(
            IDENTITY,
            LIB + "partition.KeyFieldBasedPartitioner",
            LIB + "partition.KeyFieldBasedComparator"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        LIB + "aggregate.ValueAggregatorMapper",
        LIB + "chain.ChainMapper",
        LIB + "input.DelegatingMapper",
        LIB + "map.MultithreadedMapper"
      })
  void mappersThatRunConfiguredCodeAreInDoubtAndSoSensitive(String mapper) {
    CodeTraits traits = keyedJob(mapper);
    assertThat(traits.positionReason()).endsWith("runs code that the configuration names");
    assertThat(traits.hazard()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    LIB + "partition.TotalOrderPartitioner, uses SequenceFile$Reader.file",
    EXAMPLES + "terasort.TeraSort$TotalOrderPartitioner, uses FileSystem.open"
  })
  void totalOrderPartitionersReadASampleFile(String partitioner, String what) {
    Hazard hazard = keyedJob(IDENTITY, partitioner).hazard().orElseThrow();
    assertThat(hazard.kind()).isEqualTo(Kind.READS_OUTSIDE_DATA);
    assertThat(hazard.reason()).endsWith("TotalOrderPartitioner.readPartitions " + what);
  }

  @Test
  void teraValidateLooksAtItsSplit() {
    assertThat(keyedJob(EXAMPLES + "terasort.TeraValidate$ValidateMapper").positionReason())
        .isEqualTo("TeraValidate$ValidateMapper.map calls Mapper$Context.getInputSplit");
  }

  @ParameterizedTest
  @ValueSource(strings = {"RandomWriter$RandomMapper", "RandomTextWriter$RandomTextMapper"})
  void generatorsOfRandomDataRunStock(String mapper) {
    assertThat(keyedJob(EXAMPLES + mapper).hazard().map(Hazard::kind))
        .contains(Kind.NONDETERMINISTIC);
  }

  @Test
  void aTimedComputationRunsStock() {
    assertThat(keyedJob(EXAMPLES + "pi.DistSum$MapSide$SummingMapper").hazard().map(Hazard::kind))
        .contains(Kind.DEPENDS_ON_TIME);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        EXAMPLES + "WordCount$IntSumReducer",
        EXAMPLES + "WordMedian$WordMedianReducer",
        EXAMPLES + "WordStandardDeviation$WordStandardDeviationReducer",
        EXAMPLES + "SecondarySort$Reduce",
        EXAMPLES + "terasort.TeraValidate$ValidateReducer",
        LIB + "reduce.LongSumReducer",
        "org.apache.hadoop.mapreduce.Reducer"
      })
  void plainReducersHaveNoHazard(String reducer) {
    assertThat(analyzer.analyzeReduce(List.of(reducer), false)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"QuasiMonteCarlo$QmcReducer", "BaileyBorweinPlouffe$BbpReducer"})
  void reducersThatWriteFilesOfTheirOwnRunStock(String reducer) {
    assertThat(analyzer.analyzeReduce(List.of(EXAMPLES + reducer), false).map(Hazard::kind))
        .contains(Kind.READS_OUTSIDE_DATA);
  }

  @Test
  void onlyClassesThatReachableCodeTouchesAreRead() {
    List<String> read = new ArrayList<>();
    ClassLoader counting =
        new ClassLoader(getClass().getClassLoader()) {
          @Override
          public InputStream getResourceAsStream(String name) {
            read.add(name);
            return super.getResourceAsStream(name);
          }
        };
    new JobCodeAnalyzer(counting)
        .analyzeMap(true, EXAMPLES + "WordCount$TokenizerMapper", List.of(), true, false);

    assertThat(read).doesNotHaveDuplicates().hasSizeLessThan(40);
  }

  private static void assertPure(CodeTraits traits) {
    assertThat(traits).isEqualTo(new CodeTraits(false, false, "", Optional.empty()));
  }
}
