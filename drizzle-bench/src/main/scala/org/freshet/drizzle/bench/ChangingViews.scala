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

import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue, ConcurrentSkipListMap}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.drizzle.bench.GroupGauges
import org.apache.spark.streaming.{Milliseconds, StreamingContext, Time}
import org.apache.spark.streaming.scheduler.{
  StreamingListener,
  StreamingListenerBatchCompleted,
  StreamingListenerBatchStarted,
  StreamingListenerBatchSubmitted
}

/** The Yahoo streaming benchmark, see [[AdEvents]], while the cluster changes: in the middle, one of two executors is
  * killed, at once or after it has stood still for a while, or one is added to the only one. Prints, with tabs between,
  * and times in milliseconds since the first batch was due:
  *
  *   - `start`, when that was, in milliseconds since 1970; the length of a window
  *   - `batch`, when it was due; how much later it ended; how many batches may be under way at once, and the share of
  *     the executors' time that is lost, as Freshet has them, empty on stock Spark; how much later than due it began
  *   - `change`, when the cluster began to change, if it did; when it had changed
  *   - `executor`, when one was registered after that; when its first task began, if one did
  *   - `counts`, how many views there were; how many were counted; lost; counted twice
  *
  * Venkataraman et al., "Drizzle: Fast and Adaptable Stream Processing at Scale", SOSP 2017, sections 6.3 and 6.4,
  * figures 5 (b) and 6.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
object ChangingViews {

  /** As long as those of the paper. */
  private val WindowMs = 10000L
  private val ToWarmUp = 50

  /** How much later than planned all batches may have ended. */
  private val PatienceMs = TimeUnit.MINUTES.toMillis(4)

  /** Then the batch that was due before is under way. */
  private val IntoBatchMs = 20L

  /** Then so many batches have come that as many are under way as may be. */
  private val HangMs = 8000L

  /** @param arguments
    *   `none`, `kill`, `hang` or `add`; events a second; the interval in milliseconds; seconds
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(change @ ("none" | "kill" | "hang" | "add"), rate, interval, seconds) =>
      val sc = Applications.start(s"Ad views, $change")
      try {
        val batches = seconds.toInt * 1000 / interval.toInt
        run(sc, change, rate.toInt, interval.toInt, batches).foreach(println)
      } finally sc.stop()
    case _ =>
      System.err.println(
        "Usage: ChangingViews none|kill|hang|add EVENTS_PER_SECOND INTERVAL SECONDS"
      )
      sys.exit(2)
  }

  /** @return the lines that are to be printed */
  private[bench] def run(
      sc: SparkContext,
      change: String,
      rate: Int,
      intervalMs: Int,
      batches: Int
  ): Seq[String] = {
    val events = new AdEvents(rate, intervalMs, WindowMs)
    // Without a stream, so that groups are as large as at first.
    Applications.warmUp(sc)((1 to ToWarmUp).foreach(i => events.counts(sc, WindowMs * i).collect()))
    val cluster = new Cluster(sc)
    val act: () => Unit = change match {
      case "none" => () => ()
      case "kill" =>
        val victim = cluster.anExecutor()
        () => victim.kill()
      case "hang" =>
        val victim = cluster.anExecutor()
        () => victim.hang(HangMs)
      case "add" =>
        cluster.giveOneBack()
        () => cluster.addOne()
    }
    val measured = measure(sc, events, intervalMs, batches, act)
    val first = measured.first
    Seq(s"start\t$first\t$WindowMs") ++
      measured.batches.map(batch =>
        s"batch\t${batch.due - first}\t${batch.ended - batch.due}\t${batch.group.mkString("\t")}" +
          s"\t${batch.began - batch.due}"
      ) ++
      Option.when(change != "none")(
        s"change\t${measured.change - first}\t${measured.changed - first}"
      ) ++
      cluster.addedSince(measured.change).map { case (added, firstTask) =>
        s"executor\t${added - first}\t${firstTask.map(at => (at - first).toString).getOrElse("")}"
      } :+
      measured.tally.line
  }

  /** @param group how many batches may be under way, and what is lost */
  private final case class Batch(due: Long, began: Long, ended: Long, group: Seq[String])

  /** Times in milliseconds since 1970.
    *
    * @param change when something was begun to be done to the cluster
    * @param changed when it was done
    */
  private final case class Measured(
      batches: Seq[Batch],
      change: Long,
      changed: Long,
      tally: Tally
  ) {
    def first: Long = batches.head.due
  }

  /** @param act is called in the middle */
  private def measure(
      sc: SparkContext,
      events: AdEvents,
      intervalMs: Int,
      batches: Int,
      act: () => Unit
  ): Measured = {
    val submitted = new CountDownLatch(1)
    val began = new ConcurrentHashMap[Long, Long]
    val ended = new ConcurrentSkipListMap[Long, Batch]
    val allEnded = new CountDownLatch(batches)
    // What a database would hold, by batch.
    val counted = new ConcurrentLinkedQueue[(Long, Array[((String, Long), Long)])]
    val streaming = new StreamingContext(sc, Milliseconds(intervalMs.toLong))
    @volatile var first = 0L
    streaming.addStreamingListener(new StreamingListener {
      override def onBatchSubmitted(event: StreamingListenerBatchSubmitted): Unit =
        if (submitted.getCount > 0) {
          first = event.batchInfo.batchTime.milliseconds
          submitted.countDown()
        }

      // When it has completed, it is told that it began when its turn had come.
      override def onBatchStarted(event: StreamingListenerBatchStarted): Unit = {
        val batch = event.batchInfo
        began.put(batch.batchTime.milliseconds, batch.processingStartTime.get)
      }

      override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit = {
        val batch = event.batchInfo
        val due = batch.batchTime.milliseconds
        val until = batch.processingEndTime.get
        ended.put(due, Batch(due, began.get(due), until, GroupGauges.of(sc)))
        allEnded.countDown()
      }
    })
    events.counts(streaming, isGrouping = false).foreachRDD {
      (rdd: RDD[((String, Long), Long)], time: Time) =>
        val ofBatch = rdd.collect()
        counted.add((time.milliseconds, ofBatch))
        ()
    }
    streaming.start()
    try {
      require(submitted.await(1, TimeUnit.MINUTES), "No batch came in a minute")
      val middle = first + batches / 2 * intervalMs + IntoBatchMs
      TimeUnit.MILLISECONDS.sleep(middle - System.currentTimeMillis())
      val change = System.currentTimeMillis()
      act()
      val changed = System.currentTimeMillis()
      val last = first + (batches - 1).toLong * intervalMs
      allEnded.await(last - changed + PatienceMs, TimeUnit.MILLISECONDS)
      require(
        allEnded.getCount == 0,
        s"${batches - allEnded.getCount} of $batches batches ended, the last one that of " +
          s"${ended.lastEntry} (the first one was due at $first, the cluster changed at $change)"
      )
      val due = (first to last by intervalMs.toLong)
      val tally = Tally.of(
        due.iterator.flatMap(at => events.expected(at).map { case (key, n) => (at, key) -> n }),
        for {
          (at, counts) <- counted.asScala.iterator if at <= last
          (key, n) <- counts.iterator
        } yield (at, key) -> n
      )
      Measured(ended.values.asScala.filter(_.due <= last).toSeq, change, changed, tally)
    } finally streaming.stop(stopSparkContext = false)
  }
}
