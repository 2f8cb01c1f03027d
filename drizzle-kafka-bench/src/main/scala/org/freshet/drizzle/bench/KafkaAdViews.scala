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
package org.freshet.drizzle.bench

import java.util.concurrent.ConcurrentHashMap

import scala.annotation.nowarn
import scala.collection.mutable

import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.{StreamingContext, Time}
import org.apache.spark.streaming.kafka010.OffsetRange
import org.apache.spark.streaming.scheduler.{BatchInfo, StreamingListener}
import org.apache.spark.streaming.scheduler.StreamingListenerBatchCompleted
import org.freshet.drizzle.kafka.KafkaLines

/** [[AdViews]] with events from Kafka, which an [[AdEventWriter]] writes meanwhile. Prints the same lines. Each batch's
  * views are compared with how many there are between its offsets.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
object KafkaAdViews {

  /** @param arguments
    *   whether views are counted by `group` or `reduce`; the broker's `host:port`; intervals in milliseconds, a list
    *   with commas; seconds for each
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(how @ ("group" | "reduce"), broker, intervals, seconds) =>
      val sc = Applications.start(s"Ad views from Kafka, by $how")
      try {
        val lines = KafkaLines(broker, AdEventWriter.Topic, AdEvents.Maps)
        @volatile var counted = new Counted
        new Streams(
          sc,
          (streaming, _) => {
            counted = new Counted
            views(streaming, lines, how == "group", counted)
          }
        ).measure(intervals.split(',').toSeq.map(_.toInt), seconds.toInt) { (intervalMs, delays) =>
          AdViews.printDelays(intervalMs, delays, counted.windowDelays)
        }
      } finally sc.stop()
    case _ =>
      System.err.println("Usage: KafkaAdViews group|reduce BROKER INTERVALS SECONDS")
      sys.exit(2)
  }

  private def views(
      streaming: StreamingContext,
      lines: KafkaLines,
      isGrouping: Boolean,
      counted: Counted
  ): Unit = {
    val events = lines.stream(streaming, lines.ends).map(_.value)
    val table = AdEvents.campaigns(streaming.sparkContext)
    streaming.addStreamingListener(counted)
    AdEvents.counts(events, table, AdViews.WindowMs, isGrouping).foreachRDD {
      (rdd: RDD[((String, Long), Long)], time: Time) =>
        val ofBatch = rdd.collect()
        counted.add(time.milliseconds, ofBatch)
    }
  }

  /** What a database would hold, and when all of a window was there. Safe for use by several threads. */
  private final class Counted extends StreamingListener {
    private val ofBatches = new ConcurrentHashMap[Long, Map[Long, Long]]

    // Guarded by this.
    private val countedAtMs = mutable.TreeMap.empty[Long, Long]
    private var wrong = Option.empty[String]

    def add(due: Long, counts: Array[((String, Long), Long)]): Unit = {
      ofBatches.put(due, counts.groupMapReduce(_._1._2)(_._2)(_ + _))
      ()
    }

    override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit = {
      val batch = event.batchInfo
      val ofWindows = Option(ofBatches.remove(batch.batchTime.milliseconds))
      val views = ofWindows.fold(0L)(_.values.sum)
      val expected = viewsOf(batch)
      synchronized {
        if (views != expected && wrong.isEmpty) {
          wrong = Some(s"The batch of ${batch.batchTime} counted $views of $expected views")
        }
        for (counts <- ofWindows; window <- counts.keys)
          countedAtMs(window) = batch.processingEndTime.get
      }
    }

    private def viewsOf(batch: BatchInfo): Long = batch.streamIdToInputInfo.values
      .flatMap(_.metadata("offsets").asInstanceOf[List[OffsetRange]])
      .map(r => AdEvents.viewsBefore(r.untilOffset) - AdEvents.viewsBefore(r.fromOffset))
      .sum

    /** Of all windows but the first and the last, which may have begun before, or not have ended.
      *
      * @throws IllegalStateException if a batch was not counted right
      */
    def windowDelays: Seq[Long] = synchronized {
      wrong.foreach(what => throw new IllegalStateException(what))
      countedAtMs.toSeq.drop(1).dropRight(1).map { case (window, atMs) =>
        atMs - (window + 1) * AdViews.WindowMs
      }
    }
  }
}
