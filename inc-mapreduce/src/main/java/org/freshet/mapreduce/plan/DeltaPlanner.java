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
package org.freshet.mapreduce.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.freshet.mapreduce.plan.Delta.BatchPlan;
import org.freshet.mapreduce.plan.Delta.NodePlan;
import org.freshet.slider.Digest;
import org.freshet.slider.TreeShape;

/**
 * Compares an input with what is memoized: a pure function.
 *
 * <p>A leaf that is not known is mapped, once however often it occurs. A node of the contraction
 * tree that is known ends the walk from the root: nothing below it is looked at. Nodes whose leaves
 * are all mapped by one batch are combined there; the others in the reduces. Batches are cut where
 * the tree's highest groups end, so that most nodes of a first run fall within one.
 */
final class DeltaPlanner {
  /**
   * How far from an even share a batch may be cut to meet a group's end, as a part of the share.
   */
  private static final double ALIGNMENT = 0.04;

  private final List<Leaf> leaves;
  private final TreeShape tree;
  private final Predicate<Digest> known;
  private final long batchBytes;

  /**
   * @param tree over the leaves' ids; without nodes where the job has no Combiner
   * @param known whether a leaf or node is memoized
   * @param batchBytes input bytes that a map task should have
   */
  DeltaPlanner(List<Leaf> leaves, TreeShape tree, Predicate<Digest> known, long batchBytes) {
    this.leaves = leaves;
    this.tree = tree;
    this.known = known;
    this.batchBytes = batchBytes;
  }

  /** Bytes of each of some tasks that share a number of bytes, so that they suffice for all. */
  static long evenShare(long bytes, int tasks) {
    return tasks == 0 ? 0 : (bytes + tasks - 1) / tasks;
  }

  Delta plan() {
    Map<Digest, Integer> fresh = new LinkedHashMap<>();
    int kept = 0;
    long mapped = 0;
    long reused = 0;
    for (int i = 0; i < leaves.size(); i++) {
      Leaf leaf = leaves.get(i);
      if (known.test(leaf.id()) || fresh.putIfAbsent(leaf.id(), i) != null) {
        kept++;
        reused += leaf.length();
      } else {
        mapped += leaf.length();
      }
    }
    List<List<Integer>> batches = cut(new ArrayList<>(fresh.values()), mapped);
    boolean[] needed = needed();
    int leafCount = tree.leafCount();

    // The batch that makes a member, or -1 if that is the store or a reduce.
    Map<Digest, Integer> batchOfLeaf = new HashMap<>();
    for (int b = 0; b < batches.size(); b++) {
      for (int leaf : batches.get(b)) {
        batchOfLeaf.put(leaves.get(leaf).id(), b);
      }
    }
    int[] batchOf = new int[leafCount + tree.nodeCount()];
    for (int i = 0; i < leafCount; i++) {
      batchOf[i] = batchOfLeaf.getOrDefault(tree.id(i), -1);
    }
    List<List<NodePlan>> batchNodes = new ArrayList<>();
    for (int b = 0; b < batches.size(); b++) {
      batchNodes.add(new ArrayList<>());
    }
    List<NodePlan> reduceNodes = new ArrayList<>();
    Map<Digest, Integer> planned = new HashMap<>();
    List<TreeShape.Node> nodes = tree.nodes();
    for (int n = 0; n < nodes.size(); n++) {
      batchOf[leafCount + n] = -1;
      if (!needed[leafCount + n]) {
        continue;
      }
      TreeShape.Node node = nodes.get(n);
      Integer earlier = planned.get(node.id());
      if (earlier != null) {
        batchOf[leafCount + n] = earlier;
        continue;
      }
      int[] children = node.children();
      int batch = batchOf[children[0]];
      List<Digest> ids = new ArrayList<>(children.length);
      for (int child : children) {
        batch = batchOf[child] == batch ? batch : -1;
        ids.add(tree.id(child));
      }
      (batch >= 0 ? batchNodes.get(batch) : reduceNodes).add(new NodePlan(node.id(), ids));
      batchOf[leafCount + n] = batch;
      planned.put(node.id(), batch);
    }

    List<Digest> rootChildren = new ArrayList<>();
    for (int child : tree.rootChildren()) {
      rootChildren.add(tree.id(child));
    }
    Set<Digest> readByReduces = new HashSet<>(rootChildren);
    reduceNodes.forEach(node -> readByReduces.addAll(node.children()));
    List<BatchPlan> plans = new ArrayList<>();
    for (int b = 0; b < batches.size(); b++) {
      List<NodePlan> made = batchNodes.get(b);
      List<Digest> shared =
          made.stream()
              .flatMap(node -> node.children().stream())
              .filter(readByReduces::contains)
              .distinct()
              .toList();
      plans.add(new BatchPlan(batches.get(b), made, shared));
    }
    return new Delta(
        plans, reduceNodes, rootChildren, List.copyOf(fresh.keySet()), kept, mapped, reused);
  }

