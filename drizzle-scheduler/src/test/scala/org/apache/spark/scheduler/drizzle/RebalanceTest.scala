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

import org.apache.spark.SparkEnv
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Executors that have nothing to do while tasks wait on others. */
@Timeout(300)
class RebalanceTest {

  /** Where nobody looks for them from time to time, it is seen when a task ends. */
  @Test
  def aTaskThatEndsLeavesItsSlotToOneThatWaitsElsewhere(): Unit = {
    val sc = TestCluster.start(2, DrizzleKeys.RebalanceInterval.key -> "1h")
    try {
      TestCluster.awaitEvenShares(sc)
      val recalled = TestCluster.source(sc).recalled
      val before = recalled.getCount
      // Sent in turn, so that those of one executor end long before those of the other.
      val places = sc
        .parallelize(0 until 16, 16)
        .map { i =>
          Thread.sleep(if (i % 2 == 0) 300 else 20)
          (i % 2 == 0, SparkEnv.get.executorId)
        }
        .collect()
      assertThat(places.filter(_._1).map(_._2).distinct.length).isEqualTo(2)
      assertThat(recalled.getCount).isGreaterThan(before)
    } finally sc.stop()
  }

  /** Two long tasks are sent to one executor, two short ones to the other. */
  @Test
  def anExecutorIsIdleIfItHasCoresForATask(): Unit = {
    val sc = TestCluster.startWithCores(2, "spark.task.cpus" -> "2")
    try {
      TestCluster.awaitEvenShares(sc)
      val places = sc
        .parallelize(0 until 4, 4)
        .map { i =>
          Thread.sleep(if (i % 2 == 0) 3000 else 20)
          (i % 2 == 0, SparkEnv.get.executorId)
        }
        .collect()
      assertThat(places.filter(_._1).map(_._2).distinct.length).isEqualTo(2)
    } finally sc.stop()
  }

  @Test
  def noTaskIsKeptBehindOneThatSparkRuns(@TempDir dir: Path): Unit = {
    val sc = TestCluster.start()
    try
      TestCluster.besideSpark(sc, dir) {
        val sums = (1 to 5).map { _ =>
          sc.parallelize(0 until 40, 4).map(i => (i % 3, i)).reduceByKey(_ + _, 4).collectAsync()
        }
        for (sum <- sums)
          assertThat(Await.result(sum, Duration(1, MINUTES)).map(_._2).sum).isEqualTo(780)
      }
    finally sc.stop()
  }
}
