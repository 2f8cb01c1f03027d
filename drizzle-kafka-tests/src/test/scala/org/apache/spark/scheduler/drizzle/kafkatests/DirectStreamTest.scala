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
package org.apache.spark.scheduler.drizzle.kafkatests

import java.util.concurrent.{ConcurrentLinkedQueue, TimeUnit}
import java.util.concurrent.atomic.AtomicLong

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.deploy.StandaloneSpark
import org.apache.spark.scheduler.drizzle.{DrizzlePlugin, DrizzleSource}
import org.apache.spark.streaming.{Milliseconds, StreamingContext}
import org.apache.spark.streaming.dstream.InputDStream
import org.apache.spark.streaming.kafka010.{CanCommitOffsets, HasOffsetRanges, OffsetRange}
import org.apache.spark.streaming.scheduler.{StreamingListener, StreamingListenerBatchSubmitted}
import org.assertj.core.api.Assertions.assertThat
import org.freshet.drizzle.kafka.{JavaProcess, KafkaBroker, KafkaLines, Waiting, WordCounts}
import org.junit.jupiter.api.{AfterAll, BeforeAll, Tag, Test, TestInstance, Timeout}

/** Direct streams in a driver with the scheduler, whose executors are processes. */
@nowarn("cat=deprecation") // DStreams are what many have.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DirectStreamTest {
  import DirectStreamTest._

  private val place = Places.fresh("direct-stream")
  private var broker: KafkaBroker = _
  private var spark: StandaloneSpark = _
  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = {
    broker = KafkaBroker.start(place)
    spark = new StandaloneSpark(place)
    val conf = new SparkConf(false)
      .setMaster(spark.url)
      .setAppName("direct streams")
      .set("spark.ui.enabled", "false")
      .set("spark.driver.host", "127.0.0.1")
      .set("spark.driver.bindAddress", "127.0.0.1")
      .set("spark.executor.extraClassPath", JavaProcess.classPath)
      .set("spark.executor.memory", "512m")
      .set("spark.executor.extraJavaOptions", JavaProcess.ShortLived.mkString(" "))
      .set("spark.default.parallelism", "2")
      .set("spark.streaming.gracefulStopTimeout", "120s")
      .set("spark.streaming.kafka.maxRatePerPartition", RecordsPerSecond.toString)
      .set("spark.plugins", classOf[DrizzlePlugin].getName)
    sc = new SparkContext(conf)
    // Until there are executors, 50 batches a second would pile up, and each must be run in the end.
    Waiting.until("executors that take tasks ahead") {
      sc.parallelize(0 until 4, 2).map(i => (i % 2, i)).reduceByKey(_ + _).collect()
      source.dispatched.getCount > 0
    }
  }

  @AfterAll
  def stop(): Unit = JavaProcess.closeAll(() => if (sc != null) sc.stop(), spark, broker)

  private def source: DrizzleSource =
    sc.env.metricsSystem.getSourcesByName("drizzle").head.asInstanceOf[DrizzleSource]

  private def early: Long = source.early.getCount

  private def inTurn: Long = source.inTurn.getCount

  /** Makes a topic of lines.
    *
    * @return how often each word is in it
    */
  private def topic(name: String, lines: Int): Map[String, Long] = {
    broker.createTopic(name, Partitions)
    val words = new KnownWords(broker, name, seed = 1)
    try {
      words.write(lines)
      words.counts
    } finally words.close()
  }

  /** Runs an application until something is so, and then stops it gracefully.
    *
    * @return how many records its batches had
    */
  private def run(topic: String, intervalMs: Long)(
      declare: Lines => Unit
  )(until: => Boolean): Long = {
    Seen.take()
    val submitted = new AtomicLong
    val streaming = new StreamingContext(sc, Milliseconds(intervalMs))
    streaming.addStreamingListener(new StreamingListener {
      override def onBatchSubmitted(event: StreamingListenerBatchSubmitted): Unit = {
        submitted.addAndGet(event.batchInfo.numRecords)
        ()
      }
    })
    declare(KafkaLines(broker.address, topic, Partitions).stream(streaming, Map.empty))
    streaming.start()
    try Waiting.until(s"end of $topic", state = Seen.sum)(until)
    finally streaming.stop(stopSparkContext = false, stopGracefully = true)
    sc.listenerBus.waitUntilEmpty(TimeUnit.SECONDS.toMillis(30))
    submitted.get
  }

  /** How many batches may be under way is learned while they run, so there may be none at first.
    *
    * @param run takes the number of the attempt
    */
  private def untilSomeBeginEarly(run: Int => Unit): Unit = {
    val before = early
    val found = Iterator.range(0, 10).exists { attempt =>
      run(attempt)
      early > before
    }
    assertThat(found).isTrue
  }

  /** All records were counted, and each batch went on where the one before it had ended. */
  private def assertInOrder(batches: Seq[Batch], expected: Map[String, Long]): Unit = {
    assertThat(Seen.sum(batches).counts.asJava).isEqualTo(expected.asJava)
    val next = scala.collection.mutable.HashMap.empty[Int, Long].withDefaultValue(0L)
    batches.flatMap(_.ranges).foreach { range =>
      assertThat(range.fromOffset).isEqualTo(next(range.partition))
      next(range.partition) = range.untilOffset
    }
  }

  /** As Spark's guide to Kafka has it. */
  @Test
  @Timeout(300)
  def batchesThatKeepTheirOffsetsBeginEarlyAndEndInOrder(): Unit =
    untilSomeBeginEarly { attempt =>
      val name = s"offsets$attempt"
      val expected = topic(name, 1500)
      run(name, ShortMs) { lines =>
        lines.foreachRDD { rdd =>
          val ranges = rdd.asInstanceOf[HasOffsetRanges].offsetRanges
          val counts = rdd.flatMap(words).map((_, 1L)).reduceByKey(_ + _).collect()
          Seen.add(Batch(ranges.toSeq, counts.toMap))
          lines.asInstanceOf[CanCommitOffsets].commitAsync(ranges)
        }
      }(broker.committed(s"freshet-$name") == broker.ends(name, Partitions))
      assertInOrder(Seen.take(), expected)
    }

  /** The RDD of a direct stream knows that without a job, in which a batch could wait. */
  @Test
  @Tag("soak")
  @Timeout(300)
  def batchesThatAskWhetherTheyAreEmptyWaitForTheirTurn(): Unit = {
    val (earlyBefore, inTurnBefore) = (early, inTurn)
    val expected = topic("empty", 1500)
    run("empty", LongMs) { lines =>
      lines.foreachRDD { rdd =>
        if (!rdd.isEmpty()) {
          Seen.begun.incrementAndGet()
          val ranges = rdd.asInstanceOf[HasOffsetRanges].offsetRanges
          val counts = rdd.flatMap(words).map((_, 1L)).reduceByKey(_ + _).collect()
          // Nobody else has begun meanwhile.
          require(Seen.begun.getAndSet(0) == 1)
          Seen.add(Batch(ranges.toSeq, counts.toMap))
        }
      }
    }(Seen.sum.total >= expected.values.sum)
    assertInOrder(Seen.take(), expected)
    assertThat(early - earlyBefore).isZero
    assertThat(inTurn - inTurnBefore).isGreaterThan(0)
  }

  @Test
  @Timeout(300)
  def aGracefulStopEndsAllBatchesThatWereSubmitted(): Unit = {
    // More than are read until then.
    topic("stopped", 30000)
    val submitted = run("stopped", ShortMs)(countInOrder)(Seen.size >= 5)
    val batches = Seen.take()
    assertThat(Seen.sum(batches).total).isEqualTo(submitted * KnownWords.InLine)
    assertInOrder(batches, Seen.sum(batches).counts)
  }

  @Test
  @Tag("soak")
  @Timeout(300)
  def withBackpressureBatchesAreLimited(): Unit = {
    val settings = Map(
      "spark.streaming.backpressure.enabled" -> "true",
      "spark.streaming.backpressure.initialRate" -> InitialRate.toString
    )
    settings.foreach { case (key, value) => sc.conf.set(key, value) }
    val expected = topic("limited", 400)
    try run("limited", LongMs)(countInOrder)(Seen.sum.total >= expected.values.sum)
    finally settings.keys.foreach(key => sc.conf.remove(key))
    val batches = Seen.take()
    assertInOrder(batches, expected)
    // Before anything is known, and at last.
    assertThat(batches.head.records).isLessThanOrEqualTo(InitialRate * LongMs / 1000)
    assertThat(batches.map(_.records).max)
      .isLessThanOrEqualTo(Partitions * RecordsPerSecond * LongMs / 1000)
  }

  private def countInOrder(lines: Lines): Unit = lines.foreachRDD { rdd =>
    val ranges = rdd.asInstanceOf[HasOffsetRanges].offsetRanges
    val counts = rdd.flatMap(words).map((_, 1L)).reduceByKey(_ + _).collect()
    Seen.add(Batch(ranges.toSeq, counts.toMap))
  }
}

