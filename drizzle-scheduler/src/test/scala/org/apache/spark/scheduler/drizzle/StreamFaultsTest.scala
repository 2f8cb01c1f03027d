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

import java.nio.file.Path
import java.util.concurrent.ConcurrentLinkedQueue

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.streaming.{Milliseconds, StreamingContext, TestTime, Time}
import org.apache.spark.streaming.scheduler.{StreamingListener, StreamingListenerBatchCompleted}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Batches, many of them under way at once, while messages are lost, delayed and repeated, and executors end. */
@nowarn("cat=deprecation") // DStreams are what many have.
class StreamFaultsTest {
  import StreamFaultsTest._

  /** `-Dfreshet.drizzle.seed=N` for another seed, `-Dfreshet.drizzle.batches=N` for more batches. */
  @Test
  @Timeout(900)
  def batchesAreExactAndInOrderWhateverBecomesOfExecutors(@TempDir dir: Path): Unit = {
    val seed = Integer.getInteger("freshet.drizzle.seed", 3).intValue
    val waves = Integer.getInteger("freshet.drizzle.batches", 90).intValue / PerWave
    val random = new Random(seed)
    val sc = TestCluster.startMany(
      3,
      2,
      TestTime.setting,
      DrizzleKeys.FaultsSeed.key -> seed.toString,
      // Ever more batches are under way.
      DrizzleKeys.LostAtLeast.key -> "0",
      DrizzleKeys.LostAtMost.key -> "0",
      "spark.deploy.maxExecutorRetries" -> "-1",
      DrizzleKeys.LongestRehearsal.key -> "200ms"
    )
    try {
      sc.setLogLevel("ERROR")
      val deaths = new Deaths(dir)
      val streaming = new StreamingContext(sc, Interval)
      val completed = new ConcurrentLinkedQueue[(Long, Long)]
      streaming.addStreamingListener(new StreamingListener {
        override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit =
          completed.add((event.batchInfo.batchTime.milliseconds, System.currentTimeMillis()))
      })
      val numbers = new StreamGroupsTest.Numbers(streaming, Int.MaxValue)
      numbers
        .mapPartitions(deaths.watch(_, 4))
        .map(i => (i % 7, i.toLong))
        .reduceByKey(_ + _, 3)
        .mapPartitions(deaths.watch(_, 4))
        .foreachRDD { (rdd, time) =>
          val sums = rdd.collect()
          Output.add(time, sums.toMap)
        }
      numbers.mapPartitions(deaths.watch(_, 1)).foreachRDD { (rdd, time) =>
        val count = rdd.count()
        Output.add(time, count)
      }
      streaming.checkpoint(dir.resolve("checkpoint").toString)
      val state = numbers
        .map(i => (i % 7, i.toLong))
        .updateStateByKey(
          (now: Seq[Long], all: Option[Long]) => Some(all.getOrElse(0L) + now.sum),
          3
        )
      // Batches between two checkpoints read what those before them cache, or compute it again.
      state.checkpoint(Interval * 5)
      state.foreachRDD { (rdd, time) =>
        val all = rdd.collect()
        Output.add(time, all.toMap)
      }
      streaming.start()
      try {
        def early = TestCluster.source(sc).early.getCount
        def expectsBatches(wave: Int): Unit = {
          TestTime.passes(streaming, Interval * PerWave)
          TestCluster.await(completed.size == wave * PerWave)
        }
        // It is learned while they run how many may be under way.
        var wave = 0
        do {
          wave += 1
          expectsBatches(wave)
        } while (early < PerWave)
        val died = Vector.newBuilder[Died]
        for (moment <- Iterator.continually(Moment.values).flatten.take(waves)) {
          val before = early
          TestCluster.awaitAgents(sc, 2)
          val death = Death(wave.toLong, moment, random.nextInt(8), 2, random.nextInt(3) * 5)
          deaths.order(death)
          val disturbing = new Disturbances(random).begin(others = 3)
          wave += 1
          expectsBatches(wave)
          disturbing.foreach(TestCluster.awaitEnd)
          assertThat(early).isGreaterThan(before)
          died ++= deaths.settle(death)
        }
        val times = (1 to wave * PerWave).map(_ * Interval.milliseconds)
        assertThat(completed.asScala.map(_._1).toSeq.asJava).isEqualTo(times.asJava)
        assertThat(Output.all.asJava).as("Seed %s", seed).isEqualTo(times.flatMap(expected).asJava)
        val endedMs = completed.asScala.map { case (time, ms) => time.toString -> ms }.toMap
        val struck =
          died.result().map(d => d.moments.filter { case (job, _) => endedMs(job) > d.atMs })
        println(
          s"${times.size} batches, $early output operations early; ${struck.size} executors ended, with " +
            s"${struck.map(_.size).mkString(", ")} batches under way there"
        )
        assertThat(TestCluster.source(sc).following.getCount).isGreaterThan(waves.toLong)
        // Of what an executor has of a batch, not all is at one of the moments.
        assertThat(struck.count(_.size >= 2)).isGreaterThanOrEqualTo(waves / 2)
        assertThat(deaths.begun.asJava).as("Attempts that have begun").doesNotHaveDuplicates()
      } finally streaming.stop(stopSparkContext = false)
    } finally sc.stop()
  }
}

@nowarn("cat=deprecation")
private object StreamFaultsTest {
  private val Interval = Milliseconds(20)
  private val PerWave = 15

  private def expected(time: Long): Seq[(Long, Any)] = {
    val numbers = StreamGroupsTest.numbersOf(time)
    def sums(of: Seq[Int]) = of.groupMapReduce(_ % 7)(_.toLong)(_ + _)
    val all = (1L to time / Interval.milliseconds)
      .flatMap(i => StreamGroupsTest.numbersOf(i * Interval.milliseconds))
    Seq((time, sums(numbers)), (time, numbers.size.toLong), (time, sums(all)))
  }

  /** What the application has given, in that order. */
  private object Output {
    private val given = new ConcurrentLinkedQueue[(Long, Any)]

    def add(time: Time, what: Any): Unit = given.add((time.milliseconds, what))

    def all: Seq[(Long, Any)] = given.asScala.toSeq
  }
}
