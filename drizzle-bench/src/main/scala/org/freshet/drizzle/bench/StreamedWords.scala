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

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.{Duration, Milliseconds, StreamingContext, Time}
import org.apache.spark.streaming.dstream.InputDStream
import org.apache.spark.streaming.scheduler.{StreamingListener, StreamingListenerBatchCompleted}

/** Word count over a DStream, always of as many words a second, at shorter and shorter intervals, until
  * one cannot be kept up. Prints one line for each: milliseconds of the interval, of the median batch
  * and of the 99th of a hundred from when a batch was due to its end, and whether it was kept up: all
  * batches ended, the median one no later than when the next but one was due, and the last ones not
  * later than the first.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
object StreamedWords {
  private val Maps = 4
  private val Reducers = 4
  private val LinesPerSecond = 2000
  private val WordsInLine = 10
  private val DistinctWords = 1000
  private val ToWarmUp = 200

  /** @param arguments intervals in milliseconds, a list with commas; seconds for each */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(intervals, seconds) =>
      val sc = Applications.start("Streamed words")
      try {
        Applications.warmUp(sc)(run(sc, Milliseconds(100), ToWarmUp))
        // Later ones are shorter.
        intervals.split(',').forall(interval => measure(sc, interval.toInt, seconds.toInt * 1000L))
      } finally sc.stop()
    case _ =>
      System.err.println("Usage: StreamedWords INTERVALS SECONDS")
      sys.exit(2)
  }

  /** @return whether the interval was kept up */
  private def measure(sc: SparkContext, intervalMs: Int, durationMs: Long): Boolean = {
    val batches = math.max(10, durationMs / intervalMs).toInt
    val delays = run(sc, Milliseconds(intervalMs.toLong), batches)
    val tenth = math.max(1, delays.length / 10)
    val isKeptUp = delays.length == batches && median(delays) <= 2 * intervalMs &&
      median(delays.takeRight(tenth)) - median(delays.take(tenth)) <= intervalMs
    if (delays.nonEmpty) {
      val p99 = delays.sorted.apply(delays.length * 99 / 100)
      println(s"interval\t$intervalMs\t${median(delays)}\t$p99\t$isKeptUp")
    }
    isKeptUp
  }

  private def median(values: Seq[Long]): Long = values.sorted.apply(values.length / 2)

  /** @return
    *   for each batch that ended in twice the time that all should take, milliseconds from when it was due
    *   to its end
    */
  private def run(sc: SparkContext, interval: Duration, batches: Int): Seq[Long] = {
    val delays = new ConcurrentLinkedQueue[Long]
    val ended = new CountDownLatch(batches)
    val streaming = new StreamingContext(sc, interval)
    streaming.addStreamingListener(new StreamingListener {
      override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit = {
        delays.add(event.batchInfo.processingEndTime.get - event.batchInfo.batchTime.milliseconds)
        ended.countDown()
      }
    })
    val linesOfMap = (LinesPerSecond * interval.milliseconds / 1000 / Maps).toInt
    val counts = new Sentences(streaming, linesOfMap)
      .flatMap(_.split(' '))
      .map(word => (word, 1))
      .reduceByKey(_ + _, Reducers)
    counts.foreachRDD { (rdd: RDD[(String, Int)], time: Time) =>
      val counted = rdd.collect().map(_._2).sum
      require(
        counted == Maps * linesOfMap * WordsInLine,
        s"The batch of $time counted $counted words"
      )
    }
    streaming.start()
    ended.await(batches * interval.milliseconds * 2, TimeUnit.MILLISECONDS)
    streaming.stop(stopSparkContext = false)
    delays.asScala.toSeq.take(batches)
  }

  /** Lines for each batch, the same at every start. */
  private final class Sentences(streaming: StreamingContext, linesOfMap: Int)
      extends InputDStream[String](streaming) {
    override def start(): Unit = ()

    override def stop(): Unit = ()

    override def compute(time: Time): Option[RDD[String]] = {
      val seed = time.milliseconds
      val lines = linesOfMap
      Some(context.sparkContext.parallelize(0 until Maps, Maps).flatMap { part =>
        val random = new java.util.SplittableRandom(seed + part)
        def word = s"w${random.nextInt(DistinctWords)}"
        Iterator.fill(lines)(Iterator.fill(WordsInLine)(word).mkString(" "))
      })
    }
  }
}
