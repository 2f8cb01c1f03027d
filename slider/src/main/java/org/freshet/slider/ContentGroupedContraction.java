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

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * A {@link ContractionTree} shaped by {@link ContentGroupedTree}: the one for changes anywhere in
 * the sequence. After each update only that update's nodes are kept.
 */
public final class ContentGroupedContraction<V> implements ContractionTree<V> {
  private final Combiner<V> combiner;
  private final Grouping grouping;
  private final NodeStore<V> store;

  /** A tree that keeps its nodes on the heap. */
  public ContentGroupedContraction(Combiner<V> combiner, Grouping grouping) {
    this(combiner, grouping, NodeStore.onHeap());
  }

  /** A tree that keeps its nodes in {@code store}, which it must not share with another tree. */
  public ContentGroupedContraction(Combiner<V> combiner, Grouping grouping, NodeStore<V> store) {
    this.combiner = Objects.requireNonNull(combiner, "combiner");
    this.grouping = Objects.requireNonNull(grouping, "grouping");
    this.store = Objects.requireNonNull(store, "store");
  }

  @Override
  public Update<V> update(List<Digest> leaves, IntFunction<V> leafValue) {
    TreeShape shape = ContentGroupedTree.shape(leaves, grouping);
    int[] top = shape.rootChildren();
    if (top.length == 0) {
      store.retain(Set.of());
      return new Update<>(Optional.empty(), shape.rootId(), 0, 0);
    }
    Evaluation evaluation = new Evaluation(shape, leafValue);
    boolean oneLeaf = shape.leafCount() == 1;
    V root = oneLeaf ? leafValue.apply(0) : evaluation.combined(shape.rootId(), top);
    store.retain(idsOf(shape));
    int all = oneLeaf ? 0 : shape.nodeCount() + 1;
    return new Update<>(
        Optional.of(root), shape.rootId(), evaluation.combines, all - evaluation.combines);
  }

  private static Set<Digest> idsOf(TreeShape shape) {
    // Nodes below a reused node were not looked at, but the next change may be among them.
    Set<Digest> ids = new HashSet<>();
    for (int n = 0; n < shape.nodeCount(); n++) {
      ids.add(shape.id(shape.leafCount() + n));
    }
    ids.add(shape.rootId());
    return ids;
  }

  /** Top-down, so that nothing below a kept node is touched; as deep as the tree has levels. */
  private final class Evaluation {
    private final TreeShape shape;
    private final List<TreeShape.Node> nodes;
    private final IntFunction<V> leafValue;
    private int combines;

    Evaluation(TreeShape shape, IntFunction<V> leafValue) {
      this.shape = shape;
      this.nodes = shape.nodes();
      this.leafValue = leafValue;
    }

    V combined(Digest id, int[] children) {
      V kept = store.get(id);
      if (kept != null) {
        return kept;
      }
      List<V> values = new ArrayList<>(children.length);
      for (int child : children) {
        values.add(valueOf(child));
      }
      V value = Objects.requireNonNull(combiner.combine(values), "A combiner returned null");
      combines++;
      store.put(id, value);
      return value;
    }

    private V valueOf(int member) {
      if (member < shape.leafCount()) {
        return leafValue.apply(member);
      }
      TreeShape.Node node = nodes.get(member - shape.leafCount());
      return combined(node.id(), node.children());
    }
  }
}
