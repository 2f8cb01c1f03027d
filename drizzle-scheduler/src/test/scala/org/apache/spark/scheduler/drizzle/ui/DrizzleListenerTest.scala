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

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkConf
import org.apache.spark.scheduler.drizzle.BatchReport
import org.apache.spark.status.ElementTrackingStore
import org.apache.spark.util.JsonProtocol
import org.apache.spark.util.kvstore.InMemoryStore
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class DrizzleListenerTest {
  private def operation(batch: Int) =
    OperationTimes(batch.toLong, 1, isEarly = true, 2, 3, 1L << 40)

  private def progress(second: Int, operations: Int) = DrizzleProgress(
    second * 1000L,
    counts = Seq(Count("messages", second.toLong)),
    ended = (0 until operations).map(i => operation(second * operations + i))
  )

  @Test
  def eventsAreReadFromTheLogAsTheyWereWritten(): Unit = {
    val whole = DrizzleProgress(
      1L << 41,
      Some("a <reason>"),
      Seq(Count("messages", 1L << 40), Count("stages.dispatched", 2)),
      3,
      4,
      0.25,
      Seq(Count("the stage is a barrier", 5)),
      Some("\"quoted\""),
      Seq(Count("it has no action", 1)),
      6,
      Seq(operation(1), operation(2))
    )
    for (event <- Seq(whole, DrizzleProgress(7))) {
      val json = JsonProtocol.sparkEventToJsonString(event)
      assertThat(JsonProtocol.sparkEventFromJson(json)).isEqualTo(event)
    }
  }

  /** As written by a version that has more. */
  @Test
  def fieldsThatAreNotKnownAreLeftOut(): Unit = {
    val json = JsonProtocol.sparkEventToJsonString(DrizzleProgress(7))
    val newer = json.replaceFirst("\"timeMs\"", "\"later\":[1],\"timeMs\"")
    assertThat(JsonProtocol.sparkEventFromJson(newer)).isEqualTo(DrizzleProgress(7))
  }

  @Test
  def howeverLongAnApplicationRunsLittleIsKeptOfAllItsTime(): Unit = {
    val store = new ElementTrackingStore(new InMemoryStore, new SparkConf(false))
    try {
      val listener = new DrizzleListener(store)
      val view = new DrizzleStore(store)
      assertThat(view.latest.isEmpty).isTrue
      val last = 20000
      for (second <- 0 to last) {
        listener.onOtherEvent(progress(second, 3))
        if (second % 100 == 0) {
          assertThat(view.samples.size).isLessThanOrEqualTo(DrizzleListener.MostSamples)
        }
      }
      assertThat(view.latest.get).isEqualTo(progress(last, 0))

      val times = view.samples.map(_.timeMs)
      assertThat(times.head).isZero
      assertThat(times.size).isGreaterThan(DrizzleListener.MostSamples / 3)
      // No part of the time is left out.
      val gaps =
        (times :+ last * 1000L).zip(times.tail :+ last * 1000L).map { case (a, b) => b - a }
      assertThat(gaps.min).isNotNegative
      assertThat(gaps.max).isLessThanOrEqualTo(4L * last * 1000 / DrizzleListener.MostSamples)

      val operations = (last + 1) * 3
      assertThat(view.operations.asJava).isEqualTo(
        (operations - DrizzleListener.MostOperations until operations).map(operation).asJava
      )
    } finally store.close()
  }

  @Test
  def manyReasonsAndOperationsAreCountedButNotNamed(): Unit = {
    val report = new BatchReport
    val reasons = (0 until 50).map(i => s"reason $i")
    val named = (reasons ++ reasons).filter(report.waits)
    assertThat(named.asJava).isEqualTo(reasons.take(BatchReport.MostReasons).asJava)
    assertThat(report.waited.asJava).isEqualTo(
      (named.map(Count(_, 2)) :+ Count(BatchReport.Others, 60)).asJava
    )
    (0 until 1000).map(operation).foreach(report.ended)
    assertThat(report.takeEnded().asJava)
      .isEqualTo((1000 - BatchReport.MostRecent until 1000).map(operation).asJava)
    assertThat(report.takeEnded().asJava).isEmpty()
  }
}
