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

import java.util.SplittableRandom

import scala.annotation.nowarn

import com.fasterxml.jackson.databind.{ObjectMapper, ObjectReader}

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.StreamingContext
import org.apache.spark.streaming.dstream.DStream

/** The events of the Yahoo streaming benchmark, and its query: how often the ads of each campaign were viewed in
  * each window of event time. Events are JSON; only views count; a table says which campaign an ad belongs to.
  *
  * What a part of a batch consists of depends on nothing but the batch's time and the part's number. So whatever is
  * lost with an executor can be made again, and how it has to be counted is known without Spark.
  *
  * Chintapalli et al., "Benchmarking Streaming Computation Engines: Storm, Flink and Spark Streaming", IPDPS
  * Workshops 2016.
  *
  * @param rate events a second, about
  * @param intervalMs from one batch to the next, in milliseconds
  * @param windowMs length of a window, in milliseconds
  */
@nowarn("cat=deprecation") // DStreams are what many have.
private[bench] final class AdEvents(rate: Int, intervalMs: Int, windowMs: Long)
    extends Serializable {
  import AdEvents._

  private val ofPart = (rate.toLong * intervalMs / 1000 / Maps).toInt

  /** How many views a batch has. */
  val viewsOfBatch: Long = Maps * viewsBefore(ofPart.toLong)

  /** The lines of a part of the batch that is due at a time, in milliseconds since 1970. */
  def lines(due: Long, part: Int): Iterator[String] = events(due, part).map(_.toJson)

  /** Counts what comes, batch by batch.
    *
    * @param isGrouping whether views are brought together before they are counted
    */
  def counts(streaming: StreamingContext, isGrouping: Boolean): DStream[((String, Long), Long)] =
    AdEvents.counts(
      new Streams.Generated(streaming, Maps, lines),
      campaigns(streaming.sparkContext),
      windowMs,
      isGrouping
    )

  /** The same for one batch, without a stream. */
  def counts(sc: SparkContext, due: Long): RDD[((String, Long), Long)] = {
    val table = campaigns(sc)
    val window = windowMs
    sc.parallelize(0 until Maps, Maps)
      .flatMap(lines(due, _))
      .map(parse)
      .filter(_._2 == View)
      .map { case (ad, _, time) => ((table.value(ad), time / window), 1L) }
      .reduceByKey(_ + _, Reducers)
  }

  /** What a batch has to be counted as. */
  def expected(due: Long): Map[(String, Long), Long] =
    (0 until Maps).iterator
      .flatMap(events(due, _))
      .filter(_.kind == View)
      .toSeq
      .groupMapReduce(event => (campaign(event.ad), event.timeMs / windowMs))(_ => 1L)(_ + _)

  private def events(due: Long, part: Int): Iterator[Event] = {
    val random = new SplittableRandom(due * Maps + part)
    Iterator.tabulate(ofPart) { i =>
      Event.random(random, i.toLong, due - intervalMs + intervalMs.toLong * i / ofPart)
    }
  }
}

private[bench] object AdEvents {
  val Maps = 4
  private val Reducers = 4
  private val Campaigns = 100
  private val AdsOfCampaign = 10
  private val View = "view"

  /** Every third event is a view. */
  private val Kinds = Array(View, "click", "purchase")

  private final case class Event(user: Int, page: Int, ad: Int, kind: String, timeMs: Long) {
    def toJson: String =
      s"""{"user_id":"u$user","page_id":"p$page","ad_id":"ad-$ad","ad_type":"banner",""" +
        s""""event_type":"$kind","event_time":"$timeMs","ip_address":"1.2.3.4"}"""
  }

  private object Event {

    /** @param i which of its part it is, which decides what happens */
    def random(random: SplittableRandom, i: Long, timeMs: Long): Event = Event(
      user = random.nextInt(100000),
      page = random.nextInt(1000),
      ad = random.nextInt(Campaigns * AdsOfCampaign),
      kind = Kinds((i % Kinds.length).toInt),
      timeMs = timeMs
    )
  }

  /** An event at a time.
    *
    * @param i which of its part it is
    */
  def line(random: SplittableRandom, i: Long, timeMs: Long): String =
    Event.random(random, i, timeMs).toJson

  /** How many views are among those before the i-th of a part. */
  def viewsBefore(i: Long): Long = (i + Kinds.length - 1) / Kinds.length

  /** How often ads of each campaign were viewed in each window.
    *
    * @param table which campaign an ad belongs to
    */
  def counts(
      lines: DStream[String],
      table: Broadcast[Map[String, String]],
      windowMs: Long,
      isGrouping: Boolean
  ): DStream[((String, Long), Long)] = {
    val viewed: DStream[((String, Long), Long)] = lines
      .map(parse)
      .filter(_._2 == View)
      .map { case (ad, _, time) => ((table.value(ad), time / windowMs), 1L) }
    if (isGrouping) viewed.groupByKey(Reducers).mapValues(_.sum)
    else viewed.reduceByKey(_ + _, Reducers)
  }

  private def campaign(ad: Int): String = s"campaign-${ad % Campaigns}"

  def campaigns(sc: SparkContext): Broadcast[Map[String, String]] =
    sc.broadcast((0 until Campaigns * AdsOfCampaign).map(ad => s"ad-$ad" -> campaign(ad)).toMap)

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
