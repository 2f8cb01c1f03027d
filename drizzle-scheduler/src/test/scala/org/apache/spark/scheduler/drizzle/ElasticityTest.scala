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
import java.util.concurrent.ConcurrentLinkedQueue

import scala.annotation.nowarn
import scala.concurrent.Await
import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend
import org.apache.spark.streaming.{Milliseconds, StreamingContext}
import org.apache.spark.streaming.dstream.ConstantInputDStream
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Executors that Spark asks for when there is much to do, and gives back. */
@Timeout(300)
class ElasticityTest {
  @Test
  def executorsThatComeTakeTasksAndThoseWithoutTasksGo(): Unit = {
    val sc = TestCluster.start(
      1,
      "spark.dynamicAllocation.enabled" -> "true",
      "spark.dynamicAllocation.shuffleTracking.enabled" -> "true",
      "spark.dynamicAllocation.shuffleTracking.timeout" -> "1s",
      "spark.dynamicAllocation.initialExecutors" -> "1",
      "spark.dynamicAllocation.minExecutors" -> "1",
      "spark.dynamicAllocation.maxExecutors" -> "2",
      "spark.dynamicAllocation.executorIdleTimeout" -> "1s"
    )
    try {
      // Until the second executor has come, and some of them have been moved there.
      val places = sc.parallelize(0 until 60, 60).map { i =>
        Thread.sleep(500)
        (SparkEnv.get.executorId, i)
      }
      assertThat(places.keys.distinct(1).count()).isEqualTo(2)
      TestCluster.awaitAgents(sc, _ == 1)
      val sums = sc.parallelize(0 until 100, 10).map(i => (i % 3, i)).reduceByKey(_ + _, 4)
      assertThat(sums.values.sum()).isEqualTo(4950.0)

    } finally sc.stop()
  }

  /** What waits would count as tasks for which more executors are needed. */
  @Test
  def withDynamicAllocationStagesGoAheadIfThereAreSlotsForAll(): Unit = {
    val sc = TestCluster.startWithCores(
      4,
      "spark.dynamicAllocation.enabled" -> "true",
      "spark.dynamicAllocation.shuffleTracking.enabled" -> "true",
      "spark.dynamicAllocation.minExecutors" -> "2",
      "spark.dynamicAllocation.initialExecutors" -> "2",
      "spark.dynamicAllocation.maxExecutors" -> "2"
    )
    try {
      val sentAhead = TestCluster.source(sc).sentAhead
      def sum(maps: Int, reduces: Int) =
        sc.parallelize(0 until 100, maps)
          .map(i => (i % 3, i))
          .reduceByKey(_ + _, reduces)
          .values
          .sum()
      assertThat(sum(4, 4)).isEqualTo(4950.0)
      assertThat(sentAhead.getCount).isEqualTo(1L)
      assertThat(sum(4, 5)).isEqualTo(4950.0)
      assertThat(sentAhead.getCount).isEqualTo(1L)
    } finally sc.stop()
  }

  /** As with stock. Who asks for an executor's end, as dynamic allocation does, is not to ask for that of a busy one. */
  @Test
  def executorsEndWithoutTasksOnly(@TempDir dir: Path): Unit = {
    val sc = TestCluster.start(
      2,
      // Spark knows for long which one is to end before it knows that it has ended.
      "spark.standalone.executorRemoveDelayOnDisconnection" -> "1h"
    )
    try {
      val backend = backendOf(sc)
      def end(executorId: String) = backend
        .killExecutors(
          Seq(executorId),
          adjustTargetNumExecutors = true,
          countFailures = false,
          force = false
        )
        .nonEmpty
      def places(gate: String) = sc
        .parallelize(0 until 2, 2)
        .map { _ =>
          Gate.await(gate)
          (SparkEnv.get.executorId, 1)
        }
        .reduceByKey(_ + _, 2)
        .map(place => (place._1, SparkEnv.get.executorId))
        .collectAsync()
      val gate = Files.createFile(dir.resolve("gate"))
      val busy = places(gate.toString)
      TestCluster.await(sc.statusTracker.getExecutorInfos.count(_.numRunningTasks > 0) == 2)
      val all = backend.getExecutorIds()
      assertThat(all.map(end).asJava).containsOnly(false)
      Files.delete(gate)
      assertThat(Await.result(busy, 1.minute).map(_._1).sorted.toSeq == all.sorted).isTrue

      // Its last tasks have ended, but are told to have in a moment.
      TestCluster.await(end(all.head))
      val left = Await.result(places(gate.toString), 1.minute).flatMap(p => Seq(p._1, p._2))
      assertThat(left.distinct.toSeq == all.tail).isTrue
      assertThat(TestCluster.source(sc).sentAhead.getCount).isEqualTo(2)
      assertThat(backend.getExecutorIds().size).isEqualTo(2)
    } finally sc.stop()
  }

  /** Streaming asks for executors and gives them back by how long batches are processed. */
  @Test
  @nowarn("cat=deprecation") // DStreams are what many have.
  def executorsComeAndGoWhileBatchesAreUnderWay(): Unit = {
    val sc = TestCluster.start(
      2,
      "spark.streaming.dynamicAllocation.enabled" -> "true",
      "spark.streaming.dynamicAllocation.scalingInterval" -> "1",
      "spark.standalone.executorRemoveDelayOnDisconnection" -> "100ms",
      "spark.streaming.dynamicAllocation.minExecutors" -> "1",
      "spark.streaming.dynamicAllocation.maxExecutors" -> "2"
    )
    try {
      val interval = Milliseconds(200)
      val streaming = new StreamingContext(sc, interval)
      val sums = new ConcurrentLinkedQueue[(Long, Double)]
      @volatile var taskMs = 0L
      new ConstantInputDStream(streaming, sc.parallelize(0 until 2, 2))
        .transform { rdd =>
          val ms = taskMs
          rdd.map { i =>
            Thread.sleep(ms)
            i
          }
        }
        .foreachRDD { (rdd, time) =>
          val sum = rdd.sum()
          sums.add((time.milliseconds, sum))
        }
      // As long as one that is to end is in its books, Spark would end the last one as well.
      def untilOneEnds(): Unit = {
        val backend = backendOf(sc)
        TestCluster.await {
          val all = backend.getExecutorIds()
          all.size == 1 || !all.forall(backend.isExecutorActive)
        }
        // Neither too much for an executor nor too little.
        taskMs = 60
        TestCluster.awaitAgents(sc, _ == 1)
      }
      streaming.start()
      try {
        untilOneEnds()
        // More than one executor has time for.
        taskMs = 180
        TestCluster.awaitAgents(sc, _ == 2)
        // More than two have: now batches are due that others are under way before.
        taskMs = 250
        TestCluster.await(TestCluster.source(sc).early.getCount > 0)
        taskMs = 0
        untilOneEnds()
      } finally streaming.stop(stopSparkContext = false, stopGracefully = true)
      val seen = sums.asScala.toSeq
      assertThat(seen.map(_._2).toSet == Set(1.0)).isTrue
      val times = seen.map(_._1)
      assertThat(times == times.indices.map(times.head + _ * interval.milliseconds)).isTrue
    } finally sc.stop()
  }

  private def backendOf(sc: SparkContext): CoarseGrainedSchedulerBackend =
    sc.schedulerBackend.asInstanceOf[CoarseGrainedSchedulerBackend]
}
