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
package org.apache.spark.scheduler.drizzle.iterate

import scala.collection.immutable.TreeMap

/** Some partitions next to each other: as many as two to the power of the level, but for the last ones. */
private[drizzle] final case class MergeNode(level: Int, index: Int) extends Ordered[MergeNode] {
  def parent: MergeNode = MergeNode(level + 1, index / 2)

  def isLeft: Boolean = index % 2 == 0

  def next: MergeNode = MergeNode(level, index + 1)

  override def compare(that: MergeNode): Int =
    if (level != that.level) Integer.compare(level, that.level)
    else Integer.compare(index, that.index)
}

/** The order in which the updates of partitions are merged, a binary tree over the partitions. It depends on their
  * number alone, so the result does not depend on where they are or on what comes first, though executors
  * merge as much as they can before they tell others.
  */
private[drizzle] final class MergeTree(partitions: Int) {
  private val height = {
    var height = 0
    while ((1L << height) < partitions) height += 1
    height
  }

  /** How many partitions are below a node. */
  def size(node: MergeNode): Int = {
    val first = node.index.toLong << node.level
    math.max(0L, math.min(first + (1L << node.level), partitions.toLong) - first).toInt
  }

  /** Merges neighbours as far up as they are there.
    *
    * @param nodes updates by partitions, which do not overlap; empty where there was none
    * @param merge the lower partitions are on its left
    * @return the only node, if all partitions were there
    */
  def contract[U](
      nodes: Map[MergeNode, Option[U]]
  )(merge: (U, U) => U): TreeMap[MergeNode, Option[U]] = {
    var merged = TreeMap.from(nodes)
    for (level <- 0 until height) {
      val lefts = merged.keysIterator.filter(n => n.level == level && n.isLeft).toVector
      for (left <- lefts if size(left.next) == 0 || merged.contains(left.next)) {
        val both = (merged(left), merged.getOrElse(left.next, None)) match {
          case (Some(one), Some(other)) => Some(merge(one, other))
          case (one, other)             => one.orElse(other)
        }
        merged = merged - left - left.next + (left.parent -> both)
      }
    }
    merged
  }

  /** @param nodes all partitions'
    * @return empty if no partition has given anything
    */
  def total[U](nodes: Map[MergeNode, Option[U]])(merge: (U, U) => U): Option[U] = {
    val merged = contract(nodes)(merge)
    require(
      merged.keySet == Set(MergeNode(height, 0)),
      s"Of $partitions partitions, there are only those below ${merged.keys.mkString(", ")}"
    )
    merged.head._2
  }
}
