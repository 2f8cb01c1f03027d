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
package org.apache.spark.streaming

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

import org.apache.spark.SparkConf
import org.apache.spark.streaming.scheduler.rate.{PIDRateEstimator, RateEstimator}

/** Rates of batches that are under way at once, by Spark's estimator. */
final class SteadyRateEstimatorTest {
  private val interval = Milliseconds(50)
  private var queuedMs = 0L

  private def pid: RateEstimator = RateEstimator.create(new SparkConf(false), interval)

  private def steady =
    new SteadyRateEstimator(pid, interval.milliseconds, () => queuedMs)

  /** Of two batches under way at once, the second is done as soon as its turn comes.
    *
    * @return the rates that were told, in elements a second
    */
  private def rates(of: RateEstimator, waitedMs: Long): Seq[Double] =
    (1 to 40).flatMap { batch =>
      of.compute(batch * 50L, 100, if (batch % 2 == 0) 1 else 99, waitedMs)
    }

  @Test
  def batchesThatAreDoneWhenTheirTurnComesCountWithOthers(): Unit = {
    // A hundred elements in one millisecond, if one looks at it alone.
    assertThat(rates(pid, 50).max).isGreaterThan(50000.0)
    val told = rates(steady, 50)
    assertThat(told.size).isBetween(15, 40)
    assertThat(told.max).isLessThan(2100.0)
    assertThat(told.last).isBetween(1500.0, 2100.0)
  }

  @Test
  def whatHasBegunDoesNotWait(): Unit = {
    // It is under way, for three intervals.
    val begunAtOnce = rates(steady, 150)
    queuedMs = 150
    assertThat(rates(steady, 150).last).isLessThan(begunAtOnce.last * 0.7)
  }

  @Test
  def whereBatchesTakeLittleSomeAreEnough(): Unit = {
    val estimator = steady
    val told = (1 to 20).map(batch => estimator.compute(batch * 50L, 10, 2, 0))
    assertThat(told.count(_.isDefined)).isEqualTo(3)
    assertThat(told.last.get).isBetween(4900.0, 5100.0)
  }

  @Test
  def aCheckpointHasTheOneOfSpark(): Unit = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(steady)
    out.close()
    val read = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
    assertThat(read).isInstanceOf(classOf[PIDRateEstimator])
  }
}
