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

import org.apache.spark.{ExecutorLostFailure, SparkContext, SparkEnv}
import org.apache.spark.scheduler._
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
}

private object ExecutorLossTest {
  private val Limit = Duration(2, MINUTES)
}
