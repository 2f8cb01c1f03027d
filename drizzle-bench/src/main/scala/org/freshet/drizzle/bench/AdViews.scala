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

import scala.annotation.nowarn
import scala.collection.mutable

import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.{StreamingContext, Time}

/** The Yahoo streaming benchmark, with its events made where they are read, see [[AdEvents]]. Runs at shorter and
  * shorter intervals, until one cannot be kept up, and prints a line for each: the interval, whether it was kept up,
  * and milliseconds from the time of an event to when it is counted, for each hundredth of the events; and one with
  * those from a window's end to when all of it is counted.
  *
  * With both ways to count as in Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale",
  * SOSP 2017, section 6.3.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
object AdViews {
  val WindowMs = 1000L

  /** @param arguments
    *   whether views are counted by `group` or `reduce`; events a second; intervals in milliseconds, a list with
    *   commas; seconds for each
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(how @ ("group" | "reduce"), rate, intervals, seconds) =>
      val sc = Applications.start(s"Ad views, by $how")
      try
        new Streams(sc, views(_, _, how == "group", rate.toInt))
          .measure(intervals.split(',').toSeq.map(_.toInt), seconds.toInt)(print)
      finally sc.stop()
    case _ =>
      System.err.println("Usage: AdViews group|reduce EVENTS_PER_SECOND INTERVALS SECONDS")
      sys.exit(2)
  }

  private def print(intervalMs: Int, delays: Streams.Delays): Unit = printDelays(
    intervalMs,
    delays,
    delays.byBatch.collect { case (due, delay) if due % WindowMs == 0 => delay }
  )

  /** Prints the two lines of an interval.
    *
    * @param ofWindows milliseconds from the end of each window to when all of it is counted
    */
  def printDelays(intervalMs: Int, delays: Streams.Delays, ofWindows: Seq[Long]): Unit = {
    // Events come evenly, and the last of a batch when it is due.
    val ofEvents = delays.byBatch.flatMap { case (_, delay) =>
      (0 until 20).map(i => delay + intervalMs * i / 20)
    }
    val isKeptUp = delays.isKeptUp(intervalMs)
    def line(kind: String, values: Seq[Long]): Unit = if (values.nonEmpty) {
      val quantiles = (1 to 100).map(Streams.quantile(values, _)).mkString(",")
      println(s"$kind\t$intervalMs\t$isKeptUp\t$quantiles")
    }
    line("events", ofEvents)
    line("windows", ofWindows)
  }

  private def views(
      streaming: StreamingContext,
      intervalMs: Int,
      isGrouping: Boolean,
      rate: Int
  ): Unit = {
    val events = new AdEvents(rate, intervalMs, WindowMs)
    val expected = events.viewsOfBatch
    events.counts(streaming, isGrouping).foreachRDD {
      (rdd: RDD[((String, Long), Long)], time: Time) =>
        val ofBatch = rdd.collect()
        require(
          ofBatch.map(_._2).sum == expected,
          s"The batch of $time counted ${ofBatch.map(_._2).sum} views"
        )
        Totals.add(ofBatch)
    }
  }

  /** What a database would hold. Batches come in their order, in one thread at a time. */
  private object Totals {
    private val ofWindows = mutable.HashMap.empty[(String, Long), Long]

    def add(counts: Array[((String, Long), Long)]): Unit =
      for ((key, count) <- counts) ofWindows(key) = ofWindows.getOrElse(key, 0L) + count
  }
}
