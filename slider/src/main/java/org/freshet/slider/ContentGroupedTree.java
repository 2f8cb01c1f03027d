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

import java.util.Arrays;
import java.util.List;

/**
 * The contraction tree of Incoop, which Slider calls the strawman: groups are cut by content, so
 * that a leaf inserted, removed or changed anywhere disturbs its own group and the path above it.
 *
 * <p>Source: Bhatotia et al., "Incoop: MapReduce for incremental computations", SoCC 2011, section
 * 4.2 "Stability of the contraction phase" (thesis: section 2.6).
 */
public final class ContentGroupedTree {
  /*
   * The tree is built in passes. A pass walks over the current members from left to right and ends a
   * group after a member whose digest carries a marker, or when the group is full; each group of two
   * or more becomes a node, a group of one hands its member on as it is (a node that combined a
   * single run would only copy it). The pass that finds a single group has found the root.
   *
   * As in content-defined chunking, a marker is a property of the member alone. Inserting a member
   * therefore moves no later boundary, except while a run of unmarked members longer than the maximum
   * is being cut by counting, and that ends at the next marker.
   *
   * The pass number takes part in the marker. Otherwise a member that was handed on because it ended
   * its group, being a group of one, would end its group in every pass above, and climb to the root.
   * A node's id leaves the pass out: content combined once is found again at whatever height.
   *
   * Members shrink by a factor of about meanFanIn in each pass, hence O(n) time and O(log n) passes.
   */
  private static final int MARKED_PASSES = 64;

  private ContentGroupedTree() {}

  /**
   * The shape without any node: every leaf is a child of the root. For inputs whose leaves can't be
   * combined.
   */
  public static TreeShape flat(List<Digest> leaves) {
    int[] members = new int[leaves.size()];
    for (int i = 0; i < members.length; i++) {
      members[i] = i;
    }
    return new TreeShape.Builder(leaves).finish(members);
  }

  /**
   * The tree over {@code leaves}, which may repeat. Equal arguments give equal trees, in every
   * version that keeps the node ids compatible.
   *
   * @throws NullPointerException if a leaf is null
   */
  public static TreeShape shape(List<Digest> leaves, Grouping g) {
    TreeShape.Builder tree = new TreeShape.Builder(leaves);
    int[] members = new int[leaves.size()];
    Arrays.setAll(members, i -> i);
    int count = members.length;
    for (int pass = 1; ; pass++) {
      int kept = 0;
      int start = 0;
      while (start < count) {
        int end = groupEnd(tree, members, start, count, pass, g);
        if (start == 0 && end == count) {
          return tree.finish(Arrays.copyOf(members, count));
        }
        // kept <= start always, so the next pass's members can take the place of this one's.
        members[kept] = end - start == 1 ? members[start] : tree.addNode(pass, members, start, end);
        kept++;
        start = end;
      }
      if (count == 0) {
        return tree.finish(new int[0]);
      }
      count = kept;
    }
  }

  private static int groupEnd(
      TreeShape.Builder tree, int[] members, int start, int count, int pass, Grouping g) {
    int limit = (int) Math.min(count, (long) start + g.maxFanIn());
    for (int i = start; i < limit; i++) {
      if (endsGroup(tree.id(members[i]), pass, g.meanFanIn())) {
        return i + 1;
      }
    }
    return limit;
  }

  private static boolean endsGroup(Digest id, int pass, int meanFanIn) {
    // Members that all carry the marker (a repeated leaf) make no node in that pass. That this ends
    // is a matter of chance in each pass; beyond the last marked pass it is certain.
    if (pass > MARKED_PASSES) {
      return false;
    }
    long h = pass * 0x9E3779B97F4A7C15L;
    for (int word = 0; word < 4; word++) {
      h = mix(h ^ id.longAt(word));
    }
    return Long.remainderUnsigned(h, meanFanIn) == 0;
  }

  /** The finalizer of SplitMix64 (Steele, Lea, Flood: OOPSLA 2014). */
  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
