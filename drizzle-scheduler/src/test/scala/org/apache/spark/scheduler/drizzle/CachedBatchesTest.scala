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
import java.util.UUID
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.spark.{HashPartitioner, SparkContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.{Duration, ManualBatches, Milliseconds, State, StateSpec}
import org.apache.spark.streaming.{StreamingContext, Time}
import org.apache.spark.streaming.dstream.{DStream, InputDStream}
import org.apache.spark.streaming.scheduler.{StreamingListener, StreamingListenerBatchCompleted}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterEach, Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Batches with state and windows, which read what the batches before them cache, and are under way at once with
  * those.
  */
@nowarn("cat=deprecation") // DStreams are what many have.
class CachedBatchesTest {
  import CachedBatchesTest._

  private var sc: SparkContext = _

  @AfterEach
  def stop(): Unit = if (sc != null) sc.stop()

  private def start(more: (String, String)*): Unit = {
    val settings = ManualBatches.settings ++ Seq("spark.freshet.drizzle.group.size" -> "4")
    sc = TestCluster.start(2, settings ++ more: _*)
  }

  private def count(of: DrizzleSource => com.codahale.metrics.Counter): Long =
    of(TestCluster.source(sc)).getCount

  /** Runs an application of batches that are all due at once, but for the first.
    *
    * @param meanwhile done when they are due
    * @return what it has seen
    */
  private def run(batches: Int, directory: Path, meanwhile: () => Unit = () => ())(
      declare: DStream[(Int, Long)] => Unit
  ): Seq[Any] = {
    Seen.take()
    val streaming = new StreamingContext(sc, Interval)
    streaming.checkpoint(directory.resolve("checkpoint").toString)
    val ended = new CountDownLatch(batches)
    streaming.addStreamingListener(new StreamingListener {
      override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit =
        ended.countDown()
    })
    declare(new Pairs(streaming))
    val due = new ManualBatches(streaming)
    streaming.start()
    try {
      // The first job lets batches be under way at once.
      due.come(1)
      TestCluster.await(ended.getCount == batches - 1)
      due.come(batches - 1)
      meanwhile()
      assertThat(ended.await(4, TimeUnit.MINUTES)).isTrue
    } finally streaming.stop(stopSparkContext = false, stopGracefully = false)
    Seen.take()
  }

  private def times(batches: Int): Seq[Long] = (1 to batches).map(_ * Interval.milliseconds)

  /** Each update leaves a file, of which there must be one for each batch and key. */
  @Test
  @Timeout(300)
  def stateIsUpdatedOnceByBatchesThatAreUnderWayAtOnce(@TempDir directory: Path): Unit = {
    start()
    val updates = Files.createDirectory(directory.resolve("updates"))
    val marks = updates.toString
    val seen = run(40, directory) { pairs =>
      val state = pairs.updateStateByKey(
        (time: Time, key: Int, now: Seq[Long], all: Option[Long]) => {
          mark(marks, s"${time.milliseconds}-$key")
          Some(all.getOrElse(0L) + now.sum)
        },
        new HashPartitioner(Keys),
        rememberPartitioner = true
      )
      state.checkpoint(Interval * 10)
      state.foreachRDD { (rdd, time) =>
        val all = rdd.collect()
        Seen.add((time.milliseconds, all.toSeq.sorted))
      }
    }
    val expected = times(40).map(time => (time, stateAt(time)))
    assertThat(seen.asJava).isEqualTo(expected.asJava)
    assertThat(marksIn(updates).asJava)
      .isEqualTo(times(40).flatMap(t => (0 until Keys).map(k => s"$t-$k")).sorted.asJava)
    assertThat(count(_.early)).isGreaterThan(20)
    assertThat(count(_.following)).isGreaterThan(20)
  }

  /** What waits for the batch before it leaves the other slot to others. */
  @Test
  @Timeout(300)
  def aTaskThatFollowsAnotherHoldsNoSlot(@TempDir directory: Path): Unit = {
    val settings = ManualBatches.settings ++ Seq("spark.freshet.drizzle.group.size" -> "4")
    sc = TestCluster.startMany(1, 2, settings: _*)
    val gate = Files.createFile(directory.resolve("gate")).toString
    val begun = Files.createFile(directory.resolve("begun")).toString
    val meanwhile = () => {
      Gate.await(begun)
      TestCluster.await(count(_.following) == 1)
      assertThat(sc.parallelize(1 to 10, 3).map(_ + 1).sum()).isEqualTo(65.0)
      Files.delete(Path.of(gate))
    }
    val seen = run(3, directory, meanwhile) { pairs =>
      val state = pairs.updateStateByKey(
        (time: Time, _: Int, now: Seq[Long], all: Option[Long]) => {
          if (time.milliseconds == 2 * Interval.milliseconds) {
            Files.deleteIfExists(Path.of(begun))
            Gate.await(gate)
          }
          Some(all.getOrElse(0L) + now.sum)
        },
        new HashPartitioner(1),
        rememberPartitioner = true
      )
      state.foreachRDD { (rdd, time) =>
        val all = rdd.collect()
        Seen.add((time.milliseconds, all.toSeq.sorted))
      }
    }
    assertThat(seen.asJava).isEqualTo(times(3).map(time => (time, stateAt(time))).asJava)
  }

  /** Only of these are executors told. */
  @Test
  @Timeout(300)
  def batchesLeaveNothingThatTheyHaveCached(@TempDir directory: Path): Unit = {
    start()
    val batches = 20
    def cachedRdds: Int = sc.env.blockManager.master
      .getMatchingBlockIds(_.isRDD, askStorageEndpoints = true)
      .flatMap(_.asRDDId)
      .map(_.rddId)
      .distinct
      .length
    val meanwhile = () => {
      // The input and what follows the cached ones; of the last batches, Spark keeps them.
      TestCluster.await(count(_.removalsSpared) >= 2 * (batches - 2))
      TestCluster.await(cachedRdds <= 2)
    }
    val seen = run(batches, directory, meanwhile) { pairs =>
      val cached = pairs.mapValues(_ + 1).cache()
      cached.foreachRDD { (rdd, time) =>
        val n = rdd.count()
        Seen.add((time.milliseconds, n))
      }
      cached.mapValues(_ * 2).foreachRDD { (rdd, time) =>
        val n = rdd.count()
        Seen.add((time.milliseconds, n))
      }
    }
    val expected = times(batches).flatMap(time => Seq.fill(2)((time, pairsOf(time).size.toLong)))
    assertThat(seen.asJava).isEqualTo(expected.asJava)
  }

  @Test
  @Timeout(300)
  def allThatCachesIsExact(@TempDir directory: Path): Unit = {
    start()
    val seen = run(45, directory) { pairs =>
      pairs
        .reduceByKeyAndWindow((a: Long, b: Long) => a + b, Interval * 5, Interval, Keys)
        .foreachRDD { (rdd, time) =>
          val all = rdd.collect()
          Seen.add((time.milliseconds, "window", all.toSeq.sorted))
        }
      pairs
        .reduceByKeyAndWindow((a: Long, b: Long) => a + b, _ - _, Interval * 7, Interval * 2, Keys)
        .foreachRDD { (rdd, time) =>
          val all = rdd.collect()
          Seen.add((time.milliseconds, "inverse", all.toSeq.sorted))
        }
      val update = (_: Int, now: Option[Long], sum: State[Long]) => {
        val next = sum.getOption.getOrElse(0L) + now.getOrElse(0L)
        sum.update(next)
        next
      }
      pairs
        .mapWithState(StateSpec.function(update).numPartitions(3))
        .stateSnapshots()
        .foreachRDD { (rdd, time) =>
          val all = rdd.collect()
          Seen.add((time.milliseconds, "mapped", all.toSeq.sorted))
        }
      val cached = pairs.mapValues(_ + 1).cache()
      cached.foreachRDD { (rdd, time) =>
        val n = rdd.count()
        Seen.add((time.milliseconds, "count", n))
      }
      cached.reduceByKey(_ + _, 3).foreachRDD { (rdd, time) =>
        val all = rdd.collect()
        Seen.add((time.milliseconds, "sums", all.toSeq.sorted))
      }
    }
    val expected = times(45).flatMap { time =>
      val before = times(45).filter(_ <= time)
      def window(batches: Int) = sums(before.takeRight(batches))
      val inverse =
        if (time / Interval.milliseconds % 2 == 0) Seq((time, "inverse", window(7))) else Seq.empty
      Seq((time, "window", window(5))) ++ inverse ++ Seq(
        (time, "mapped", sums(before)),
        (time, "count", pairsOf(time).size.toLong),
        (time, "sums", pairsOf(time).groupMapReduce(_._1)(_._2 + 1)(_ + _).toSeq.sorted)
      )
    }
    assertThat(seen.asJava).isEqualTo(expected.asJava)
    assertThat(count(_.early)).isGreaterThan(45)
    assertThat(count(_.following)).isGreaterThan(45)
  }
}

@nowarn("cat=deprecation")
private object CachedBatchesTest {
  val Interval: Duration = Milliseconds(20)
  val Keys = 4

  def pairsOf(time: Long): Seq[(Int, Long)] =
    (0 until 20).map(i => (i % Keys, time / 20 * 31 + i))

  def sums(times: Seq[Long]): Seq[(Int, Long)] =
    times.flatMap(pairsOf).groupMapReduce(_._1)(_._2)(_ + _).toSeq.sorted

  def stateAt(time: Long): Seq[(Int, Long)] =
    sums((1L to time / Interval.milliseconds).map(_ * Interval.milliseconds))

  /** Leaves a file that tells that something was done. */
  def mark(directory: String, what: String): Unit =
    Files.createFile(Path.of(directory, s"$what-${UUID.randomUUID.toString.replace("-", "")}"))

  /** What was marked, as often as it was. */
  def marksIn(directory: Path): Seq[String] = {
    val files = Files.list(directory)
    try
      files.iterator.asScala
        .map(_.getFileName.toString)
        .map(name => name.take(name.lastIndexOf('-')))
        .toSeq
        .sorted
    finally files.close()
  }

  private final class Pairs(streaming: StreamingContext)
      extends InputDStream[(Int, Long)](streaming) {
    override def start(): Unit = ()

    override def stop(): Unit = ()

    override def compute(time: Time): Option[RDD[(Int, Long)]] =
      Some(context.sparkContext.parallelize(pairsOf(time.milliseconds), 3).map { pair =>
        Thread.sleep(1)
        pair
      })
  }
}
