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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.freshet.slider.ContractionTree.Update;
import org.junit.jupiter.api.Test;

class ContentGroupedContractionTest {
  private static final Combiner<String> CONCATENATE = values -> String.join("", values);

  @Property(tries = 200)
  void equalsTheNaiveFoldAfterAnySequenceOfUpdates(
      @ForAll @Size(max = 6) List<@Size(max = 60) List<@IntRange(max = 20) Integer>> versions,
      @ForAll @IntRange(min = 2, max = 5) int mean) {
    ContractionTree<String> tree =
        new ContentGroupedContraction<>(CONCATENATE, new Grouping(mean, 2 * mean));
    for (List<Integer> version : versions) {
      List<String> words = version.stream().map(w -> w + ",").toList();

      Update<String> update = tree.update(Leaves.ids(words), words::get);

      assertThat(update.root().orElse("")).isEqualTo(String.join("", words));
      assertThat(update.root().isPresent()).isEqualTo(!words.isEmpty());
    }
  }

  @Test
  void updateWithNothingChangedCombinesNothingAndReadsNoLeaf() {
    List<String> words = Leaves.numbered(300);
    ContractionTree<String> tree = new ContentGroupedContraction<>(CONCATENATE, Grouping.DEFAULT);
    Update<String> first = tree.update(Leaves.ids(words), words::get);

    Update<String> second =
        tree.update(
            Leaves.ids(words),
            i -> {
              throw new AssertionError("Leaf " + i + " was read");
            });

    assertThat(first.reused()).isZero();
    assertThat(second.combines()).isZero();
    assertThat(second.reused()).isEqualTo(first.combines());
    assertThat(second.root()).isEqualTo(first.root());
  }

  @Test
  void changingOneLeafRecombinesOnlyThePathAboveIt() {
    List<String> words = Leaves.numbered(20_000);
    ContractionTree<String> tree =
        new ContentGroupedContraction<>(
            values -> String.valueOf(values.hashCode()), Grouping.DEFAULT);
    tree.update(Leaves.ids(words), words::get);
    Random random = new Random(7);

    int combines = 0;
    for (int i = 0; i < 30; i++) {
      words.set(random.nextInt(words.size()), "changed" + i);
      Update<String> update = tree.update(Leaves.ids(words), words::get);
      combines += update.combines();
      assertThat(update.reused()).isGreaterThan(1000);
    }

    assertThat(combines / 30.0).isLessThan(1.5 * Math.log(20_000) / Math.log(8) + 2);
  }

  @Test
  void oneLeafIsItsOwnRoot() {
    ContractionTree<String> tree = new ContentGroupedContraction<>(CONCATENATE, Grouping.DEFAULT);

    Update<String> update = tree.update(List.of(Leaves.id("a")), i -> "a");

    assertThat(update.root()).contains("a");
    assertThat(update.combines() + update.reused()).isZero();
  }

  @Test
  void keepsOnlyTheNodesOfTheLastUpdate() {
    RecordingStore store = new RecordingStore();
    ContractionTree<String> tree =
        new ContentGroupedContraction<>(CONCATENATE, Grouping.DEFAULT, store);
    List<String> words = Leaves.numbered(200);
    tree.update(Leaves.ids(words), words::get);

    List<String> others = words.subList(0, 100);
    tree.update(Leaves.ids(others), others::get);
    TreeShape shape = ContentGroupedTree.shape(Leaves.ids(others), Grouping.DEFAULT);
    Set<Digest> expected = new HashSet<>(Set.of(shape.rootId()));
    shape.nodes().forEach(node -> expected.add(node.id()));
    assertThat(store.values.keySet()).isEqualTo(expected);

    tree.update(List.of(), others::get);
    assertThat(store.values).isEmpty();
  }

  @Test
  void aStoreThatForgetsCostsCombinesAndNothingElse() {
    RecordingStore store = new RecordingStore();
    ContractionTree<String> tree =
        new ContentGroupedContraction<>(CONCATENATE, Grouping.DEFAULT, store);
    List<String> words = Leaves.numbered(500);
    tree.update(Leaves.ids(words), words::get);
    Random random = new Random(11);
    for (int i = 0; i < 10; i++) {
      new ArrayList<>(store.values.keySet())
          .forEach(
              id -> {
                if (random.nextBoolean()) {
                  store.values.remove(id);
                }
              });
      words.remove(random.nextInt(words.size()));

      Update<String> update = tree.update(Leaves.ids(words), words::get);

      assertThat(update.root()).contains(String.join("", words));
    }
  }

  @Test
  void refusesACombinerThatGivesNull() {
    ContractionTree<String> tree =
        new ContentGroupedContraction<>(values -> null, Grouping.DEFAULT);
    List<Digest> leaves = Leaves.ids(List.of("a", "b"));

    assertThatThrownBy(() -> tree.update(leaves, i -> "x"))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("combiner");
  }

  private static final class RecordingStore implements NodeStore<String> {
    private final Map<Digest, String> values = new HashMap<>();

    @Override
    public String get(Digest id) {
      return values.get(id);
    }

    @Override
    public void put(Digest id, String value) {
      values.put(id, value);
    }

    @Override
    public void retain(Set<Digest> ids) {
      values.keySet().retainAll(ids);
    }
  }
}
