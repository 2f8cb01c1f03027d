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

import scala.concurrent.Await
import scala.concurrent.duration.{Duration, MINUTES}

import org.apache.spark.{ExecutorAllocationClient, ExecutorLostFailure, ShuffleDependency}
import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.scheduler._
import org.apache.spark.shuffle.FetchFailedException
import org.apache.spark.storage.BlockManagerId
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}
import org.junit.jupiter.api.io.TempDir

/** What the driver makes of executors that are lost, or whose outputs are. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExecutorLossTest {
  import ExecutorLossTest._

  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = {
    sc = TestCluster.start(
      2,
      // Any failure that counts fails the job.
      "spark.task.maxFailures" -> "1",
      "spark.freshet.drizzle.rehearsal.most" -> "200ms"
    )
    sc.setLogLevel("ERROR")
  }

  @AfterAll
  def stop(): Unit = sc.stop()

  /** Where each executor is, by its process id. */
  private def places(): Map[Long, BlockManagerId] = {
    val (one, other) = TestCluster.executors(sc)
    var found = Map.empty[Long, BlockManagerId]
    TestCluster.await {
      found = sc
        .parallelize(0 until 4, 4)
        .map(_ => ProcessHandle.current.pid -> SparkEnv.get.blockManager.blockManagerId)
        .collect()
        .toMap
      found.keySet == Set(one, other)
    }
    found
  }

  /** Stock's backends on YARN and Kubernetes say so of each executor, before they ask why it was lost. */
  @Test
  def whatIsLostForAnUnknownReasonHasNotFailed(@TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val (victim, place) = places().head
    val events = TestCluster.events(sc)
    holds.set("map", victim)
    val job = sc
      .parallelize(0 until 2, 2)
      .map { i =>
        holds.at("map")
        i
      }
      .collectAsync()
    holds.awaitAt("map", victim)
    // The driver has to know that it has begun.
    TestCluster.await(events.seen.exists {
      case e: SparkListenerTaskStart => e.taskInfo.executorId == place.executorId
      case _                         => false
    })
    sc.taskScheduler.executorLost(place.executorId, LossReasonPending)
    TestCluster.end(victim)
    assertThat(Await.result(job, Limit).sum).isEqualTo(1)
    val losses = events.seen
      .collect { case e: SparkListenerTaskEnd => e.reason }
      .collect { case lost: ExecutorLostFailure => lost.exitCausedByApp }
    assertThat(losses).isEqualTo(Seq(false))
    sc.removeSparkListener(events)
  }

  @Test
  def outputsThatAreForgottenWithAWorkerAreMadeAgain(@TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val at = places()
    val events = TestCluster.events(sc)
    val takenBack = TestCluster.source(sc).takenBack
    val before = takenBack.getCount
    holds.set("reduce")
    val sums = sc
      .parallelize(0 until 120, 3)
      .map(i => (i % 8, i))
      .reduceByKey(_ + _, 6)
      .mapPartitions { sums =>
        holds.at("reduce")
        sums
      }
      .collectAsync()
    TestCluster.await(events.seen.exists(_.isInstanceOf[SparkListenerStageCompleted]))
    sc.dagScheduler.workerRemoved("worker", at.head._2.host, "This is meant to be removed")
    TestCluster.await(takenBack.getCount > before)
    holds.release("reduce")
    assertThat(Await.result(sums, Limit).toMap)
      .isEqualTo((0 until 120).groupMapReduce(_ % 8)(identity)(_ + _))
    sc.removeSparkListener(events)
  }

  /** Spark forgets the other job's outputs, too, and nobody would compute them again. */
  @Test
  def outputsThatAreForgottenForTheSakeOfAnotherJobAreMadeAgain(@TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val once = new Once(dir)
    val at = places()
    val events = TestCluster.events(sc)
    val takenBack = TestCluster.source(sc).takenBack
    val before = takenBack.getCount
    def sums(maps: Int, reduces: Int) =
      sc.parallelize(0 until 120, maps).map(i => (i % 8, i)).reduceByKey(_ + _, reduces)
    val expected = (0 until 120).groupMapReduce(_ % 8)(identity)(_ + _)

    holds.set("fails")
    val failing = sums(2, 1)
    val shuffleId =
      failing.dependencies.head.asInstanceOf[ShuffleDependency[_, _, _]].shuffleId
    val first = failing
      .mapPartitions { sums =>
        holds.at("fails")
        if (once.isFirst) {
          val other = at.collectFirst { case (pid, of) if pid != ProcessHandle.current.pid => of }
          throw new FetchFailedException(other.get, shuffleId, 0L, 0, 0, "This is meant to fail")
        }
        sums
      }
      .collectAsync()
    TestCluster.await(at.keys.exists(holds.isAt("fails", _)))
    val free = at.keys.find(!holds.isAt("fails", _)).get

    holds.set("waits")
    val second = sums(3, 6)
      .mapPartitions { sums =>
        holds.at("waits")
        sums
      }
      .collectAsync()
    holds.awaitAt("waits", free)
    TestCluster.await(events.seen.exists {
      case e: SparkListenerStageCompleted => e.stageInfo.numTasks == 3
      case _                              => false
    })
    holds.release("fails")
    TestCluster.await(takenBack.getCount > before)
    holds.release("waits")
    assertThat(Await.result(first, Limit).toMap).isEqualTo(expected)
    assertThat(Await.result(second, Limit).toMap).isEqualTo(expected)
    sc.removeSparkListener(events)
  }

  /** It does not answer any more that it has dropped them. */
  @Test
  def tasksThatWereNotBegunAreForgottenWithTheirExecutor(@TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val (victim, other) = TestCluster.executors(sc)
    val dispatcher = sc.dagScheduler.asInstanceOf[DrizzleDAGScheduler].dispatcher
    TestCluster.await(dispatcher.openTaskSets == 0)
    TestCluster.signals(s"kill -STOP $victim")
    holds.set("map", other)
    val job = sc
      .parallelize(0 until 8, 4)
      .map { i =>
        holds.at("map")
        (i % 4, i)
      }
      .reduceByKey(_ + _, 4)
      .collectAsync()
    holds.awaitAt("map", other)
    job.cancel()
    holds.release("map", other)
    TestCluster.end(victim)
    TestCluster.await(dispatcher.openTaskSets == 0)
    TestCluster.awaitAgents(sc, 2)
  }

  /** Spark sends it none any more, and it may be gone before it comes to those. */
  @Test
  def noTaskIsLeftWaitingOnAnExecutorThatIsDecommissioned(@TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val at = places()
    val (victim, other) = (at.head._1, at.last._1)
    val events = TestCluster.events(sc)
    TestCluster.awaitEvenShares(sc)
    holds.set("map", victim)
    holds.set("map", other)
    val job = sc
      .parallelize(0 until 8, 8)
      .map { _ =>
        holds.at("map")
        ProcessHandle.current.pid
      }
      .collectAsync()
    holds.awaitAt("map", victim)
    holds.awaitAt("map", other)
    sc.schedulerBackend
      .asInstanceOf[ExecutorAllocationClient]
      .decommissionExecutor(
        at(victim).executorId,
        ExecutorDecommissionInfo("This is meant to go"),
        adjustTargetNumExecutors = false
      )
    holds.release("map", other)
    TestCluster.await(events.seen.count(_.isInstanceOf[SparkListenerTaskEnd]) == 7)
    holds.release("map", victim)
    assertThat(Await.result(job, Limit).count(_ == victim)).isEqualTo(1)
    sc.removeSparkListener(events)
    TestCluster.end(victim)
    TestCluster.awaitAgents(sc, 2)
  }

  /** One that is decommissioned ends when all has been moved since then. */
  @Test
  def anExecutorKnowsWhenItsLastTaskHasEnded(): Unit = {
    def ends = sc
      .parallelize(0 until 8, 8)
      .map(_ => ProcessHandle.current.pid -> DrizzleAgent.lastTaskEnd.map(_.get))
      .collect()
      .toMap
    TestCluster.executors(sc)
    val before = ends
    // Not in a Spark without it.
    for ((pid, end) <- ends; earlier <- before.get(pid); ns <- end)
      assertThat(ns).isGreaterThan(earlier.get)
  }
}

private object ExecutorLossTest {
  private val Limit = Duration(2, MINUTES)
}