private object DirectStreamTest {
  type Lines = InputDStream[ConsumerRecord[String, String]]

  val Partitions = 3

  /** Batches come faster than they could be run one after the other. */
  val ShortMs = 20L

  /** They come about as fast. */
  val LongMs = 200L
  val RecordsPerSecond = 500L
  val InitialRate = 150L

  final case class Batch(ranges: Seq[OffsetRange], counts: Map[String, Long]) {
    def records: Long = ranges.map(_.count()).sum
  }

  /** Takes a millisecond. */
  def words(line: ConsumerRecord[String, String]): Seq[String] = {
    val until = System.nanoTime() + 1000000
    while (System.nanoTime() < until) {}
    line.value.split(' ').toSeq
  }

  /** What output operations leave in the driver. */
  object Seen {
    private val all = new ConcurrentLinkedQueue[Batch]
    val begun = new AtomicLong

    def add(batch: Batch): Unit = { all.add(batch); () }

    def take(): Seq[Batch] = {
      val taken = all.asScala.toSeq
      all.clear()
      taken
    }

    def size: Int = all.size

    def sum: WordCounts = sum(all.asScala.toSeq)

    def sum(batches: Seq[Batch]): WordCounts =
      batches.map(batch => WordCounts(Map.empty, batch.counts)).foldLeft(WordCounts.none)(_ + _)
  }
}
