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

import scala.util.Random

import org.apache.spark.executor.TaskMetrics
import org.apache.spark.util.AccumulatorMetadata
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

final class SerializedMetricsTest {
  private var writtenByJava = 0
  private val serialized = new SerializedMetrics(metrics => {
    writtenByJava += 1
    Wire.bytes(metrics)
  })

  /** As a task's, which writes its own: the driver's are written empty. */
  private def metrics(ids: Int => Long): TaskMetrics = {
    val metrics = new TaskMetricsTemplate(Array.empty).create()
    for ((accumulator, i) <- metrics.nameToAccums.valuesIterator.zipWithIndex) {
      accumulator.metadata = AccumulatorMetadata(ids(i), None, countFailedValues = true)
      TaskMetricsTemplate.atTask(accumulator)
    }
    metrics
  }

  @Test
  def bytesAreThoseOfJava(): Unit = {
    val random = new Random(1)
    for (stage <- 0L until 2000L) {
      val first = if (stage % 2 == 0) stage * 30 + 1 else random.nextLong() >>> random.nextInt(63)
      val ofStage = metrics(first + _)
      assertThat(serialized.of(ofStage)).isEqualTo(Wire.bytes(ofStage))
    }
    assertThat(writtenByJava).isLessThan(50)
  }

  /** The driver's own, which are written as new ones, whatever was counted. */
  @Test
  def metricsOfStagesAreThoseOfJava(): Unit = {
    TestCluster.locally() { sc =>
      for (stage <- 0 until 20) {
        val ofStage = new TaskMetrics
        ofStage.register(sc)
        ofStage.setExecutorRunTime(stage.toLong)
        assertThat(serialized.of(ofStage)).isEqualTo(Wire.bytes(ofStage))
      }
    }
    assertThat(writtenByJava).isLessThan(10)
  }

  /** What each id stands for is known if there is no other like it. */
  @Test
  def idsThatStandInSeveralPlacesAreNotLearned(): Unit = {
    for (_ <- 0 until 10) {
      val same = metrics(_ => 7)
      assertThat(serialized.of(same)).isEqualTo(Wire.bytes(same))
    }
    assertThat(writtenByJava).isEqualTo(10)
  }

  /** Until it has been right several times, nothing is relied on. */
  @Test
  def whatChangesIsWrittenByJava(): Unit = {
    var length = 0
    val changing = new SerializedMetrics(metrics => {
      length += 1
      Wire.bytes(metrics) ++ new Array[Byte](length)
    })
    for (stage <- 1 to 20) {
      val bytes = changing.of(metrics(stage * 100L + _))
      assertThat(bytes.length).isEqualTo(Wire.bytes(metrics(stage * 100L + _)).length + stage)
    }
  }
}
