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

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.concurrent.{Callable, CountDownLatch, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.Await
import scala.concurrent.duration.Duration
import scala.jdk.CollectionConverters._
import scala.util.Random

import com.sun.management.ThreadMXBean
import org.apache.spark.{HashPartitioner, Partition, SparkContext, SparkEnv, SparkException}
import org.apache.spark.{Success, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler._
import org.apache.spark.serializer.JavaSerializer
import org.apache.spark.storage.StorageLevel
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.{AfterAll, BeforeAll, BeforeEach, Test, TestInstance, Timeout}
import org.junit.jupiter.api.io.TempDir

/** Jobs over executors that are processes; the oracle is Scala's collections. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PreSchedulingTest {
  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = sc = TestCluster.start()

  @AfterAll
  def stop(): Unit = sc.stop()

  @BeforeEach
  def tasksAreSentInTurn(): Unit = TestCluster.awaitEvenShares(sc)

  private def source: DrizzleSource = TestCluster.source(sc)

  private def words(seed: Int, count: Int, partitions: Int): (Seq[String], RDD[String]) = {
    val random = new Random(seed)
    val words = Seq.fill(count)(s"w${random.nextInt(50)}")
    (words, sc.parallelize(words, partitions))
  }

  private def counts(words: Seq[String]): Map[String, Int] =
    words.groupMapReduce(identity)(_ => 1)(_ + _)

  @Test
  def allStagesOfAJobGoOutInOneMessageToEachExecutor(): Unit = {
    val (input, rdd) = words(1, 1000, 4)
    def counters = Seq(source.sentAhead, source.messages, source.recalled).map(_.getCount)
    // On a slow machine, a task may wait so long that it is moved, which takes another message.
    val increments = Iterator.continually {
      val before = counters
      val counted = rdd.map((_, 1)).reduceByKey(_ + _, 3)
      val byCount = counted.map(_.swap).groupByKey(2).mapValues(_.toSeq.sorted)
      assertThat(byCount.collect().toMap)
        .isEqualTo(counts(input).groupMap(_._2)(_._1).view.mapValues(_.toSeq.sorted).toMap)
      counters.zip(before).map { case (now, before) => now - before }
    }
    assertThat(increments.take(20).find(_.last == 0)).isEqualTo(Some(Seq(2L, 2L, 0L)))
  }

  @Test
  def tasksThatAreTooLongForOneMessageGoInSeveral(): Unit = {
    val random = new Random(1)
    val data = Seq.fill(12)(random.nextBytes(4 << 20))
    val before = source.messages.getCount
    val sums = sc.parallelize(data, 12).map(bytes => (bytes(0) % 3, bytes.length.toLong))
    assertThat(sums.reduceByKey(_ + _, 2).values.sum().toLong).isEqualTo(12L * (4 << 20))
    assertThat(source.messages.getCount - before).isGreaterThanOrEqualTo(4L)
  }

  @Test
  def whatCannotBeSentFailsItsJobAndNoOther(): Unit = {
    val (input, rdd) = words(2, 100, 4)
    def counted = rdd.map((_, 1)).reduceByKey(_ + _, 3).collect().toMap
    val properties = sc.localProperties.get
    properties.put("unserializable", new Object)
    try
      assertThatThrownBy(() => counted)
        .isInstanceOf(classOf[SparkException])
        .hasMessageContaining("can't be sent to executor")
    finally properties.remove("unserializable")
    assertThat(counted).isEqualTo(counts(input))
  }

  @Test
  def tasksThatSparkSendsItselfShareTheSlots(): Unit = {
    val left = source.leftToStock(Unsuited.Barrier).getCount
    val ours = Seq.fill(10)(sc.parallelize(1 to 8, 8).map(_ => AtOnce.mostWhile()).collectAsync())
    // Spark runs stages with barriers itself.
    val barriers = Seq.fill(4) {
      sc.parallelize(1 to 2, 2)
        .barrier()
        .mapPartitions(_ => Iterator(AtOnce.mostWhile()))
        .collectAsync()
    }
    val most = (ours ++ barriers).flatMap(Await.result(_, Duration(60, TimeUnit.SECONDS)))
    assertThat(most.size).isEqualTo(88)
    // Each executor has one core.
    assertThat(most.max).isEqualTo(1)
    assertThat(source.leftToStock(Unsuited.Barrier).getCount - left).isEqualTo(4)
  }

  /** The sum of a number that each executor has. */
  private def ofExecutors(number: => Long): Long = sc
    .parallelize(0 until 8, 8)
    .map(_ => SparkEnv.get.executorId -> number)
    .collect()
    .toMap
    .values
    .sum

  @Test
  def batchesThatDifferInNumbersHaveTheirOwn(): Unit = {
    def alike = ofExecutors(TestCluster.agentHas("stages.alike"))
    val before = alike
    val numbers = 0 until 100
    for (batch <- 1 to 40) {
      val limits = new Limits(batch.toLong, batch * 0.25)
      val sums = sc
        .parallelize(numbers, 4)
        .filter(_ >= limits.least)
        .map(i => (i % 5, i * limits.factor))
        .reduceByKey(_ + _, 3)
        .mapValues(_ - limits.least)
      val expected = numbers
        .filter(_ >= batch)
        .groupMapReduce(_ % 5)(_ * (batch * 0.25))(_ + _)
        .map { case (key, sum) => key -> (sum - batch) }
      assertThat(sums.collect().toMap).isEqualTo(expected)
    }
    // Two stages of each on two executors, but for the first ones.
    assertThat(alike - before).isGreaterThan(100L)
  }

  @Test
  def aTaskFollowsAnotherOnItsThread(): Unit = {
    def complete = ofExecutors {
      SparkEnv.get.metricsSystem
        .getSourcesByName("executor")
        .head
        .metricRegistry
        .getGauges
        .get("threadpool.completeTasks")
        .getValue
        .asInstanceOf[Long]
    }
    val before = complete
    val ran = sc
      .parallelize(0 until 200, 200)
      .map { _ =>
        (SparkEnv.get.executorId, TaskContext.get().taskAttemptId(), Thread.currentThread.getId)
      }
      .collect()
    val followed = ran
      .groupMap(_._1)(task => (task._2, task._3))
      .values
      .map { tasks =>
        val threads = tasks.sortBy(_._1).map(_._2)
        threads.zip(threads.drop(1)).count { case (one, next) => one == next }
      }
      .sum
    assertThat(followed).isGreaterThan(100)
    // What Spark's metrics say of its threads stays true. Those that ask run meanwhile.
    assertThat(complete - before).isBetween(200L, 216L)
  }

  @Test
  def tasksMoveToAnExecutorThatHasNothingToDo(): Unit = {
    val recalled = source.recalled.getCount
    // The tasks are sent to the executors in turn.
    val places = sc
      .parallelize(0 until 16, 16)
      .map { i =>
        Thread.sleep(if (i % 2 == 0) 300 else 1)
        (i % 2 == 0, SparkEnv.get.executorId, TaskContext.get().attemptNumber())
      }
      .collect()
    assertThat(places.filter(_._1).map(_._2).distinct.length).isEqualTo(2)
    assertThat(source.recalled.getCount).isGreaterThan(recalled)
    // None has begun twice.
    assertThat(places.map(_._3).max).isEqualTo(0)
  }

  /** Executors may tell each other of outputs before the DAGScheduler's loop has come to them. A task that
    * is sent anew meanwhile would ask the driver in vain, and its stage would begin again.
    */
  @Test
  def aTaskThatMovesBeforeTheDriverKnowsItsInputsWaitsForThat(@TempDir dir: Path): Unit = {
    val maps = Files.createFile(dir.resolve("maps")).toString
    val reduces = Files.createFile(dir.resolve("reduces")).toString
    val events = TestCluster.events(sc)
    val recalled = source.recalled.getCount
    val sums = sc
      .parallelize(0 until 160, 2)
      .map { i =>
        Gate.await(maps)
        (i % 16, i)
      }
      .reduceByKey(_ + _, 16)
      .mapPartitionsWithIndex { (partition, sums) =>
        // Every other one is on the same executor.
        if (partition % 2 == 0) Gate.await(reduces)
        sums
      }
      .collectAsync()
    def ends = events.seen.collect { case e: SparkListenerTaskEnd => e }
    TestCluster.await(events.seen.exists(_.isInstanceOf[SparkListenerTaskStart]))

    val loopIsHeld = new CountDownLatch(1)
    val loopGoesOn = new CountDownLatch(1)
    HoldsTheLoop.body = () => {
      loopIsHeld.countDown()
      loopGoesOn.await()
    }
    val held =
      try {
        val held = new HoldsTheLoop(sc).collectAsync()
        assertThat(loopIsHeld.await(60, TimeUnit.SECONDS)).isTrue
        Files.delete(Path.of(maps))
        TestCluster.await(source.recalled.getCount > recalled)
        TestCluster.await(source.metricRegistry.getGauges.get("tasks.unsent").getValue != 0)
        held
      } finally loopGoesOn.countDown()
    Files.delete(Path.of(reduces))

    val result = Await.result(sums, Duration(60, TimeUnit.SECONDS)).toMap
    assertThat(result).isEqualTo((0 until 160).groupMapReduce(_ % 16)(identity)(_ + _))
    Await.result(held, Duration(60, TimeUnit.SECONDS))
    assertThat(ends.map(_.reason).distinct).isEqualTo(Seq(Success))
    assertThat(ends.map(_.stageAttemptId).distinct).isEqualTo(Seq(0))
  }

  @Test
  def joinsWaitForBothSides(): Unit = {
    val left = sc.parallelize(1 to 200, 3).map(i => (i % 40, i))
    val right = sc.parallelize(1 to 100, 5).map(i => (i % 30, -i))
    val joined = left.join(right, 4).collect().toSeq.sorted
    val expected = for {
      i <- 1 to 200
      j <- 1 to 100 if i % 40 == j % 30
    } yield (i % 40, (i, -j))
    assertThat(joined.asJava).isEqualTo(expected.sorted.asJava)
  }

  @Test
  def whatHasBeenComputedIsNotComputedAgain(): Unit = {
    val computed = sc.longAccumulator
    val shuffled = sc
      .parallelize(1 to 100, 4)
      .map { i =>
        computed.add(1)
        (i % 7, i)
      }
      .partitionBy(new HashPartitioner(3))
    assertThat(shuffled.count()).isEqualTo(100)
    val ahead = source.sentAhead.getCount
    assertThat(shuffled.values.sum()).isEqualTo(5050.0)
    assertThat(computed.value).isEqualTo(100L)
    assertThat(source.sentAhead.getCount).isEqualTo(ahead)
  }

  @Test
  def cachedPartitionsAreReadWhereTheyLie(): Unit = {
    val cached = sc.parallelize(1 to 1000, 4).map(_ * 2).persist(StorageLevel.MEMORY_ONLY)
    cached.count()
    val events = TestCluster.events(sc)
    assertThat(cached.map(i => (i % 5, i)).reduceByKey(_ + _, 2).values.sum()).isEqualTo(1001000.0)
    val places = sc.getExecutorMemoryStatus.size
    assertThat(places).isEqualTo(3)
    val read = events.seen.collect {
      case e: SparkListenerTaskEnd if e.taskType == "ShuffleMapTask" => e.taskMetrics
    }
    assertThat(read.size).isEqualTo(4)
    assertThat(read.map(_.inputMetrics.recordsRead).sum).isEqualTo(1000L)
    cached.unpersist(blocking = true)
  }

  @Test
  def accumulatorsCountEveryTaskOnce(): Unit = {
    val maps = sc.longAccumulator("maps")
    val reduces = sc.longAccumulator("reduces")
    val total = sc
      .parallelize(1 to 500, 5)
      .map { i =>
        maps.add(1)
        (i % 11, 1)
      }
      .reduceByKey(_ + _, 4)
      .map { case (_, n) =>
        reduces.add(1)
        n
      }
      .sum()
    assertThat(total).isEqualTo(500.0)
    assertThat(maps.value).isEqualTo(500L)
    assertThat(reduces.value).isEqualTo(11L)
  }

  /** Small values stay out of Spark's buffers, larger ones do not, and the largest are fetched as blocks. */
  @Test
  def resultsOfEverySizeComeThroughInFewBytesMore(): Unit = {
    val events = TestCluster.events(sc)
    val sizes = Seq(0, 1, 8000, 8150, 8192, 9000, 100000, (1 << 20) - 100, 1 << 20, 3 << 20)
    val results =
      sc.parallelize(sizes, sizes.length).map(n => Array.tabulate(n)(_.toByte)).collect()
    assertThat(results.map(_.toSeq).toSeq).isEqualTo(sizes.map(Seq.tabulate(_)(_.toByte)))
    val taken = events.seen.collect { case end: SparkListenerTaskEnd =>
      end.taskInfo.index -> end.taskMetrics.resultSize
    }.toMap
    for ((size, i) <- sizes.zipWithIndex; if size <= 100000)
      assertThat(taken(i)).as(s"bytes for a result of $size").isBetween(size.toLong, size + 800L)
  }

  /** Spark allocates a megabyte for the value of each task. */
  @Test
  def aSmallValueTakesNoLargeBuffer(): Unit = {
    val allocated = sc
      .parallelize(0 until 40, 40)
      .map { _ =>
        val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
        val id = Thread.currentThread.getId
        ((SparkEnv.get.executorId, id), threads.getThreadAllocatedBytes(id))
      }
      .collect()
    // From one task to the next in the same thread.
    val ofTasks = allocated.groupMap(_._1)(_._2).values.flatMap { counts =>
      counts.sorted.sliding(2).collect { case Array(before, after) => after - before }
    }
    assertThat(ofTasks.size).isGreaterThan(10)
    assertThat(ofTasks.toSeq.sorted.apply(ofTasks.size / 2)).isLessThan(1L << 20)
  }

  /** An executor's serializers are not the driver's, but may be sent there. */
  @Test
  def serializersOfAnExecutorTravelAsSparks(): Unit = {
    val sent = sc
      .parallelize(Seq(1), 1)
      .map(_ => (SparkEnv.get.serializer, SparkEnv.get.closureSerializer))
      .collect()
      .head
    assertThat(Seq(sent._1, sent._2).map(_.getClass.getName).distinct)
      .isEqualTo(Seq(classOf[JavaSerializer].getName))
  }

  @Test
  def broadcastsAndLargeResultsComeThrough(): Unit = {
    val table = sc.broadcast((0 until 1000).map(i => i -> s"v$i").toMap)
    // More than what executors send to the driver directly.
    val large = sc
      .parallelize(0 until 10, 2)
      .map(i => (i, Array.fill(300000)(table.value(i).head)))
      .groupByKey(2)
      .mapValues(_.head)
      .collect()
    assertThat(large.length).isEqualTo(10)
    assertThat(large.map(_._2.length).distinct).isEqualTo(Array(300000))
  }

  /** The driver would have to send them to each executor. */
  @Test
  def longBinariesAreBroadcasts(): Unit =
    for ((megabytes, isBroadcast) <- Seq(1 -> false, 12 -> true)) {
      val captured = new Random(megabytes).nextBytes(megabytes << 20)
      val before = source.dispatched.getCount
      val results = sc
        .parallelize(0 until 4, 4)
        .map { i =>
          val blocks = SparkEnv.get.blockManager
          val lengths = blocks
            .getMatchingBlockIds(_.isBroadcast)
            .flatMap(blocks.getStatus(_).map(_.memSize))
          (i % 2, (captured(i * 100000), lengths.maxOption.getOrElse(0L)))
        }
        .groupByKey(2)
        .flatMap(_._2)
        .collect()
      assertThat(source.dispatched.getCount - before).isEqualTo(2L)
      assertThat(results.map(_._1).sorted)
        .isEqualTo((0 until 4).map(i => captured(i * 100000)).sorted.toArray)
      assertThat(results.exists(_._2 > (1 << 20)))
        .as(s"$megabytes MB broadcast")
        .isEqualTo(isBroadcast)
    }

  @Test
  def mapStatusesTooLongToAnnounceAreAskedFor(): Unit = {
    sc.stop()
    // A status has a byte for each of up to 2000 partitions.
    sc = TestCluster.start(2, "spark.task.maxDirectResultSize" -> "1k")
    val reduced = sc.parallelize(1 to 3000, 3).map(i => (i, i)).reduceByKey(_ + _, 1500)
    assertThat(reduced.coalesce(2).count()).isEqualTo(3000L)
    assertThat(source.sentAhead.getCount).isEqualTo(1)
    val reminded = sc.parallelize(0 until 4, 4).map(_ => TestCluster.agentHas("tasks.reminded"))
    assertThat(reminded.max()).isGreaterThan(0L)
    anExecutorIsKilledBetweenTwoStages()
    sc.stop()
    start()
  }

  /** Nothing is announced here, so the second stage waits when the first has ended. */
  private def anExecutorIsKilledBetweenTwoStages(): Unit = {
    val killed = new AtomicBoolean
    sc.addSparkListener(new SparkListener {
      override def onStageCompleted(event: SparkListenerStageCompleted): Unit =
        if (killed.compareAndSet(false, true)) {
          sc.killAndReplaceExecutor(sc.getExecutorIds().head)
        }
    })
    val reduced = sc.parallelize(1 to 3000, 4).map(i => (i, i)).reduceByKey(_ + _, 1500)
    assertThat(reduced.coalesce(2).values.sum()).isEqualTo(4501500.0)
    assertThat(killed.get).isTrue
  }

  @Test
  def aFailedTaskIsTriedAgain(@TempDir dir: Path): Unit = {
    val (inMap, inReduce) = (new Once(dir), new Once(dir))
    val result = sc
      .parallelize(1 to 100, 4)
      .map { i =>
        if (i == 30 && inMap.isFirst) throw new IllegalStateException("map")
        (i % 3, i)
      }
      .reduceByKey(_ + _, 3)
      .map { case (k, v) =>
        if (k == 1 && inReduce.isFirst) throw new IllegalStateException("reduce")
        (k, v)
      }
      .collect()
      .toMap
    assertThat(result).isEqualTo(Map(0 -> 1683, 1 -> 1717, 2 -> 1650))
  }

  @Test
  def aTaskThatAlwaysFailsFailsItsJob(): Unit = {
    val failing = sc.parallelize(1 to 100, 4).map(i => (i % 3, i)).reduceByKey(_ + _, 3).map {
      case (1, _)   => throw new IllegalStateException("always")
      case (_, sum) => sum
    }
    assertThatThrownBy(() => failing.collect())
      .isInstanceOf(classOf[SparkException])
      .hasMessageContaining("failed 4 times")
      .hasMessageContaining("always")
    assertThat(sc.parallelize(1 to 10, 2).map(i => (i, i)).groupByKey().count()).isEqualTo(10L)
  }

  @Test
  def aTaskThatCannotBeSerializedFailsItsJobAndNothingIsLeft(): Unit = {
    val notSerializable = new Object
    // Stock checks closures when they are made, but not partitions' data.
    val rdd = sc
      .parallelize(Seq(1), 1)
      .map(i => (i, i))
      .reduceByKey(_ + _)
      .mapPartitionsInternal(
        it => it.map(x => (x, notSerializable.hashCode)),
        preservesPartitioning = false
      )
    assertThatThrownBy(() => rdd.collect()).hasMessageContaining("not serializable")
    assertThat(sc.parallelize(1 to 10, 2).map(i => (i, i)).groupByKey().count()).isEqualTo(10L)
  }

  @Test
  def listenersAreToldHowNearATaskIsToItsInput(): Unit = {
    val events = TestCluster.events(sc)
    def tasks = events.seen.collect { case e: SparkListenerTaskStart => e.taskInfo }
    sc.parallelize(1 to 2, 2).count()
    val somewhere = tasks.head
    val executor = ExecutorCacheTaskLocation(somewhere.host, somewhere.executorId).toString
    sc.makeRDD(Seq(Seq(executor), Seq(somewhere.host), Seq("elsewhere")).map(1 -> _)).count()
    assertThat(tasks.sortBy(_.taskId).map(_.taskLocality).mkString(" "))
      .isEqualTo("PROCESS_LOCAL PROCESS_LOCAL PROCESS_LOCAL NODE_LOCAL ANY")
  }

  @Test
  def listenersAreToldInStocksOrder(): Unit = {
    val events = TestCluster.events(sc)
    sc.parallelize(1 to 100, 4).map(i => (i % 5, i)).reduceByKey(_ + _, 3).collect()
    val seen = events.seen
    val stages = seen.collect { case e: SparkListenerJobStart => e.stageIds.sorted }.head
    val mapsEnd = seen.indexWhere {
      case e: SparkListenerStageCompleted => e.stageInfo.stageId == stages.head
      case _                              => false
    }
    val firstReduce = seen.indexWhere {
      case e: SparkListenerTaskStart => e.stageId == stages.last
      case _                         => false
    }
    assertThat(mapsEnd).isGreaterThan(0).isLessThan(firstReduce)
    val started = seen.collect { case e: SparkListenerTaskStart => e.taskInfo.taskId }
    val ended = seen.collect { case e: SparkListenerTaskEnd if e.reason == Success => e }
    assertThat(started.size).isEqualTo(7)
    assertThat(ended.map(_.taskInfo.taskId).sorted.asJava).isEqualTo(started.sorted.asJava)
    assertThat(ended.map(_.taskMetrics.shuffleReadMetrics.recordsRead).sum).isEqualTo(20L)
    assertThat(seen.last).isInstanceOf(classOf[SparkListenerJobEnd])
  }

  /** As the UI shows them. */
  @Test
  def whatRunningTasksHaveDoneIsTold(@TempDir dir: Path): Unit = {
    sc.stop()
    sc = TestCluster.start(2, "spark.executor.heartbeatInterval" -> "200ms")
    val gate = Files.createFile(dir.resolve("gate")).toString
    val events = TestCluster.events(sc)
    val counted = sc.longAccumulator("counted so far")
    val sum = sc
      .parallelize(Seq(7, 8), 2)
      .map { i =>
        counted.add(i.toLong)
        Gate.await(gate)
        i
      }
      .collectAsync()
    def told = for {
      e <- events.seen.collect { case e: SparkListenerExecutorMetricsUpdate => e }
      (taskId, stageId, attempt, accumulators) <- e.accumUpdates
      accumulator <- accumulators if accumulator.name.contains("counted so far")
      update <- accumulator.update.toSeq
    } yield (taskId, stageId, attempt, update)
    TestCluster.await(told.map(_._4).toSet == Set(7L, 8L))
    Files.delete(Path.of(gate))
    assertThat(Await.result(sum, Duration(60, TimeUnit.SECONDS)).sum).isEqualTo(15)
    val ran = events.seen.collect { case e: SparkListenerTaskEnd =>
      (e.taskInfo.taskId, e.stageId, e.stageAttemptId)
    }
    assertThat(told.map { case (task, stage, attempt, _) => (task, stage, attempt) }.toSet)
      .isEqualTo(ran.toSet)
    sc.stop()
    start()
  }

  @Test
  def manyJobsAtOnce(): Unit = {
    val pool = Executors.newFixedThreadPool(8)
    val jobs = (1 to 40).map { seed =>
      pool.submit((() => {
        val (input, rdd) = words(seed, 300, 1 + seed % 4)
        rdd.map((_, 1)).reduceByKey(_ + _, 1 + seed % 3).collect().toMap == counts(input)
      }): Callable[Boolean])
    }
    assertThat(jobs.map(_.get(100, TimeUnit.SECONDS)).forall(identity)).isTrue
    pool.shutdown()
  }

  @Test
  def aCancelledJobLeavesItsSlots(): Unit = {
    val running = sc.longAccumulator
    val pool = Executors.newSingleThreadExecutor()
    val job = pool.submit((() => {
      sc.setJobGroup("doomed", "is cancelled", interruptOnCancel = true)
      sc.parallelize(1 to 4, 4)
        .map { i =>
          running.add(1)
          Thread.sleep(60000)
          (i, i)
        }
        .reduceByKey(_ + _)
        .count()
    }): Callable[Long])
    val events = TestCluster.events(sc)
    while (!events.seen.exists(_.isInstanceOf[SparkListenerTaskStart]))
      Thread.sleep(20)
    sc.cancelJobGroup("doomed")
    assertThatThrownBy(() => job.get(60, TimeUnit.SECONDS)).hasMessageContaining("cancelled")
    pool.shutdown()
    assertThat(sc.parallelize(1 to 10, 2).map(i => (i, i)).groupByKey().count()).isEqualTo(10L)
  }

  @Test
  def aKilledTaskIsTriedAgainWhetherItRunsOrWaits(): Unit = {
    val gate = sc.broadcast(Files.createTempFile("gate", "").toString)
    val events = TestCluster.events(sc)
    val pool = Executors.newSingleThreadExecutor()
    val job = pool.submit(
      (
          () =>
            sc.parallelize(1 to 4, 2)
              .map { i =>
                while (Files.exists(Path.of(gate.value))) Thread.sleep(20)
                (i, i)
              }
              .reduceByKey(_ + _, 2)
              .values
              .sum()
      ): Callable[Double]
    )
    def started = events.seen.collect { case e: SparkListenerTaskStart => e.taskInfo.taskId }
    while (started.size < 2)
      Thread.sleep(20)
    val running = started.min
    // Ids are given in the order in which tasks are sent: behind the two maps come the reduces.
    assertThat(sc.killTaskAttempt(running)).isTrue
    assertThat(sc.killTaskAttempt(running + 2)).isTrue
    while (
      !events.seen.exists {
        case e: SparkListenerTaskEnd => e.taskInfo.taskId == running && e.taskInfo.killed
        case _                       => false
      }
    )
      Thread.sleep(20)
    Files.delete(Path.of(gate.value))
    assertThat(job.get(60, TimeUnit.SECONDS)).isEqualTo(10.0)
    assertThat(started.contains(running + 2)).isFalse
    pool.shutdown()
  }

  @Test
  def barriersAreLeftToStock(): Unit = {
    val before = source.leftToStock(Unsuited.Barrier).getCount
    val sum = sc.parallelize(1 to 10, 2).barrier().mapPartitions { it =>
      org.apache.spark.BarrierTaskContext.get().barrier()
      it
    }
    assertThat(sum.sum()).isEqualTo(55.0)
    assertThat(source.leftToStock(Unsuited.Barrier).getCount).isEqualTo(before + 1)
  }

  @Test
  def anExecutorThatDiesInTheFirstOfThreeStages(@TempDir dir: Path): Unit = dies(0, dir)

  @Test
  def anExecutorThatDiesInTheSecondOfThreeStages(@TempDir dir: Path): Unit = dies(1, dir)

  @Test
  def anExecutorThatDiesInTheLastOfThreeStages(@TempDir dir: Path): Unit = dies(2, dir)

  @Test
  def aTaskThatAlwaysEndsItsExecutorFailsItsJob(): Unit = {
    val input = sc.parallelize(1 to 4, 2)
    assertThatThrownBy { () =>
      input.foreach(i => if (i == 1) Runtime.getRuntime.halt(1))
    }.hasMessageContaining("ExecutorLostFailure")
    TestCluster.awaitAgents(sc, 2)
    assertThat(input.sum()).isEqualTo(10.0)
  }

  private def dies(stage: Int, dir: Path): Unit = {
    TestCluster.awaitAgents(sc, 2)
    val once = new Once(dir)
    def die(at: Int): Unit =
      if (at == stage && TaskContext.getPartitionId() == 1 && once.isFirst) {
        Runtime.getRuntime.halt(1)
      }
    val result = PreSchedulingTest.threeStages(sc, die)
    val expected = (1 to 1000)
      .groupMapReduce(_ % 10)(identity)(_ + _)
      .toSeq
      .groupMapReduce(_._1 % 3)(_._2)(_ + _)
    assertThat(result).isEqualTo(expected)
    assertThat(once.isFirst).isFalse
    TestCluster.awaitAgents(sc, 2)
  }
}

/** One partition; where that is best computed takes as long as is wanted to say. */
private final class HoldsTheLoop(sc: SparkContext) extends RDD[Int](sc, Nil) {
  override protected def getPartitions: Array[Partition] = Array(new Partition {
    override def index: Int = 0
  })

  override protected def getPreferredLocations(partition: Partition): Seq[String] = {
    HoldsTheLoop.body()
    Seq.empty
  }

  override def compute(partition: Partition, context: TaskContext): Iterator[Int] = Iterator.empty
}

private object HoldsTheLoop {
  @volatile var body: () => Unit = () => ()
}

private object PreSchedulingTest {
  def threeStages(sc: SparkContext, at: Int => Unit): Map[Int, Int] = sc
    .parallelize(1 to 1000, 4)
    .map { i =>
      at(0)
      (i % 10, i)
    }
    .reduceByKey(_ + _, 4)
    .map { case (k, v) =>
      at(1)
      (k % 3, v)
    }
    .reduceByKey(_ + _, 3)
    .mapPartitions { it =>
      at(2)
      it
    }
    .collect()
    .toMap
}
