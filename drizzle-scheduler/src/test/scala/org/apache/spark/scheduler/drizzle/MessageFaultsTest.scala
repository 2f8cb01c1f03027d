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

import java.io.File
import java.nio.file.Files

import scala.concurrent.Await
import scala.concurrent.duration.{Duration, MINUTES}

import org.apache.spark.{SparkContext, SparkEnv, TaskContext}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Jobs while messages are lost, delayed and repeated. */
class MessageFaultsTest {

  /** `-Dfreshet.drizzle.schedules=N` for more of them. */
  @Test
  @Timeout(1200)
  def jobsAreExactWhateverBecomesOfMessages(@TempDir begun: File): Unit = {
    val schedules = Integer.getInteger("freshet.drizzle.schedules", 1000).intValue
    val sc = TestCluster.start(2, "spark.freshet.drizzle.faults.seed" -> "1")
    try {
      // Tasks that are meant to fail are warned of.
      sc.setLogLevel("ERROR")
      val source = TestCluster.source(sc)
      (0 until schedules).grouped(AtOnce).foreach { some =>
        some
          .map(schedule => schedule -> sumOfModuli(sc, schedule, begun))
          .foreach { case (schedule, sums) =>
            assertThat(Await.result(sums, Duration(1, MINUTES)).toMap)
              .as("Job %s", schedule)
              .isEqualTo((0 until 60).groupMapReduce(_ % 7)(_ * schedule)(_ + _))
          }
      }
      assertThat(source.sentAhead.getCount).isEqualTo(schedules.toLong)
      assertThat(begun.list).hasSizeGreaterThanOrEqualTo(schedules)
      assertThat(begun.list.map(_.takeWhile(_ != '.')))
        .as("Attempts and the executors that began them")
        .doesNotHaveDuplicates()
    } finally sc.stop()
  }

  private val AtOnce = 10

  /** Every third job has tasks that fail at first. Attempts of the first stage leave a file each time they begin. */
  private def sumOfModuli(sc: SparkContext, schedule: Int, begun: File) =
    sc.parallelize(0 until 60, 1 + schedule % 4)
      .mapPartitions { numbers =>
        val attempt = s"${TaskContext.get().taskAttemptId()}-${SparkEnv.get.executorId}."
        Files.createTempFile(begun.toPath, attempt, null)
        numbers
      }
      .map { i =>
        require(
          schedule % 3 > 0 || i % 20 != 7 || TaskContext.get().attemptNumber() > 0,
          "This task is meant to fail"
        )
        (i % 7, i * schedule)
      }
      .reduceByKey(_ + _, 1 + schedule % 3)
      .collectAsync()
}
