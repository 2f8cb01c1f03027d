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
package org.apache.spark.scheduler.drizzle

import java.nio.file.{Files, Path}

import org.apache.spark.{HashPartitioner, ShuffleDependency, SparkContext}
import org.apache.spark.scheduler.MapStatus
import org.apache.spark.storage.BlockManagerId
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterAll, BeforeAll, BeforeEach, Test, TestInstance, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Tree reductions, whose tasks wait for their own inputs only. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TreeShuffleTest {
  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = sc = TestCluster.start()

  @AfterAll
  def stop(): Unit = sc.stop()

  @BeforeEach
  def tasksAreSentInTurn(): Unit = TestCluster.awaitEvenShares(sc)

  /** With 16 partitions there is one level of 4 below the driver. */
  private def sumThatWaitsForAMerge(gate: String): (Int, Int) = sc
    .parallelize(0 until 16, 16)
    .treeAggregate((0, 0))(
      { case ((sum, count), i) =>
        if (i == 15) Gate.await(gate)
        (sum + i, count + 1)
      },
      (a, b) => {
        if (a._2 > 0 && b._2 > 0) Files.deleteIfExists(Path.of(gate))
        (a._1 + b._1, a._2 + b._2)
      }
    )

  @Test
  def aMergeBeginsBeforeAllTasksOfTheLevelBelowHaveEnded(@TempDir dir: Path): Unit = {
    // The last task does not end before others' values have been merged.
    val gate = Files.createFile(dir.resolve("gate")).toString
    assertThat(sumThatWaitsForAMerge(gate)).isEqualTo((120, 16))
  }

  @Test
  def treesOfAllSizes(): Unit = for {
    leaves <- Seq(1, 4, 5, 7, 9, 16, 33)
    depth <- 1 to 4
    onExecutor <- Seq(false, true)
  } {
    val numbers = 0 until 50
    val sum = sc
      .parallelize(numbers, leaves)
      // Some partitions have nothing.
      .filter(_ % 7 != 0)
      .treeAggregate[Long](
        0L,
        (a: Long, i: Int) => a + i,
        (a: Long, b: Long) => a + b,
        depth,
        onExecutor
      )
    assertThat(sum).isEqualTo(numbers.filter(_ % 7 != 0).map(_.toLong).sum)
  }

  /** What looks like a tree, but is the application's own, may write whatever it likes. */
  @Test
  def othersWaitForAllTheirInputs(): Unit = {
    val width = 4
    val sums = sc
      .parallelize(0 until 160, 16)
      .mapPartitionsWithIndex((i, numbers) => numbers.map(n => (if (n == 159) 0 else i % width, n)))
      .foldByKey(0, new HashPartitioner(width))(_ + _)
      .collect()
      .toMap
    val expected =
      (0 until 160).groupMapReduce(n => if (n == 159) 0 else n / 10 % width)(identity)(_ + _)
    assertThat(sums).isEqualTo(expected)
  }

  @Test
  def partitionsThatAreReadByOthersThanThoseOfTheirNumbers(): Unit = {
    val shuffled = sc.parallelize(0 until 16, 8).map(i => (i % 4, i)).reduceByKey(_ + _, 4)
    val shuffle = shuffled.dependencies.head.asInstanceOf[ShuffleDependency[_, _, _]]
    assertThat(TreeShuffle.isRead(shuffle, shuffled.values.map(_ + 1))).isTrue
    assertThat(TreeShuffle.isRead(shuffle, shuffled.values.coalesce(2))).isFalse
    assertThat(TreeShuffle.isRead(shuffle, shuffled.union(shuffled))).isFalse
    assertThat(TreeShuffle.width(shuffle)).isEqualTo(None)
  }

  @Test
  def anOutputForOthersIsSeen(): Unit = {
    val here = BlockManagerId("1", "localhost", 1)
    def output(sizes: Long*) = MapStatus(here, sizes.toArray, 1)
    assertThat(TreeShuffle.isKept(output(0, 0, 7), 5, 3)).isTrue
    assertThat(TreeShuffle.isKept(output(0, 0, 0), 5, 3)).isTrue
    assertThat(TreeShuffle.isKept(output(0, 1, 7), 5, 3)).isFalse
    assertThat(TreeShuffle.mapsOf(2, 3, 9)).isEqualTo(Seq(2, 5, 8))
  }
}
