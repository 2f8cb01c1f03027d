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

/** Word count over a DStream at shorter and shorter intervals, to see which can be kept up. Prints one
  * line for each interval: milliseconds of the interval, of the median batch and of the 99th of
  * a hundred from when a batch was due to its end, and by how much the last tenth was later than
  * the first.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
object StreamedWords {
  private val Maps = 4
  private val Reducers = 4
  private val Lines = 100
  private val Words = 1000

  /** @param arguments
    *   the master's address; intervals in milliseconds, a list with commas; seconds for each;
    *   Spark's settings
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(master, intervals, seconds, settings @ _*) =>
      val sc = Applications.start("Streamed words", master, settings)
      try {
        // Warms up.
        run(sc, Milliseconds(200), 20000)
        intervals.split(',').foreach { interval =>
          val delays = run(sc, Milliseconds(interval.toLong), seconds.toInt * 1000L)
          val sorted = delays.sorted
          val tenth = math.max(1, delays.length / 10)
          val late = median(delays.takeRight(tenth)) - median(delays.take(tenth))
          val p99 = sorted(math.min(sorted.length - 1, sorted.length * 99 / 100))
          println(s"interval\t$interval\t${median(delays)}\t$p99\t$late\t${delays.length}")
        }
      } finally sc.stop()
    case _ =>
      System.err.println("Usage: StreamedWords MASTER INTERVALS SECONDS [KEY=VALUE...]")
      sys.exit(2)
  }

  private def median(values: Seq[Long]): Long = values.sorted.apply(values.length / 2)

  /** @return for each batch, milliseconds from when it was due to its end */
  private def run(sc: SparkContext, interval: Duration, durationMs: Long): Seq[Long] = {
    val batches = math.max(10, durationMs / interval.milliseconds).toInt
    val delays = new ConcurrentLinkedQueue[Long]
    val ended = new CountDownLatch(batches)
    val streaming = new StreamingContext(sc, interval)
    streaming.addStreamingListener(new StreamingListener {
      override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit = {
        delays.add(event.batchInfo.processingEndTime.get - event.batchInfo.batchTime.milliseconds)
        ended.countDown()
      }
    })
    val counts = new Sentences(streaming)
      .flatMap(_.split(' '))
      .map(word => (word, 1))
      .reduceByKey(_ + _, Reducers)
    counts.foreachRDD { (rdd: RDD[(String, Int)], time: Time) =>
      val counted = rdd.values.map(_.toLong).sum()
      require(counted == Maps * Lines * 10, s"The batch of $time counted $counted words")
    }
    streaming.start()
    // Ten times as long as it should take: then it cannot be kept up.
    ended.await(durationMs * 10 + 10000, TimeUnit.MILLISECONDS)
    streaming.stop(stopSparkContext = false)
    delays.asScala.toSeq.take(batches)
  }

  /** Lines of ten words for each batch, the same at every start. */
  private final class Sentences(streaming: StreamingContext)
      extends InputDStream[String](streaming) {
    override def start(): Unit = ()

    override def stop(): Unit = ()

    override def compute(time: Time): Option[RDD[String]] = {
      val seed = time.milliseconds
      val (lines, words) = (Lines, Words)
      Some(context.sparkContext.parallelize(0 until Maps, Maps).flatMap { part =>
        val random = new java.util.SplittableRandom(seed + part)
        Iterator.fill(lines)(Iterator.fill(10)(s"w${random.nextInt(words)}").mkString(" "))
      })
    }
  }
}
