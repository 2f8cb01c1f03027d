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

import java.util.concurrent.{ConcurrentSkipListMap, CountDownLatch, TimeUnit}

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.{Milliseconds, StreamingContext, Time}
import org.apache.spark.streaming.dstream.InputDStream
import org.apache.spark.streaming.scheduler.{StreamingListener, StreamingListenerBatchCompleted}

/** Runs a DStream program at shorter and shorter intervals, until one cannot be kept up: all batches
  * have to end, the median one no later than when the next but one is due, and the last ones not later
  * than the first.
  *
  * @param program makes the streams for an interval in milliseconds
  */
@nowarn("cat=deprecation") // DStreams are what many have.
private[bench] final class Streams(sc: SparkContext, program: (StreamingContext, Int) => Unit) {
  import Streams._

  /** @param seconds for each interval
    * @param found is told of an interval, and how late its batches ended
    */
  def measure(intervalsMs: Seq[Int], seconds: Int)(found: (Int, Delays) => Unit): Unit = {
    // Later ones are shorter, and what a batch needs is compiled after so many of them, not after so long.
    val warming = math.min(intervalsMs.head, MostToWarmUpMs)
    Applications.warmUp(sc)(run(warming, math.max(10, ToWarmUpMs / warming)))
    intervalsMs.forall { interval =>
      val batches = math.max(10, seconds * 1000 / interval)
      val delays = run(interval, batches)
      val isKeptUp = delays.isKeptUp(interval)
      if (delays.byBatch.nonEmpty) {
        found(interval, delays)
      }
      isKeptUp
    }
  }

  private def run(intervalMs: Int, batches: Int): Delays = {
    val delays = new ConcurrentSkipListMap[Long, Long]
    val ended = new CountDownLatch(batches)
    val streaming = new StreamingContext(sc, Milliseconds(intervalMs.toLong))
    streaming.addStreamingListener(new StreamingListener {
      override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit = {
        val due = event.batchInfo.batchTime.milliseconds
        delays.put(due, event.batchInfo.processingEndTime.get - due)
        ended.countDown()
      }
    })
    program(streaming, intervalMs)
    streaming.start()
    ended.await(batches.toLong * intervalMs * 2, TimeUnit.MILLISECONDS)
    // Until the last one has ended: others would go on beside those of the next interval.
    streaming.stop(stopSparkContext = false, stopGracefully = true)
    Delays(delays.asScala.toSeq.take(batches), batches)
  }
}

private[bench] object Streams {
  private val ToWarmUpMs = 20000

  /** The longest interval of batches that warm up the JVMs: about the shortest that stock Spark keeps up. */
  private val MostToWarmUpMs = 100

  /** How long after it was due each batch ended that did so in twice the time that all should take.
    *
    * @param byBatch when it was due, and how much later it ended, in milliseconds
    * @param expected how many batches there should have been
    */
  final case class Delays(byBatch: Seq[(Long, Long)], expected: Int) {
    private val all = byBatch.map(_._2)

    def isKeptUp(intervalMs: Int): Boolean = {
      val tenth = math.max(1, all.length / 10)
      all.length == expected && quantile(all, 50) <= 2 * intervalMs &&
      quantile(all.takeRight(tenth), 50) - quantile(all.take(tenth), 50) <= intervalMs
    }

    def percentile(of100: Int): Long = quantile(all, of100)
  }

  /** The smallest value that so many of a hundred do not exceed, or nearly so. */
  def quantile(values: Seq[Long], of100: Int): Long =
    values.sorted.apply(math.min(values.length - 1, values.length * of100 / 100))

  /** Makes its input itself, the same at every start.
    *
    * @param lines what a part of the batch at a time, in milliseconds, consists of
    */
  @nowarn("cat=deprecation")
  final class Generated(
      streaming: StreamingContext,
      parts: Int,
      lines: (Long, Int) => Iterator[String]
  ) extends InputDStream[String](streaming) {
    override def start(): Unit = ()

    override def stop(): Unit = ()

    override def compute(time: Time): Option[RDD[String]] = {
      val at = time.milliseconds
      val make = lines
      Some(context.sparkContext.parallelize(0 until parts, parts).flatMap(make(at, _)))
    }
  }
}
