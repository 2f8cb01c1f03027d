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

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.scheduler._
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.{AfterEach, Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Executors on which too much fails get no more tasks. */
@Timeout(300)
class ExclusionTest {
  private var sc: SparkContext = _

  @AfterEach
  def stop(): Unit = sc.stop()

  private def start(settings: (String, String)*): Unit =
    sc = TestCluster.start(2, settings :+ ("spark.excludeOnFailure.enabled" -> "true"): _*)

  private def places(): Set[String] =
    sc.parallelize(0 until 8, 8).map(_ => SparkEnv.get.executorId).collect().toSet

  @Test
  def anExecutorOnWhichTasksFailGetsNoMore(@TempDir dir: Path): Unit = {
    start(
      "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor" -> "3",
      "spark.excludeOnFailure.application.maxFailedTasksPerExecutor" -> "3"
    )
    val events = TestCluster.events(sc)
    val (bad, good) = ("0", "1")
    // Tasks that wait are moved to an executor that has nothing to do, so the good one leaves the bad one some.
    val failures = Seq.fill(3)(Files.createTempFile(dir, "failure", "").toString)
    val result = sc
      .parallelize(0 until 40, 10)
      .map(i => (i % 3, i))
      .reduceByKey(_ + _, 6)
      .mapPartitions { sums =>
        if (SparkEnv.get.executorId == bad) {
          failures.find(failure => Files.deleteIfExists(Path.of(failure)))
          throw new IllegalStateException("bad executor")
        }
        failures.foreach(Gate.await)
        sums.map(_ -> SparkEnv.get.executorId)
      }
      .collect()
    assertThat(result.map(_._1).toMap)
      .isEqualTo((0 until 40).groupMapReduce(_ % 3)(identity)(_ + _))
    assertThat(result.map(_._2).toSet).isEqualTo(Set(good))
    assertThat(events.seen.collect { case e: SparkListenerExecutorExcludedForStage =>
      e.executorId
    }).isEqualTo(Seq(bad))
    // The stage has succeeded, so what failed was the executor's fault.
    assertThat(events.seen.collect { case e: SparkListenerExecutorExcluded =>
      e.executorId
    }).isEqualTo(Seq(bad))
    assertThat(places()).isEqualTo(Set(good))
  }

  @Test
  def aTaskThatFailsEverywhereFailsItsStage(): Unit = {
    start(
      "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout" -> "1s",
      "spark.excludeOnFailure.task.maxTaskAttemptsPerNode" -> "2"
    )
    val failing = sc.parallelize(0 until 4, 4).map { i =>
      if (i == 1) throw new IllegalStateException("always")
      i
    }
    assertThatThrownBy(() => failing.collect())
      .hasMessageContaining("cannot run anywhere due to node and executor excludeOnFailure")
      .hasMessageContaining("always")
  }
}
