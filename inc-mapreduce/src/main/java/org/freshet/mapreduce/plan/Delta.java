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

import java.util.List;
import org.freshet.slider.Digest;

/**
 * What a run has to do beyond what is memoized. A value.
 *
 * @param batches what to map, one map task each
 * @param reduceNodes nodes that the reduces combine, children before parents
 * @param rootChildren the runs that Reduce merges
 * @param fresh ids of the leaves to map
 * @param keptLeaves leaves (counted with repetition) that are memoized or repeat a fresh leaf
 * @param mappedBytes input bytes to map
 * @param reusedBytes input bytes of the kept leaves
 */
record Delta(
    List<BatchPlan> batches,
    List<NodePlan> reduceNodes,
    List<Digest> rootChildren,
    List<Digest> fresh,
    int keptLeaves,
    long mappedBytes,
    long reusedBytes) {

  /**
   * @param leaves positions in the plan's leaf list
   * @param nodes nodes within the batch, children before parents
   * @param shared members of those nodes that a reduce reads, too: what repeats in the input may
   *     stand in groups that the batch makes and in groups that it can't
   */
  record BatchPlan(List<Integer> leaves, List<NodePlan> nodes, List<Digest> shared) {}

  /** A combine of runs that are named by their ids. */
  record NodePlan(Digest id, List<Digest> children) {}
}
