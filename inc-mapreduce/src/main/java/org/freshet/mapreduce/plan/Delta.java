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
   */
  record BatchPlan(List<Integer> leaves, List<NodePlan> nodes) {}

  /** A combine of runs that are named by their ids. */
  record NodePlan(Digest id, List<Digest> children) {}
}
