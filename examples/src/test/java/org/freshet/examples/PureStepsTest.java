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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PureStepsTest {

  @Test
  void bigramsAreNeighbours() {
    assertThat(BigramCount.bigrams(List.of("a", "b", "c"))).containsExactly("a b", "b c");
    assertThat(BigramCount.bigrams(List.of("a"))).isEmpty();
  }

  @Test
  void pairsStandWithinTheWindowInBothOrders() {
    List<String> pairs = new ArrayList<>();
    CoOccurrenceMatrix.forEachPair(
        List.of("a", "b", "c", "d"), 2, (left, right) -> pairs.add(left + right));
    assertThat(pairs)
        .containsExactlyInAnyOrder("ab", "ba", "ac", "ca", "bc", "cb", "bd", "db", "cd", "dc");
  }

  @Test
  void theBestItemsAreThoseOfASortHoweverTheyArrive() {
    Random random = new Random(20);
    List<ScoredItem> items = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      items.add(new ScoredItem("item" + i, random.nextInt(50)));
    }
    List<ScoredItem> sorted = items.stream().sorted().toList();
    Collections.shuffle(items, random);

    assertThat(TopK.best(items, 7)).isEqualTo(sorted.subList(0, 7));
    assertThat(TopK.best(items, 500)).isEqualTo(sorted);
  }

  @Test
  void theBestOfTheBestOfPartsIsTheBestOfAll() {
    Random random = new Random(21);
    List<ScoredItem> left = new ArrayList<>();
    List<ScoredItem> right = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      (i % 3 == 0 ? left : right).add(new ScoredItem("item" + i, random.nextInt(20)));
    }
    List<ScoredItem> combined = new ArrayList<>(TopK.best(left, 5));
    combined.addAll(TopK.best(right, 5));
    List<ScoredItem> all = new ArrayList<>(left);
    all.addAll(right);

    assertThat(TopK.best(combined, 5)).isEqualTo(TopK.best(all, 5));
  }

  @Test
  void meansComeFromSumsWhateverTheGrouping() {
    SumCount inParts =
        AverageByKey.total(
            List.of(
                AverageByKey.total(List.of(new SumCount(4, 1), new SumCount(5, 1))),
                new SumCount(-3, 1)));
    assertThat(inParts).isEqualTo(new SumCount(6, 3));
    assertThat(inParts.mean()).isEqualTo(2.0);
    assertThatThrownBy(() -> new SumCount().mean()).isInstanceOf(ArithmeticException.class);
  }

  @Test
  void theMedianIsTheLowerMiddle() {
    assertThat(MedianByKey.lowerMedian(new long[] {5, 1, 3, 99}, 3)).isEqualTo(3);
    assertThat(MedianByKey.lowerMedian(new long[] {5, 1, 3, 2}, 4)).isEqualTo(2);
    assertThat(MedianByKey.lowerMedian(new long[] {5, 0}, 1)).isEqualTo(5);
  }

  @Test
  void pointsGoToTheNearestCentreAndTheFirstOfEquals() {
    List<double[]> centres = List.of(new double[] {0, 0}, new double[] {10, 0});
    assertThat(Vectors.nearest(new double[] {6, 1}, centres)).isEqualTo(1);
    assertThat(Vectors.nearest(new double[] {5, 0}, centres)).isZero();
    assertThatThrownBy(() -> Vectors.nearest(new double[] {1}, centres))
        .hasMessageContaining("dimension 1");
    assertThatThrownBy(() -> Vectors.nearest(new double[] {1}, List.of()))
        .hasMessageContaining("no centre");
  }

  @Test
  void aCentreMovesToTheMeanOfItsPoints() {
    VectorSum first = new VectorSum();
    first.setSingle(new double[] {1, 2});
    VectorSum second = new VectorSum();
    second.setSingle(new double[] {3, 6});
    assertThat(KMeansIteration.total(List.of(first, second)).mean()).containsExactly(2, 4);
    assertThat(first.mean()).as("adding leaves the parts alone").containsExactly(1, 2);
  }

  @Test
  void wrongArgumentsShowTheUsageAndFail() throws Exception {
    assertThat(new TopK().run(new String[] {"only one"})).isEqualTo(ExampleTool.USAGE);
    assertThat(new TopK().usage())
        .startsWith("Usage: topk [generic options] <in> <out>\n")
        .contains("-Dtopk.k=N");
  }
}
