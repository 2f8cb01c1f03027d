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
import java.util.Arrays
import java.util.concurrent.ConcurrentHashMap

import scala.concurrent.{Await, ExecutionContext}
import scala.concurrent.duration.{Duration, MINUTES}
import scala.jdk.CollectionConverters._
import scala.util.Random
import scala.util.control.NonFatal

import org.apache.spark.{FutureAction, Resubmitted, SparkContext, SparkEnv, TaskContext}
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd, SparkListenerTaskStart}
import org.apache.spark.util.LongAccumulator
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Jobs, many of them at once, while messages are lost, delayed and repeated, executors end at each moment that a job has
  * on them, executors and the driver stand still, and executors are slow.
  */
class FaultSchedulesTest {
  import FaultSchedulesTest._

  /** `-Dfreshet.drizzle.schedules=N` for more of them, `-Dfreshet.drizzle.seed=N` for those of one seed. */
  @Test
  @Timeout(1800)
  def jobsAreExactWhateverBecomesOfMessagesAndExecutors(@TempDir dir: Path): Unit = {
    val wanted = Integer.getInteger("freshet.drizzle.schedules", 1050).intValue
    val one = Option(Integer.getInteger("freshet.drizzle.seed")).map(_.intValue)
    val seeds = one.fold(1 to (wanted + AtOnce - 1) / AtOnce)(seed => seed to seed)
    val before = Disturbances.executors
    val sc = TestCluster.startMany(
      3,
      4,
      DrizzleKeys.FaultsSeed.key -> seeds.head.toString,
      // The faults here are no reason to give up an executor, or the application.
      "spark.deploy.maxExecutorRetries" -> "-1",
      DrizzleKeys.LongestRehearsal.key -> "200ms"
    )
    try {
      // Tasks that are meant to fail are warned of, and lost executors.
      sc.setLogLevel("ERROR")
      val deaths = new Deaths(dir)
      val told = new Told
      sc.addSparkListener(told)
      val rounds = seeds.map(seed => new Round(sc, deaths, seed).run())
      val died = rounds.flatMap(_.died)
      val struck = rounds.flatMap(_.struck)
      val counts = Moment.values.toSeq.map(moment => moment -> struck.count(_._2(moment)))
      println(
        s"${seeds.size * AtOnce} schedules; ${died.size} executors ended, with ${struck.size} jobs under way " +
          s"there: ${counts.map { case (moment, count) => s"$moment $count" }.mkString(", ")}"
      )
      sc.listenerBus.waitUntilEmpty(30000)
      assertThat(TestCluster.source(sc).sentAhead.getCount)
        .isGreaterThanOrEqualTo(seeds.size.toLong * AtOnce)
      assertThat(told.doubled.asJava).as("What listeners were told twice").isEmpty()
      assertThat(deaths.begun.asJava).as("Attempts that have begun").doesNotHaveDuplicates()
      if (one.isEmpty) {
        atLeast(seeds.size * 2 / 3, "executors that have ended", died.size)
        atLeast(seeds.size * AtOnce / 3, "jobs under way on those", struck.size)
        counts.foreach { case (moment, count) => atLeast(seeds.size / 4, moment.toString, count) }
      }
      nothingIsLeft(sc)
    } finally sc.stop()
    TestCluster.await((Disturbances.executors -- before).isEmpty)
  }

  private def atLeast(least: Int, what: String, count: Int): Unit =
    if (count < least) throw new AssertionError(s"$count $what, at least $least are expected")

  /** Neither in the driver's books nor in the executors'. */
  private def nothingIsLeft(sc: SparkContext): Unit = {
    val dispatcher = sc.dagScheduler.asInstanceOf[DrizzleDAGScheduler].dispatcher
    TestCluster.await(dispatcher.openTaskSets == 0)
    TestCluster.awaitAgents(sc, 3)
    TestCluster.await {
      val found = sc
        .parallelize(0 until 12, 12)
        .map(_ => SparkEnv.get.executorId -> TestCluster.agentHas("tasks.waiting"))
        .collect()
      found.map(_._1).distinct.length == 3 && found.forall(_._2 == 0)
    }
  }
}

private object FaultSchedulesTest {

  /** Jobs that are submitted together. */
  private val AtOnce = 75

  private val Limit = Duration(2, MINUTES)

  /** A seed's jobs, and what becomes of processes meanwhile. In three of five, an executor ends, and in one, two do, each
    * at another moment; the others, and some of those, have an executor or a driver that stands still, or a slow executor.
    */
  private final class Round(sc: SparkContext, deaths: Deaths, seed: Int) {
    private val random = new Random(seed)
    private val endedMs = new ConcurrentHashMap[String, Long]

    private val orders = {
      val count = if (seed % 5 == 0) 0 else if (seed % 5 == 1) 2 else 1
      (0 until count).map { i =>
        val moment = Moment((seed + 2 * i) % Moment.maxId)
        val isAtOnce = random.nextBoolean()
        Death(
          2L * seed + i,
          moment,
          random.nextInt(if (Often(moment)) 60 else 3),
          1 + random.nextInt(4),
          if (isAtOnce || !Often(moment)) 0 else 1 + random.nextInt(30)
        )
      }
    }

    /** The executors that have ended. */
    var died: Seq[Died] = Seq.empty

