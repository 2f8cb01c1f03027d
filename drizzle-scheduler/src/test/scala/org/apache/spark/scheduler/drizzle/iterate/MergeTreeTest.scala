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

import scala.util.Random

import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.Test

/** The order of merges, shown by merges that put what they get in brackets. */
class MergeTreeTest {
  private def merge(left: String, right: String): String = s"($left $right)"

  private def leaves(partitions: Range): Map[MergeNode, Option[String]] =
    partitions.map(p => MergeNode(0, p) -> Some(p.toString)).toMap

  @Test
  def neighboursAreMergedFirst(): Unit = {
    assertThat(new MergeTree(1).total(leaves(0 until 1))(merge)).isEqualTo(Some("0"))
    assertThat(new MergeTree(3).total(leaves(0 until 3))(merge)).isEqualTo(Some("((0 1) 2)"))
    assertThat(new MergeTree(7).total(leaves(0 until 7))(merge))
      .isEqualTo(Some("(((0 1) (2 3)) ((4 5) 6))"))
  }

  @Test
  def theOrderDoesNotDependOnWhereUpdatesAre(): Unit = {
    val random = new Random(1)
    for (partitions <- 1 to 40) {
      val tree = new MergeTree(partitions)
      val all = leaves(0 until partitions).map { case (node, update) =>
        node -> update.filter(_ => random.nextInt(4) > 0)
      }
      val executors = 1 + random.nextInt(4)
      val contracted = all
        .groupBy(_ => random.nextInt(executors))
        .values
        .map(tree.contract(_)(merge))
        .reduce(_ ++ _)
      assertThat(contracted.keysIterator.map(tree.size).sum).isEqualTo(partitions)
      assertThat(tree.total(contracted)(merge)).isEqualTo(tree.total(all)(merge))
    }
  }

  @Test
  def partitionsThatAreMissingAreNamed(): Unit =
    assertThatThrownBy(() => new MergeTree(4).total(leaves(0 until 3))(merge))
      .hasMessageContaining("Of 4 partitions")
}
