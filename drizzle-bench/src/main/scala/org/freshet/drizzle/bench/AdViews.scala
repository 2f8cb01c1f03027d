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

import com.fasterxml.jackson.databind.{ObjectMapper, ObjectReader}

import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.{StreamingContext, Time}
import org.apache.spark.streaming.dstream.DStream

/** The Yahoo streaming benchmark, with its events made where they are read: counts, for each campaign and
  * window of event time, how often its ads were viewed. Events are JSON; only views count; a table says
  * which campaign an ad belongs to. Runs at shorter and shorter intervals, until one cannot be kept up,
  * and prints a line for each: the interval, whether it was kept up, and milliseconds from the time of an
  * event to when it is counted, for each hundredth of the events; and one with those from a window's end to
  * when all of it is counted.
  *
  * Chintapalli et al., "Benchmarking Streaming Computation Engines: Storm, Flink and Spark Streaming", IPDPS
  * Workshops 2016; with both ways to count as in Venkataraman et al., "Drizzle: Fast and Adaptable Stream
  * Processing at Scale", SOSP 2017, section 5.3.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
object AdViews {
  private val Maps = 4
  private val Reducers = 4
  private val Campaigns = 100
  private val AdsOfCampaign = 10
  private val WindowMs = 1000L

  /** Every third event is a view. */
  private val Kinds = Array("view", "click", "purchase")

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

  private def print(intervalMs: Int, delays: Streams.Delays): Unit = {
    // Events come evenly, and the last of a batch when it is due.
    val ofEvents = delays.byBatch.flatMap { case (_, delay) =>
      (0 until 20).map(i => delay + intervalMs * i / 20)
    }
    val ofWindows = delays.byBatch.collect { case (due, delay) if due % WindowMs == 0 => delay }
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
    val ofPart = rate.toLong * intervalMs / 1000 / Maps
    val campaigns =
      (0 until Campaigns * AdsOfCampaign).map(ad => s"ad-$ad" -> s"campaign-${ad % Campaigns}")
    val table = streaming.sparkContext.broadcast(campaigns.toMap)
    val viewed: DStream[((String, Long), Long)] =
      new Streams.Generated(streaming, Maps, events(ofPart.toInt, intervalMs))
        .map(parse)
        .filter(_._2 == "view")
        .map { case (ad, _, time) => ((table.value(ad), time / WindowMs), 1L) }
    val counts =
      if (isGrouping) viewed.groupByKey(Reducers).mapValues(_.sum)
      else viewed.reduceByKey(_ + _, Reducers)
    counts.foreachRDD { (rdd: RDD[((String, Long), Long)], time: Time) =>
      val ofBatch = rdd.collect()
      require(
        ofBatch.map(_._2).sum == Maps * ((ofPart + Kinds.length - 1) / Kinds.length),
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

  private def events(count: Int, intervalMs: Int): (Long, Int) => Iterator[String] = {
    (due, part) =>
      val random = new java.util.SplittableRandom(due * Maps + part)
      Iterator.tabulate(count) { i =>
        val time = due - intervalMs + intervalMs.toLong * i / count
        s"""{"user_id":"u${random.nextInt(100000)}","page_id":"p${random.nextInt(1000)}",""" +
          s""""ad_id":"ad-${random.nextInt(Campaigns * AdsOfCampaign)}","ad_type":"banner",""" +
          s""""event_type":"${Kinds(
              i % Kinds.length
            )}","event_time":"$time","ip_address":"1.2.3.4"}"""
      }
  }

  private lazy val reader: ObjectReader = new ObjectMapper().reader()

  /** The ad, what happened to it, and when. */
  private def parse(event: String): (String, String, Long) = {
    val fields = reader.readTree(event)
    (
      fields.get("ad_id").textValue,
      fields.get("event_type").textValue,
      fields.get("event_time").textValue.toLong
    )
  }
}