    /** Jobs that were under way on executors that have ended, and how far they had come there. */
    def struck: Map[String, Set[Moment.Value]] = {
      val found = for {
        one <- died
        (job, moments) <- one.moments.toSeq if endedMs.getOrDefault(job, 0L) > one.atMs
        moment <- moments.toSeq
      } yield job -> moment
      found.groupMap(_._1)(_._2).view.mapValues(_.toSet).toMap
    }

    def run(): Round =
      try {
        TestCluster.awaitAgents(sc, 2)
        deaths.hold()
        val submitted = (0 until AtOnce).map { number =>
          val job = new Job(seed, number)
          val (result, counter) = job.submit(sc, deaths)
          result.onComplete(_ => endedMs.put(job.name, System.currentTimeMillis()))(
            ExecutionContext.parasitic
          )
          (job, (result, counter))
        }
        orders.foreach(deaths.order)
        deaths.release()
        val disturbing =
          new Disturbances(random).begin(others = if (orders.nonEmpty) 3 else 0)
        submitted.foreach { case (job, (result, counter)) =>
          assertThat(Await.result(result, Limit).toMap.asJava)
            .as("Result of job %s", job)
            .isEqualTo(job.expected.asJava)
          assertThat(counter.map(_.value.toLong).toSeq.asJava)
            .as("What job %s has counted", job)
            .isEqualTo(counter.map(_ => Records.toLong).toSeq.asJava)
        }
        disturbing.foreach(TestCluster.awaitEnd)
        died = orders.flatMap(deaths.settle(_))
        this
      } catch {
        // Also of time that is over.
        case e @ (_: AssertionError | NonFatal(_)) =>
          val open = sc.dagScheduler.asInstanceOf[DrizzleDAGScheduler].dispatcher.openTaskSets
          throw new AssertionError(
            s"-Dfreshet.drizzle.seed=$seed, with $orders and $open open task sets: $e",
            e
          )
      }
  }

  /** When many jobs are under way, one of them always is at such a moment. */
  private val Often = Set(Moment.SkeletonSent, Moment.MapRunning, Moment.MapAnnounced)

  private val Records = 60

  /** Two stages, or three, of a few small tasks. Some fail at first, some have long outputs, which stay where they were
    * made, and some count what they make results of.
    */
  private final class Job(seed: Int, number: Int) {
    private val random = new Random(seed * 1000L + number)
    private val maps = 1 + random.nextInt(4)
    private val reduces = 1 + random.nextInt(4)
    private val isLong = random.nextInt(5) == 0
    private val isDeep = random.nextInt(4) == 0
    private val fails = random.nextInt(4) == 0
    private val counts = random.nextInt(3) == 0
    private val restMs = random.nextInt(16)

    val name: String = s"$seed-$number"

    def submit(
        sc: SparkContext,
        deaths: Deaths
    ): (FutureAction[Seq[(Int, Long)]], Option[LongAccumulator]) = {
      Deaths.label(sc, name)
      // A job itself cannot be serialized.
      val (restMs, fails, number, length) = (this.restMs, this.fails, this.number, this.length)
      val counter = Option.when(counts)(sc.longAccumulator)
      val first = sc
        .parallelize(0 until Records, maps)
        .mapPartitions(deaths.watch(_, restMs))
        .map { i =>
          val isFirst = TaskContext.get().attemptNumber() == 0
          require(!fails || !isFirst || i % 20 != 7, "This task is meant to fail")
          (i % Keys, payload(i, number, length))
        }
        .groupByKey(reduces)
      val last =
        if (isDeep) {
          first
            .mapPartitions(deaths.watch(_, restMs))
            .flatMap { case (key, payloads) => payloads.map(key % FewKeys -> _) }
            .groupByKey(1 + reduces % 3)
        } else {
          first
        }
      val result = last
        .mapPartitions(deaths.watch(_, restMs))
        .map { case (key, payloads) =>
          counter.foreach(_.add(payloads.size.toLong))
          (key, payloads.map(digest).sum)
        }
        .collectAsync()
      Deaths.label(sc, null)
      (result, counter)
    }

    def expected: Map[Int, Long] = (0 until Records)
      .groupMapReduce(i => if (isDeep) i % Keys % FewKeys else i % Keys)(i =>
        digest(payload(i, number, length))
      )(_ + _)

    private def length: Int = if (isLong) 6000 else 1

    override def toString: String =
      s"$name ($maps maps, $reduces reduces, long $isLong, deep $isDeep, fails $fails, counts $counts)"
  }

  private val Keys = 7
  private val FewKeys = 3

  /** Bytes that do not get fewer when they are compressed. */
  private def payload(i: Int, number: Int, length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    new Random(i * 1000L + number).nextBytes(bytes)
    bytes
  }

  private def digest(bytes: Array[Byte]): Long = Arrays.hashCode(bytes).toLong

  /** How often listeners were told of a task's begin and its end. */
  private final class Told extends SparkListener {
    private val starts, ends = new ConcurrentHashMap[Long, Int]

    override def onTaskStart(e: SparkListenerTaskStart): Unit =
      starts.merge(e.taskInfo.taskId, 1, _ + _)

    /** It has ended, and its output is lost: that is told besides. */
    override def onTaskEnd(e: SparkListenerTaskEnd): Unit =
      if (e.reason != Resubmitted) ends.merge(e.taskInfo.taskId, 1, _ + _)

    def doubled: Seq[String] = Seq("begin" -> starts, "end" -> ends).flatMap { case (what, times) =>
      times.asScala.collect { case (taskId, count) if count > 1 => s"the $what of task $taskId" }
    }
  }
}
