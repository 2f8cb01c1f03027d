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
package org.apache.spark.scheduler.drizzle.ui

import java.util.concurrent.TimeUnit

import org.apache.spark.{HashPartitioner, MapOutputTrackerMaster, ShuffleDependency, SparkEnv}
import org.apache.spark.TaskContext
import org.apache.spark.scheduler.drizzle.TestCluster
import org.apache.spark.shuffle.FetchFailedException
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}

/** Where the time of jobs of stock Spark went, in this process. */
@Timeout(120)
class JobTimesTest {
  @Test
  def allAttemptsOfAStageCount(): Unit = TestCluster.locally() { sc =>
    val shuffled = sc
      .parallelize(0 until 2, 2)
      .map { i => Thread.sleep(500); (i, i) }
      .partitionBy(new HashPartitioner(2))
    val shuffle =
      shuffled.dependencies.head.asInstanceOf[ShuffleDependency[_, _, _]].shuffleId
    shuffled.foreachPartition { _ =>
      Thread.sleep(500)
      val task = TaskContext.get()
      if (task.partitionId() == 1 && task.stageAttemptNumber() == 0) {
        // As if the executor were gone that has them: then both stages have a second attempt.
        SparkEnv.get.mapOutputTracker match {
          case outputs: MapOutputTrackerMaster => outputs.unregisterAllMapAndMergeOutput(shuffle)
          case other => throw new IllegalStateException(s"The driver has a $other")
        }
        throw new FetchFailedException(null, shuffle, -1, -1, 0, "This fetch is meant to fail")
      }
    }
    sc.listenerBus.waitUntilEmpty(TimeUnit.SECONDS.toMillis(30))
    val job = JobTimes.latest(sc.statusStore, 1).head
    assertThat(job.stages).isEqualTo(2)
    // Four tasks that write and two that read; of one that fails to, nobody is told how long it ran.
    assertThat(job.runMs).isGreaterThanOrEqualTo(6 * 500L)
    // They ran one after the other, with that one.
    assertThat(job.tasksMs.get).isGreaterThanOrEqualTo(7 * 500L)
  }
}
