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

import java.nio.file.Path
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.deploy.history.LocalHistory
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.drizzle.{OutputOperation, StreamGroupsTest}
import org.apache.spark.scheduler.drizzle.{TestCluster, Unsuited}
import org.apache.spark.streaming.{Milliseconds, StreamingContext}
import org.apache.spark.streaming.scheduler.{StreamingListener, StreamingListenerBatchCompleted}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** The page as users see it, of an application that runs batches and when it has run. */
@Timeout(300)
@nowarn("cat=deprecation") // DStreams are what many have.
class DrizzleTabTest {
  import DrizzleTabTest._
  import TabPage._

  /** The oracle is the metrics source. */
  @Test
  def showsWhatTheMetricsSayWhileTheApplicationRunsAndLater(@TempDir logs: Path): Unit = {
    val sc = TestCluster.start(2, settings(logs): _*)
    val (application, live) =
      try {
        sc.parallelize(1 to 100, 4).map(i => (i % 7, 1)).reduceByKey(_ + _, 3).collect()
        sc.parallelize(1 to 2, 2).barrier().mapPartitions(identity).collect()
        val whyInTurn = runBatches(sc)
        val slowJob = sc.statusTracker.getJobIdsForGroup(null).max + 1
        sc.parallelize(1 to 2, 2).foreach(_ => Thread.sleep(500))
        sc.listenerBus.waitUntilEmpty(TimeUnit.SECONDS.toMillis(30))

        val expected = TestCluster
          .source(sc)
          .metricRegistry
          .getCounters
          .asScala
          .collect {
            case (name, count) if !name.contains("leftToStock") => name -> count.getCount.toString
          }
        assertThat(expected.keySet.asJava)
          .contains("stages.dispatched", "stages.sentAhead", "messages", "batches.inTurn")
        assertThat(expected("batches.early").toLong).isPositive
        val live = pageWith(sc.uiWebUrl.get) { page =>
          expected.forall { case (name, count) => page.cell(name).contains(count) } &&
          page.rows("operations").count(_(2) == "early").toString == expected("batches.early") &&
          page.rows("jobs").headOption.exists(_.exists(_.contains(s">$slowJob<")))
        }
        assertThat(live.rows("left-to-stock").asJava)
          .containsExactly(Seq(Unsuited.Barrier.reason, "1"))
        assertThat(live.rows("in-turn").asJava)
          .containsExactly(Seq(whyInTurn, expected("batches.inTurn")))
        val figures = live.rows("figures")
        assertThat(figures.map(_.head).asJava).doesNotHaveDuplicates().contains("executors.slow")
        assertThat(figures.map(_(1)).asJava).allMatch(_.matches("[0-9.]+( ?%)?"))
        assertThat(live.text).contains("Group size</strong>", "<svg")
        checkJob(live.rows("jobs").head)
        checkOperations(live.rows("operations"))
        (sc.applicationId, live)
      } finally sc.stop()

    val history = new LocalHistory(logs)
    try {
      val page = pageWith(history.url(application))(_.cell("messages").isDefined)
      for (table <- Seq("figures", "left-to-stock", "in-turn", "operations"))
        assertThat(page.rows(table).asJava).as(table).isEqualTo(live.rows(table).asJava)
      // But for the links.
      assertThat(page.rows("jobs").map(_.tail).asJava)
        .isEqualTo(live.rows("jobs").map(_.tail).asJava)
    } finally history.close()
  }

  /** Batches of which each has an operation that may begin early, and one that may not.
    *
    * @return why it may not
    */
  private def runBatches(sc: SparkContext): String = {
    val streaming = new StreamingContext(sc, Milliseconds(20))
    val ended = new CountDownLatch(Batches)
    streaming.addStreamingListener(new StreamingListener {
      override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit =
        ended.countDown()
    })
    val numbers = new StreamGroupsTest.Numbers(streaming, Batches)
    var total = 0L
    val inTurn = (rdd: RDD[Int]) => total += rdd.count()
    numbers.foreachRDD(inTurn)
    // Slower than batches come on any machine, and one of two executors has nothing to do.
    val slow = numbers.transform(_.coalesce(1).mapPartitions { all => Thread.sleep(30); all })
    slow.foreachRDD { rdd =>
      val sum = rdd.map(_.toLong).sum()
      require(sum > 0)
    }
    streaming.start()
    try assertThat(ended.await(2, TimeUnit.MINUTES)).isTrue
    finally streaming.stop(stopSparkContext = false, stopGracefully = false)
    OutputOperation.whyInTurn(inTurn, classOf[RDD[_]]).get
  }

  /** Of a job whose tasks sleep for half a second, both at once. */
  private def checkJob(row: Seq[String]): Unit = {
    val times = row.takeRight(4).map(milliseconds)
    assertThat(row(3)).isEqualTo("1")
    assertThat(times(0) + times(2)).isBetween(0.0, 5000.0)
    assertThat(times(1)).isBetween(490.0, 5000.0)
    assertThat(times(3)).isGreaterThan(990.0)
  }

  /** The second one of each batch has slept for 20 ms on each of two executors. */
  private def checkOperations(rows: Seq[Seq[String]]): Unit = {
    assertThat(rows.size).isBetween(Batches, 2 * Batches)
    rows.foreach { row =>
      val (number, began, ran, forTurn) = (row(1), row(2), row(4), row(5))
      assertThat(number).isIn("0", "1")
      if (number == "0") {
        assertThat(began).isEqualTo("in its turn")
      } else {
        assertThat(milliseconds(ran)).isGreaterThan(19.0)
      }
      if (began == "in its turn") {
        assertThat(milliseconds(forTurn)).isLessThan(1000.0)
      }
    }
  }

  private def milliseconds(cell: String): Double =
    if (cell.endsWith(" ms")) cell.stripSuffix(" ms").toDouble
    else 1000 * cell.stripSuffix(" s").toDouble
}

private object DrizzleTabTest {
  private val Batches = 40
}
