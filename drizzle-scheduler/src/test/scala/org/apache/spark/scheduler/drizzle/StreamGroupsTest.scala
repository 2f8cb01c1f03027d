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
package org.apache.spark.scheduler.drizzle

import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.annotation.nowarn
import scala.concurrent.Await
import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel
import org.apache.spark.streaming.{Duration, LimitedNumbers, Milliseconds, StreamingContext, Time}
import org.apache.spark.streaming.dstream.{DStream, InputDStream}
import org.apache.spark.streaming.receiver.Receiver
import org.apache.spark.streaming.scheduler.{
  BatchInfo,
  StreamingListener,
  StreamingListenerBatchCompleted,
  StreamingListenerOutputOperationCompleted
}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, Timeout}
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.io.TempDir

/** Streaming applications whose batches come faster than one after the other can be run. */
@nowarn("cat=deprecation") // DStreams are what many have.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StreamGroupsTest {
  import StreamGroupsTest._

  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit =
    sc = TestCluster.start(2, "spark.streaming.gracefulStopTimeout" -> "120s")

  @AfterAll
  def stop(): Unit = if (sc != null) sc.stop()

  private def early: Long = TestCluster.source(sc).early.getCount

  private def inTurn: Long = TestCluster.source(sc).inTurn.getCount

  /** Runs an application until its batches have ended.
    *
    * @return their times
    */
  private def run(batches: Int)(declare: DStream[Int] => Unit): Seq[Long] =
    run(batches, Milliseconds(20), batches)(declare)

  /** Runs an application until some of its batches have ended. If there are more, it is stopped
    * gracefully.
    *
    * @param has how many batches have data
    */
  private def run(batches: Int, interval: Duration, has: Int)(
      declare: DStream[Int] => Unit
  ): Seq[Long] = {
    Seen.take()
    val streaming = new StreamingContext(sc, interval)
    val ended = new CountDownLatch(batches)
    streaming.addStreamingListener(new StreamingListener {
      override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit =
        ended.countDown()
    })
    val numbers = new Numbers(streaming, has)
    declare(numbers)
    streaming.start()
    try assertThat(ended.await(4, TimeUnit.MINUTES)).isTrue
    finally streaming.stop(stopSparkContext = false, stopGracefully = has > batches)
    numbers.times.asScala.toSeq
  }

  /** How many batches may be under way is learned while they run, so there may be none at first.
    *
    * @param run takes the number of the attempt
    */
  private def untilSomeBeginEarly(run: Int => Unit): Unit = untilMore(early)(run)

  private def untilMore(count: => Long)(run: Int => Unit): Unit = {
    val before = count
    val found = Iterator.range(0, 10).exists { attempt =>
      run(attempt)
      count > before
    }
    assertThat(found).isTrue
  }

  /** Sums of 60 batches that may begin early. */
  private def runSums(): Unit = {
    val times = run(60) {
      _.map(i => (i % 7, slowly(i).toLong)).reduceByKey(_ + _, 3).foreachRDD { (rdd, time) =>
        val sum = rdd.map(_._2).sum()
        Seen.add((time.milliseconds, sum.toLong))
      }
    }
    assertThat(Seen.take() == times.map(t => (t, sumOf(t)))).isTrue
    assertThat(times == times.sorted).isTrue
  }

  /** Its task never ends, and each executor has one slot. */
  @Test
  @Timeout(300)
  def nothingWaitsBehindAReceiver(): Unit = {
    val left = TestCluster.source(sc).leftToStock(Unsuited.Receiver)
    val before = left.getCount
    val streaming = new StreamingContext(sc, Milliseconds(100))
    streaming.receiverStream(new Ones).foreachRDD { rdd =>
      val n = rdd.count()
      if (n > 0) {
        Ended.received.countDown()
      }
    }
    streaming.start()
    try {
      assertThat(Ended.received.await(2, TimeUnit.MINUTES)).isTrue
      assertThat(left.getCount - before).isEqualTo(1)
      val recalled = TestCluster.source(sc).recalled
      val recalledBefore = recalled.getCount
      val small = sc.parallelize(0 until 40, 4).map(i => (i % 3, i)).reduceByKey(_ + _, 3)
      assertThat(small.values.sum()).isEqualTo(780.0)
      // They were sent where they can run.
      assertThat(recalled.getCount).isEqualTo(recalledBefore)
      def job = sc.parallelize(0 until 40, 4).map(i => (i % 3, i)).reduceByKey(_ + _, 3)
      val results = (1 to 20).map { i =>
        if (i % 2 == 0) job.collectAsync() else TestCluster.switchedOff(sc)(job.collectAsync())
      }
      for (result <- results)
        assertThat(Await.result(result, 1.minute).map(_._2).sum).isEqualTo(780)
    } finally streaming.stop(stopSparkContext = false)
  }

  @Test
  @Timeout(300)
  def batchesBeginBeforeOthersEndAndEndInOrder(): Unit = {
    val before = inTurn
    untilSomeBeginEarly(_ => runSums())
    assertThat(inTurn).isEqualTo(before)
  }

  @Test
  @Timeout(300)
  def batchesAreLeftToSparkIfTheThreadThatStartsThemAsksForIt(): Unit = {
    def left = TestCluster.source(sc).leftToStock(Unsuited.SwitchedOff).getCount
    TestCluster.switchedOff(sc) {
      // Nobody knows before its first job that an operation's thread has asked for it, so some begin early.
      untilMore(inTurn) { _ =>
        val leftBefore = left
        runSums()
        // Each batch has two stages.
        assertThat(left - leftBefore).isEqualTo(120L)
      }
    }
  }

  @Test
  @Timeout(300)
  def aBatchSeesWhatThoseBeforeItLeftInTheDriver(): Unit = {
    val (earlyBefore, inTurnBefore) = (early, inTurn)
    var total = 0L
    val counter = sc.longAccumulator
    var least = 0L
    val times = run(40) { numbers =>
      numbers.foreachRDD(rdd => total += rdd.map(slowly).count())
      // What the tasks are given is what the batch before has left.
      numbers.foreachRDD { rdd =>
        val n = rdd.filter(slowly(_) >= least).count()
        Seen.add(n)
        least = n % 5
      }
      numbers.foreachRDD { rdd =>
        rdd.map { i => counter.add(1); i }.count()
        Seen.add(-counter.value)
      }
    }
    assertThat(total).isEqualTo(times.size * PerBatch.toLong)
    val (counts, counted) = Seen.take().map(_.asInstanceOf[Long]).partition(_ >= 0)
    assertThat(counted == times.indices.map(i => -(i + 1L) * PerBatch)).isTrue
    val expected = times.scanLeft((0L, 0L)) { case ((_, above), time) =>
      val n = numbersOf(time).count(_ >= above).toLong
      (n, n % 5)
    }
    assertThat(counts == expected.tail.map(_._1)).isTrue
    assertThat(early - earlyBefore).isZero
    assertThat(inTurn - inTurnBefore).isGreaterThan(0)
  }

  @Test
  @Timeout(300)
  def aBatchSeesWhatThoseBeforeItLeftAlsoInFrontOfAShuffle(): Unit =
    untilMore(inTurn) { _ =>
      var base = 0L
      val times = run(60) {
        _.map(i => (i % 7, slowly(i) + base)).reduceByKey(_ + _, 3).foreachRDD { rdd =>
          val sum = rdd.map(_._2).sum()
          Seen.add(sum.toLong)
          base = sum.toLong % 5
        }
      }
      val expected = times
        .scanLeft((0L, 0L)) { case ((_, base), time) =>
          val sum = sumOf(time) + PerBatch * base
          (sum, sum % 5)
        }
        .tail
        .map(_._1)
      assertThat(Seen.take().asJava).isEqualTo(expected.asJava)
    }

  /** As the RDDs of Kafka's direct streams, which know from their offsets how many records they have. */
  @Test
  @Timeout(300)
  def batchesThatNeedNoJobWaitForTheirTurn(): Unit = {
    val before = early
    val times = run(40, Milliseconds(20), Int.MaxValue) { numbers =>
      numbers.transform(rdd => new Counted(rdd)).foreachRDD { (rdd, time) =>
        val n = rdd.count()
        Seen.add((time.milliseconds, n))
        val sum = rdd.map(i => slowly(i).toLong).sum()
        Seen.add((time.milliseconds, sum.toLong))
      }
    }
    val expected = times.flatMap(t => Seq((t, PerBatch.toLong), (t, sumOf(t))))
    assertThat(Seen.take() == expected).isTrue
    run(40, Milliseconds(20), Int.MaxValue)(_.transform(rdd => new Counted(rdd)).print(1))
    assertThat(early - before).isZero
  }

  /** As one to which the function tells the offsets that it has done. */
  @Test
  @Timeout(300)
  def aStreamMayBeTakenAlongForWhatComesAfterTheJob(): Unit =
    untilSomeBeginEarly { _ =>
      val times = run(60) { numbers =>
        numbers.foreachRDD { (rdd, time) =>
          val sum = rdd.map(i => slowly(i).toLong).sum()
          Seen.add((time.milliseconds, sum.toLong, numbers.slideDuration))
        }
      }
      assertThat(Seen.take() == times.map(t => (t, sumOf(t), Milliseconds(20)))).isTrue
    }

  @Test
  @Timeout(300)
  def printedBatchesBeginEarly(): Unit =
    untilSomeBeginEarly(_ => run(40)(_.map(slowly).print(1)))

  /** Or whoever looks whether an application keeps up would be told that it does not. */
  @Test
  @Timeout(300)
  def batchesUnderWayAtOnceAreToldToBeProcessedOneAfterTheOther(): Unit = {
    val told = new ConcurrentLinkedQueue[BatchInfo]
    var withMany = 0L
    untilMore(withMany) { _ =>
      told.clear()
      val before = early
      run(60) { numbers =>
        numbers.context.addStreamingListener(new StreamingListener {
          override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit =
            told.add(event.batchInfo)
        })
        val slow = numbers.map(i => (i % 7, slowly(i).toLong)).reduceByKey(_ + _, 3)
        slow.foreachRDD { rdd =>
          val n = rdd.count()
          Seen.add(n)
        }
        slow.foreachRDD { rdd =>
          val sum = rdd.values.sum()
          Seen.add(sum)
        }
      }
      Seen.take()
      if (early - before > 20) {
        withMany += 1
      }
    }
    val batches = told.asScala.toSeq
    val operations = batches.flatMap(_.outputOperationInfos.toSeq.sortBy(_._1).map(_._2))
    assertThat(operations.size).isEqualTo(2 * batches.size)
    val overlapping = operations.zip(operations.tail).count { case (before, after) =>
      after.startTime.get < before.endTime.get
    }
    // Some may have been told to begin late.
    assertThat(overlapping).isLessThan(3)
    for (batch <- batches) {
      val first = batch.outputOperationInfos(0).startTime.get
      assertThat(math.abs(first - batch.processingStartTime.get)).isLessThan(100L)
    }
  }

  /** There is always more than can be done. */
  @Test
  @Timeout(300)
  def aRateThatIsEstimatedKeepsBatchesUnderWayFromPilingUp(): Unit = untilSomeBeginEarly { _ =>
    Seen.take()
    val interval = Milliseconds(100)
    val streaming = new StreamingContext(sc, interval)
    // Twenty after the first hundred, one after the other. Something else may keep the processor busy for a while.
    @volatile var inTime = Vector.empty[BatchInfo]
    val ended = new CountDownLatch(1)
    streaming.addStreamingListener(new StreamingListener {
      private var before = 0

      override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit =
        if (before < 100) before += 1
        else if (inTime.size < 20) {
          val isInTime = event.batchInfo.totalDelay.get < 20 * interval.milliseconds
          inTime = if (isInTime) inTime :+ event.batchInfo else Vector.empty
          if (inTime.size == 20) ended.countDown()
        }
    })
    val numbers = new LimitedNumbers(streaming, atFirst = 50)
    numbers
      .map(i => (i % 7, slowly(i.toInt).toLong))
      .reduceByKey(_ + _, 3)
      .foreachRDD { rdd =>
        val sum = rdd.map(_._2).sum()
        Seen.add(sum.toLong)
      }
    streaming.start()
    try assertThat(ended.await(4, TimeUnit.MINUTES)).isTrue
    finally streaming.stop(stopSparkContext = false, stopGracefully = true)
    val bounds = numbers.sizes.asScala.toSeq.scanLeft(0L)(_ + _)
    val expected = bounds.zip(bounds.tail).map { case (from, to) => (from until to).sum }
    assertThat(Seen.take() == expected).isTrue
    // Ten are the least that is allowed, and two executors can do no more than 400.
    assertThat(inTime.map(_.numRecords).sum / 20).isBetween(11L, 500L)
  }

  @Test
  @Timeout(300)
  def aGracefulStopEndsAllBatches(): Unit = {
    val times = run(10, Milliseconds(100), Int.MaxValue) {
      _.map(slowly).foreachRDD { (rdd, time) =>
        val sum = rdd.map(_.toLong).sum()
        Seen.add((time.milliseconds, sum.toLong))
      }
    }
    assertThat(Seen.take() == times.map(t => (t, sumOf(t)))).isTrue
  }

  @Test
  @Timeout(300)
  def windowsAndStateAreExact(@TempDir directory: Path): Unit = {
    sc.setCheckpointDir(directory.toString)
    val times = run(8, Milliseconds(400), Int.MaxValue) { numbers =>
      numbers.context.checkpoint(directory.toString)
      val pairs = numbers.map(i => ("all", slowly(i).toLong))
      pairs
        .updateStateByKey((now: Seq[Long], all: Option[Long]) => Some(all.getOrElse(0L) + now.sum))
        .foreachRDD { (rdd, time) =>
          val state = rdd.collectAsMap()
          Seen.add((time.milliseconds, "state", state("all")))
        }
      pairs
        .reduceByKeyAndWindow((a: Long, b: Long) => a + b, Milliseconds(1200), Milliseconds(400))
        .foreachRDD { (rdd, time) =>
          val windowed = rdd.collectAsMap()
          Seen.add((time.milliseconds, "window", windowed("all")))
        }
    }
    val expected = times.indices.flatMap { i =>
      Seq(
        (times(i), "state", times.take(i + 1).map(sumOf).sum),
        (times(i), "window", times.slice(i - 2, i + 1).map(sumOf).sum)
      )
    }
    assertThat(Seen.take() == expected).isTrue
  }

  @Test
  @Timeout(300)
  def eachBatchWritesItsFiles(@TempDir directory: Path): Unit =
    untilSomeBeginEarly { attempt =>
      val prefix = directory.resolve(s"numbers$attempt").toString
      run(20)(_.map(slowly).saveAsTextFiles(prefix)).foreach { time =>
        val files = Files.list(Path.of(s"$prefix-$time")).iterator.asScala.toSeq
        val lines = files
          .filter(_.getFileName.toString.startsWith("part-"))
          .sorted
          .flatMap(Files.readAllLines(_).asScala)
        assertThat(lines == numbersOf(time).map(_.toString)).isTrue
      }
    }

  @Test
  @Timeout(300)
  def anOperationThatFailsBeforeItsJobIsToldInItsTurn(): Unit = untilSomeBeginEarly { _ =>
    val streaming = new StreamingContext(sc, Milliseconds(20))
    val told = new ConcurrentLinkedQueue[(Long, Int, Boolean)]
    val ended = new CountDownLatch(40)
    streaming.addStreamingListener(new StreamingListener {
      override def onOutputOperationCompleted(
          event: StreamingListenerOutputOperationCompleted
      ): Unit = {
        val operation = event.outputOperationInfo
        val hasFailed = operation.failureReason.isDefined
        told.add((operation.batchTime.milliseconds, operation.id, hasFailed))
        ended.countDown()
      }
    })
    val numbers = new Numbers(streaming, 20)
    val none = Seq.empty[Int].size
    numbers.foreachRDD { rdd =>
      val sum = rdd.map(i => slowly(i).toLong).sum()
      Seen.add(sum.toLong)
    }
    numbers.foreachRDD { rdd =>
      val n = rdd.repartition(none).count()
      Seen.add(n)
    }
    streaming.start()
    try assertThat(ended.await(4, TimeUnit.MINUTES)).isTrue
    finally streaming.stop(stopSparkContext = false, stopGracefully = false)
    val expected = numbers.times.asScala.toSeq.flatMap(t => Seq((t, 0, false), (t, 1, true)))
    assertThat(told.asScala.toSeq == expected).isTrue
  }

  @Test
  @Timeout(300)
  def aBatchThatFailsIsToldInItsTurnAndOthersGoOn(): Unit = {
    val streaming = new StreamingContext(sc, Milliseconds(20))
    val ended = new CountDownLatch(20)
    val numbers = new Numbers(streaming, Int.MaxValue)
    val failing = numbers.map { i =>
      slowly(i)
      require(i != Fails, "This task is meant to fail")
      i
    }
    failing.foreachRDD { (rdd, time) =>
      val sum = rdd.map(_.toLong).sum()
      Ended.sums.add((time.milliseconds, sum.toLong))
      Ended.latch.countDown()
    }
    Ended.latch = ended
    streaming.start()
    try {
      assertThat(ended.await(4, TimeUnit.MINUTES)).isTrue
      val thrown = scala.util.Try(streaming.awaitTerminationOrTimeout(1000))
      assertThat(thrown.isFailure).isTrue
      assertThat(thrown.failed.get.getMessage).contains("meant to fail")
    } finally streaming.stop(stopSparkContext = false, stopGracefully = false)
    val seen = Ended.sums.asScala.toSeq
    val times = seen.map(_._1)
    assertThat(times == times.sorted).isTrue
    assertThat(seen.forall { case (time, sum) => sum == sumOf(time) }).isTrue
    assertThat(seen.exists { case (time, _) => numbersOf(time).contains(Fails) }).isFalse
  }
}

