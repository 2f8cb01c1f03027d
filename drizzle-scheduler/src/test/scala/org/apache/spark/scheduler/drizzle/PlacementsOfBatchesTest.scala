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

import java.nio.file.Path
import java.util.concurrent.ConcurrentLinkedQueue

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.streaming.{Milliseconds, StreamingContext}
import org.apache.spark.streaming.dstream.ConstantInputDStream
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Batches and jobs whose tasks go where those of the ones before have gone. */
@nowarn("cat=deprecation") // DStreams are what many have.
@Timeout(300)
class PlacementsOfBatchesTest {
  import PlacementsOfBatchesTest._

  private def decided(sc: SparkContext): Long = TestCluster.source(sc).placed.getCount

  private def reused(sc: SparkContext): Long = TestCluster.source(sc).placedAgain.getCount

  @Test
  def theBatchesOfAGroupReuseAPlacementUntilExecutorsChange(): Unit = {
    val sc = TestCluster.start(2, DrizzleKeys.BatchesAtOnce.key -> "10")
    try {
      val streaming = new StreamingContext(sc, Milliseconds(50))
      new ConstantInputDStream(streaming, sc.parallelize(0 until 100, 2)).foreachRDD { rdd =>
        val sums = rdd.map(i => (i % 4, i)).reduceByKey(_ + _, 2)
        val ran = sums.map { case (_, sum) => (SparkEnv.get.executorId, ownPid, sum) }.collect()
        Ran.batches.add(ran)
      }
      streaming.start()
      try {
        TestCluster.await(reused(sc) > 20)
        // Each decision was for ten batches at most.
        assertThat(reused(sc)).isLessThanOrEqualTo(9 * decided(sc))
        val (lost, pid, _) = Ran.batches.peek().head
        TestCluster.end(pid)
        TestCluster.await(!Ran.since(Ran.batches.size).exists(_._1 == lost))
        // Another one takes its place.
        TestCluster.awaitAgents(sc, 2)
        val (decidedBefore, ranBefore) = (decided(sc), Ran.batches.size)
        TestCluster.await(Ran.since(ranBefore).map(_._1).distinct.size == 2)
        assertThat(decided(sc)).isGreaterThan(decidedBefore)
        val reusedBefore = reused(sc)
        TestCluster.await(reused(sc) > reusedBefore + 20)
        assertThat(reused(sc)).isLessThanOrEqualTo(9 * decided(sc))
      } finally streaming.stop(stopSparkContext = false)
      val sums = Ran.batches.asScala.map(_.map(_._3).sum)
      assertThat(sums.forall(_ == 4950)).isTrue
    } finally sc.stop()
  }

  @Test
  def jobsInALoopReuseAPlacementWhileNothingElseRuns(@TempDir dir: Path): Unit = {
    val sc = TestCluster.start(2)
    try {
      def run(): (Long, Long) = {
        val before = (decided(sc), reused(sc))
        assertThat(
          sc.parallelize(0 until 100, 4).map(i => (i % 3, i)).reduceByKey(_ + _, 2).count()
        )
          .isEqualTo(3)
        (decided(sc) - before._1, reused(sc) - before._2)
      }
      run()
      TestCluster.awaitEvenShares(sc)
      // On a slow machine, a task may wait so long that it is moved.
      assertThat(Iterator.fill(20)(run()).contains((0L, 2L))).isTrue
      TestCluster.besideSpark(sc, dir) {
        val (anew, again) = run()
        assertThat(anew).isGreaterThanOrEqualTo(2)
        assertThat(again).isZero
      }
    } finally sc.stop()
  }
}

private object PlacementsOfBatchesTest {
  def ownPid: Long = ProcessHandle.current.pid

  /** Where the last tasks of batches ran, and what they returned. */
  object Ran {
    val batches = new ConcurrentLinkedQueue[Array[(String, Long, Int)]]

    /** What the next batches have shown after so many. */
    def since(count: Int): Seq[(String, Long, Int)] =
      batches.asScala.drop(count).flatten.toSeq
  }
}