  /** Members that the walk from the root reaches and that are not memoized. */
  private boolean[] needed() {
    int leafCount = tree.leafCount();
    boolean[] needed = new boolean[leafCount + tree.nodeCount()];
    List<TreeShape.Node> nodes = tree.nodes();
    for (int child : tree.rootChildren()) {
      needed[child] = !known.test(tree.id(child));
    }
    for (int n = nodes.size() - 1; n >= 0; n--) {
      if (needed[leafCount + n]) {
        for (int child : nodes.get(n).children()) {
          needed[child] |= !known.test(tree.id(child));
        }
      }
    }
    return needed;
  }

  /**
   * Cuts the fresh leaves into batches of about equal bytes, at ends of high groups of the tree.
   */
  private List<List<Integer>> cut(List<Integer> fresh, long bytes) {
    List<List<Integer>> batches = new ArrayList<>();
    if (fresh.isEmpty()) {
      return batches;
    }
    long count = Math.max(1, (bytes + batchBytes - 1) / batchBytes);
    double share = (double) bytes / count;
    byte[] rank = groupEnds();
    long[] ends = new long[fresh.size()];
    long sum = 0;
    for (int i = 0; i < ends.length; i++) {
      sum += leaves.get(fresh.get(i)).length();
      ends[i] = sum;
    }
    int from = 0;
    for (long b = 1; b < count && from < ends.length; b++) {
      int to = bestCut(ends, fresh, rank, from, b * share, share * ALIGNMENT);
      if (to > from) {
        batches.add(List.copyOf(fresh.subList(from, to)));
        from = to;
      }
    }
    if (from < fresh.size()) {
      batches.add(List.copyOf(fresh.subList(from, fresh.size())));
    }
    return batches;
  }

  private static int bestCut(
      long[] ends, List<Integer> fresh, byte[] rank, int from, double ideal, double slack) {
    int best = -1;
    int bestRank = -1;
    double bestDistance = Double.MAX_VALUE;
    int start = Arrays.binarySearch(ends, from, ends.length, (long) (ideal - slack));
    start = Math.max(from, (start < 0 ? -start - 1 : start) - 1);
    for (int i = start; i < ends.length; i++) {
      double distance = Math.abs(ends[i] - ideal);
      int r = distance <= slack ? rank[fresh.get(i)] : -1;
      if (r > bestRank || (r == bestRank && distance < bestDistance)) {
        best = i + 1;
        bestRank = r;
        bestDistance = distance;
      }
      if (ends[i] > ideal + slack) {
        break;
      }
    }
    return best;
  }

  /** For each leaf the highest level at which it is the last of its group. */
  private byte[] groupEnds() {
    int leafCount = tree.leafCount();
    byte[] rank = new byte[Math.max(leafCount, leaves.size())];
    int[] last = new int[leafCount + tree.nodeCount()];
    for (int i = 0; i < leafCount; i++) {
      last[i] = i;
    }
    List<TreeShape.Node> nodes = tree.nodes();
    for (int n = 0; n < nodes.size(); n++) {
      TreeShape.Node node = nodes.get(n);
      int[] children = node.children();
      int end = last[children[children.length - 1]];
      last[leafCount + n] = end;
      rank[end] = (byte) Math.max(rank[end], node.level());
    }
    return rank;
  }

  /** How many leaves of an earlier run, counted with repetition, an input no longer has. */
  static int removed(List<Digest> earlier, List<Leaf> now) {
    Map<Digest, Integer> count = new HashMap<>();
    for (Leaf leaf : now) {
      count.merge(leaf.id(), 1, Integer::sum);
    }
    int removed = 0;
    for (Digest id : earlier) {
      if (count.merge(id, -1, Integer::sum) < 0) {
        removed++;
      }
    }
    return removed;
  }

  /** Whether two inputs have the same leaves, in any order. */
  static boolean sameLeaves(List<Digest> earlier, List<Leaf> now) {
    return earlier.size() == now.size() && removed(earlier, now) == 0;
  }

  /** The nodes of a tree that exist once a delta is carried out, each once. */
  static Set<Digest> nodesAfter(TreeShape tree, Delta delta, Predicate<Digest> known) {
    Set<Digest> made = new HashSet<>();
    for (BatchPlan batch : delta.batches()) {
      batch.nodes().forEach(node -> made.add(node.id()));
    }
    delta.reduceNodes().forEach(node -> made.add(node.id()));
    Set<Digest> nodes = new java.util.LinkedHashSet<>();
    for (TreeShape.Node node : tree.nodes()) {
      if (made.contains(node.id()) || known.test(node.id())) {
        nodes.add(node.id());
      }
    }
    return nodes;
  }
}