@nowarn("cat=deprecation")
private object StreamGroupsTest {
  val PerBatch = 20

  /** Every ninth batch has it. */
  val Fails = 8

  def numbersOf(time: Long): Seq[Int] = {
    val seed = (time / 20 % 9).toInt
    (0 until PerBatch).map(i => if (i == 7) seed else 10 + (seed + i) % 13)
  }

  def sumOf(time: Long): Long = numbersOf(time).map(_.toLong).sum

  /** Takes half a millisecond, so that batches come faster than they end. */
  def slowly(i: Int): Int = {
    val until = System.nanoTime() + 500000
    while (System.nanoTime() < until) {}
    i
  }

  /** Of applications whose last batches may still go on when they have been stopped: another test must not see them. */
  object Ended {
    @volatile var latch: CountDownLatch = _
    val sums = new ConcurrentLinkedQueue[(Long, Long)]
    val received = new CountDownLatch(1)
  }

  /** Knows without a job how many there are, and which. */
  final class Counted(numbers: RDD[Int]) extends RDD[Int](numbers) {
    override def count(): Long = PerBatch.toLong

    override def take(num: Int): Array[Int] = Array.range(0, num)

    override def compute(split: Partition, context: TaskContext): Iterator[Int] =
      numbers.iterator(split, context)

    override protected def getPartitions: Array[Partition] = numbers.partitions
  }

  final class Ones extends Receiver[Int](StorageLevel.MEMORY_ONLY) {
    override def onStart(): Unit = {
      val storing: Runnable = () =>
        while (!isStopped()) {
          store(1)
          Thread.sleep(10)
        }
      new Thread(storing, "ones").start()
    }

    override def onStop(): Unit = ()
  }

  /** A few numbers for each batch. */
  final class Numbers(streaming: StreamingContext, has: Int) extends InputDStream[Int](streaming) {
    override def start(): Unit = ()

    override def stop(): Unit = ()

    /** Of all batches. */
    @transient lazy val times = new ConcurrentLinkedQueue[Long]

    override def compute(time: Time): Option[RDD[Int]] = if (times.size < has) {
      times.add(time.milliseconds)
      Some(context.sparkContext.parallelize(numbersOf(time.milliseconds), 2))
    } else {
      None
    }
  }
}
