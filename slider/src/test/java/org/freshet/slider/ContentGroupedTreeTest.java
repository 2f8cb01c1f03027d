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
package org.freshet.slider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentGroupedTreeTest {
  @Property(tries = 300)
  void coversEveryLeafOnceAndInOrder(
      @ForAll @Size(max = 400) List<@IntRange(max = 50) Integer> words,
      @ForAll @IntRange(min = 2, max = 9) int mean,
      @ForAll @IntRange(max = 30) int more) {
    List<Digest> leaves = words.stream().map(w -> Leaves.id("w" + w)).toList();
    Grouping grouping = new Grouping(mean, mean + more);
    TreeShape shape = ContentGroupedTree.shape(leaves, grouping);

    List<Integer> covered = new ArrayList<>();
    int[] top = shape.rootChildren();
    for (int child : top) {
      collectLeaves(shape, child, covered);
    }

    assertThat(covered).hasSize(leaves.size());
    assertThat(covered).isEqualTo(covered.stream().sorted().distinct().toList());
    assertThat(shape.leaves()).isEqualTo(leaves);
    assertThat(top.length).isLessThanOrEqualTo(grouping.maxFanIn());
    for (int n = 0; n < shape.nodeCount(); n++) {
      TreeShape.Node node = shape.nodes().get(n);
      int self = leaves.size() + n;
      assertThat(node.id()).isEqualTo(shape.id(self));
      assertThat(node.children()).hasSizeBetween(2, grouping.maxFanIn());
      assertThat(node.children()).doesNotHaveDuplicates();
      for (int child : node.children()) {
        assertThat(child).isLessThan(self);
      }
    }
  }

  @Test
  void noLeafAndOneLeafMakeRootsOfTheirOwn() {
    TreeShape none = ContentGroupedTree.shape(List.of(), Grouping.DEFAULT);
    TreeShape one = ContentGroupedTree.shape(List.of(Leaves.id("a")), Grouping.DEFAULT);

    assertThat(none.rootChildren()).isEmpty();
    assertThat(none.nodes()).isEmpty();
    assertThat(one.rootChildren()).containsExactly(0);
    assertThat(one.nodes()).isEmpty();
    assertThat(Set.of(none.rootId(), one.rootId(), Leaves.id("a"))).hasSize(3);
    assertThat(ContentGroupedTree.shape(List.of(), new Grouping(2, 2)).rootId())
        .isEqualTo(none.rootId());
  }

  @Test
  void rootHasTheIdItWouldHaveAsANode() {
    // With pairs only, two leaves make a root, and the same two leaves a node of a longer sequence.
    Grouping pairs = new Grouping(2, 2);
    Set<Digest> roots = new HashSet<>();
    List<Digest> leaves = Leaves.ids(Leaves.numbered(64));
    for (int i = 0; i + 1 < leaves.size(); i++) {
      TreeShape two = ContentGroupedTree.shape(leaves.subList(i, i + 2), pairs);
      roots.add(two.rootId());
    }

    TreeShape all = ContentGroupedTree.shape(leaves, pairs);

    assertThat(all.nodes())
        .filteredOn(node -> node.children()[0] < leaves.size())
        .filteredOn(node -> node.children()[1] < leaves.size())
        .isNotEmpty()
        .allSatisfy(node -> assertThat(roots).contains(node.id()));
  }

  @Test
  void equalContentGivesEqualTrees() {
    List<Digest> leaves = Leaves.ids(Leaves.numbered(500));

    TreeShape once = ContentGroupedTree.shape(leaves, Grouping.DEFAULT);
    TreeShape again = ContentGroupedTree.shape(new ArrayList<>(leaves), Grouping.DEFAULT);

    assertThat(again).isEqualTo(once).hasSameHashCodeAs(once);
    assertThat(again.nodes()).isEqualTo(once.nodes());
    assertThat(ContentGroupedTree.shape(leaves.subList(1, 500), Grouping.DEFAULT))
        .isNotEqualTo(once);
  }

  @Test
  void orderOfLeavesIsPartOfTheId() {
    Digest a = Leaves.id("a");
    Digest b = Leaves.id("b");

    assertThat(ContentGroupedTree.shape(List.of(a, b), Grouping.DEFAULT).rootId())
        .isNotEqualTo(ContentGroupedTree.shape(List.of(b, a), Grouping.DEFAULT).rootId());
  }

  @Test
  void endsOnOneLeafRepeatedWhateverItsDigest() {
    for (int word = 0; word < 40; word++) {
      List<Digest> leaves = Collections.nCopies(3000, Leaves.id("same" + word));
      TreeShape shape = ContentGroupedTree.shape(leaves, Grouping.DEFAULT);

      // Equal groups share their id: only the ends of each level can differ.
      Set<Digest> distinct = new HashSet<>();
      shape.nodes().forEach(node -> distinct.add(node.id()));
      assertThat(distinct).hasSizeLessThan(30);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 1_000, 10_000, 100_000})
  void oneChangeMakesLogarithmicallyManyNewNodes(int count) {
    double levels = Math.log(count) / Math.log(Grouping.DEFAULT.meanFanIn());
    List<BiConsumer<List<Digest>, Random>> changes =
        List.of(
            (leaves, random) -> leaves.set(random.nextInt(leaves.size()), fresh(random)),
            (leaves, random) -> leaves.add(random.nextInt(leaves.size() + 1), fresh(random)),
            (leaves, random) -> leaves.remove(random.nextInt(leaves.size())));
    List<Digest> before = Leaves.ids(Leaves.numbered(count));
    Set<Digest> known = nodeIds(ContentGroupedTree.shape(before, Grouping.DEFAULT));
    Random random = new Random(20110905);
    int tries = count > 10_000 ? 6 : 20;

    long made = 0;
    int most = 0;
    for (int i = 0; i < tries; i++) {
      for (BiConsumer<List<Digest>, Random> change : changes) {
        List<Digest> after = new ArrayList<>(before);
        change.accept(after, random);
        Set<Digest> ids = nodeIds(ContentGroupedTree.shape(after, Grouping.DEFAULT));
        ids.removeAll(known);
        made += ids.size();
        most = Math.max(most, ids.size());
      }
    }

    // One group a level, and now and then its neighbour.
    double mean = (double) made / (tries * changes.size());
    assertThat(mean).isLessThanOrEqualTo(1.5 * levels + 2);
    assertThat((double) most).isLessThanOrEqualTo(6 * levels + 10);
  }

  @Test
  void groupsHaveTheMeanFanInAskedFor() {
    for (int mean : new int[] {4, 8, 16}) {
      List<Digest> leaves = Leaves.ids(Leaves.numbered(40_000));
      TreeShape shape = ContentGroupedTree.shape(leaves, new Grouping(mean, 8 * mean));
      long ends = 0;
      long inNodes = 0;
      for (TreeShape.Node node : shape.nodes()) {
        if (node.level() == 1) {
          ends++;
          inNodes += node.children().length;
        }
      }
      long groups = ends + (leaves.size() - inNodes);

      assertThat((double) leaves.size() / groups).isBetween(0.9 * mean, 1.1 * mean);
    }
  }

  @Test
  void groupingRefusesFanInsThatContractNothing() {
    assertThatThrownBy(() -> new Grouping(1, 8))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 1");
    assertThatThrownBy(() -> new Grouping(8, 7))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 7");
  }

  private static Digest fresh(Random random) {
    return Leaves.id("fresh" + random.nextLong());
  }

  private static Set<Digest> nodeIds(TreeShape shape) {
    Set<Digest> ids = new HashSet<>();
    for (int n = 0; n < shape.nodeCount(); n++) {
      ids.add(shape.id(shape.leafCount() + n));
    }
    ids.add(shape.rootId());
    return ids;
  }

  private static void collectLeaves(TreeShape shape, int member, List<Integer> into) {
    if (member < shape.leafCount()) {
      into.add(member);
      return;
    }
    for (int child : shape.nodes().get(member - shape.leafCount()).children()) {
      collectLeaves(shape, child, into);
    }
  }
}
