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
package org.freshet.mapreduce.run;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeCombinerTest {
  /** Sums by the old API. */
  public static final class OldSum
      implements org.apache.hadoop.mapred.Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    public void reduce(
        Text key,
        Iterator<IntWritable> values,
        OutputCollector<Text, IntWritable> output,
        Reporter reporter)
        throws IOException {
      int sum = 0;
      while (values.hasNext()) {
        sum += values.next().get();
      }
      output.collect(key, new IntWritable(sum));
    }

    @Override
    public void configure(JobConf job) {}

    @Override
    public void close() {}
  }

  /** Sorts backwards. */
  public static final class Backwards extends WritableComparator {
    public Backwards() {
      super(Text.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable a, WritableComparable b) {
      return b.toString().compareTo(a.toString());
    }
  }

  /** Takes words of one first letter as one. */
  public static final class FirstLetter extends WritableComparator {
    public FirstLetter() {
      super(Text.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable a, WritableComparable b) {
      return Character.compare(a.toString().charAt(0), b.toString().charAt(0));
    }
  }

  enum Api {
    OLD,
    NEW
  }

  @TempDir private java.nio.file.Path temporary;
  private RunFixture runs;

  @BeforeEach
  void makeFixture() throws IOException {
    runs = new RunFixture(temporary);
  }

  private void combinerOf(Api api) {
    if (api == Api.OLD) {
      runs.job.setCombinerClass(OldSum.class);
    } else {
      runs.job.setClass(
          MRJobConfig.COMBINE_CLASS_ATTR,
          IntSumReducer.class,
          org.apache.hadoop.mapreduce.Reducer.class);
    }
  }

  private Run combine(Run... children) throws Exception {
    try (NodeFile<Text, IntWritable> target = runs.nodeFile()) {
      return runs.combiner().combine(List.of(children), target);
    }
  }

  @ParameterizedTest
  @EnumSource(Api.class)
  void jobsOwnCombinerIsAppliedToEqualKeysOfAllRuns(Api api) throws Exception {
    combinerOf(api);
    Run first = runs.run(entry("a", 1), entry("b", 2), entry("b", 3));
    Run second = runs.run(entry("b", 10), entry("c", 20));

    Run node = combine(first, second);

    assertThat(runs.read(node)).containsExactly(entry("a", 1), entry("b", 15), entry("c", 20));
    assertThat(node.content()).isEqualTo(RunDigests.of(node));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void runsInMemoryAndInFilesGiveTheSameNode(boolean compressed) throws Exception {
    if (compressed) {
      runs.compressed();
    }
    combinerOf(Api.NEW);
    Random random = new Random(1);
    List<Run> files = new ArrayList<>();
    List<Run> mixed = new ArrayList<>();
    Map<String, Integer> sums = new TreeMap<>();
    for (int i = 0; i < 9; i++) {
      List<Map.Entry<String, Integer>> entries = randomEntries(random, 200);
      entries.forEach(e -> sums.merge(e.getKey(), e.getValue(), Integer::sum));
      Run run = runs.run(entries);
      files.add(run);
      mixed.add(i % 3 == 0 ? run : runs.inMemory(run));
    }

    Run ofFiles = combine(files.toArray(new Run[0]));
    Run ofMixed = combine(mixed.toArray(new Run[0]));

    assertThat(runs.read(ofMixed)).containsExactlyElementsOf(sums.entrySet());
    assertThat(ofMixed.content()).isEqualTo(ofFiles.content());
  }

  /** Words of very different length, sorted. */
  private static List<Map.Entry<String, Integer>> randomEntries(Random random, int size) {
    List<Map.Entry<String, Integer>> entries = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      String word = "w" + random.nextInt(300);
      entries.add(entry(word.repeat(1 + word.hashCode() % 5), random.nextInt(100)));
    }
    entries.sort(Map.Entry.comparingByKey());
    return entries;
  }

  @Test
  void combiningStepByStepGivesWhatCombiningAtOnceGives() throws Exception {
    combinerOf(Api.NEW);
    Random random = new Random(2);
    Run[] leaves = new Run[6];
    for (int i = 0; i < leaves.length; i++) {
      leaves[i] = runs.run(randomEntries(random, 50));
    }

    Run inSteps =
        combine(
            combine(leaves[0], leaves[1], leaves[2]),
            combine(leaves[3], combine(leaves[4], leaves[5])));

    assertThat(inSteps.content()).isEqualTo(combine(leaves).content());
  }

  @Test
  void moreRunsThanStreamsAreMergedInPassesAndStayReadable() throws Exception {
    combinerOf(Api.NEW);
    Run[] many = new Run[200];
    for (int i = 0; i < many.length; i++) {
      many[i] = runs.run(entry("all", 1), entry("run %03d".formatted(i), i));
    }

    Run node = combine(many);

    List<Map.Entry<String, Integer>> read = runs.read(node);
    assertThat(read).hasSize(201).startsWith(entry("all", 200));
    assertThat(runs.read(many[17])).containsExactly(entry("all", 1), entry("run 017", 17));
    try (var left = Files.walk(java.nio.file.Path.of(runs.job.get(MRConfig.LOCAL_DIR)))) {
      assertThat(left.filter(Files::isRegularFile)).isEmpty();
    }
  }

  @Test
  void jobsSortOrderIsKept() throws Exception {
    combinerOf(Api.NEW);
    runs.job.setOutputKeyComparatorClass(Backwards.class);
    Run first = runs.run(entry("c", 1), entry("a", 2));
    Run second = runs.run(entry("d", 3), entry("c", 4));

    assertThat(runs.read(combine(first, second)))
        .containsExactly(entry("d", 3), entry("c", 5), entry("a", 2));
  }

  @Test
  void jobsCombinerGroupingIsKept() throws Exception {
    combinerOf(Api.NEW);
    runs.job.setCombinerKeyGroupingComparator(FirstLetter.class);
    Run first = runs.run(entry("aa", 1), entry("ba", 2));
    Run second = runs.run(entry("ab", 10), entry("bb", 20));

    assertThat(runs.read(combine(first, second)))
        .extracting(Map.Entry::getValue)
        .containsExactly(11, 22);
  }

  @Test
  void equalKeysComeInTheOrderOfTheirRuns() throws Exception {
    Run first = runs.run(entry("k", 1), entry("k", 2));
    Run second = runs.run(entry("k", 3));

    assertThat(runs.read(first, second))
        .extracting(Map.Entry::getValue)
        .hasSize(3)
        .contains(1, 2, 3);
    assertThat(runs.read(first, second)).isEqualTo(runs.read(first, second));
  }

  @Test
  void aNodeOverOneFilledRunIsThatRun() throws Exception {
    combinerOf(Api.NEW);
    Run empty = runs.run();
    Run filled = runs.run(entry("a", 1), entry("a", 1));

    assertThat(combine(empty, filled, empty)).isSameAs(filled);
    assertThat(runs.reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS).getValue()).isZero();
  }

  @Test
  void aNodeOverEmptyRunsIsEmpty() throws Exception {
    combinerOf(Api.NEW);

    Run node = combine(runs.run(), runs.run());

    assertThat(node.isEmpty()).isTrue();
    assertThat(runs.read(node)).isEmpty();
  }

  @Test
  void recordsThatGoThroughTheCombinerAreCounted() throws Exception {
    combinerOf(Api.NEW);

    combine(runs.run(entry("a", 1), entry("b", 1)), runs.run(entry("a", 1)));

    assertThat(runs.reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS).getValue()).isEqualTo(3);
    assertThat(runs.reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS).getValue())
        .isEqualTo(2);
  }

  @Test
  void aJobWithoutCombinerHasNoneAvailableButItsRunsCanBeMerged() throws Exception {
    assertThat(runs.combiner().available()).isFalse();
    combinerOf(Api.OLD);
    assertThat(runs.combiner().available()).isTrue();
    assertThat(runs.read()).isEmpty();
  }
}
