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

import java.nio.file.{Files, Path, StandardCopyOption}
import java.nio.file.attribute.FileTime
import java.util.regex.Pattern

import scala.concurrent.Await
import scala.concurrent.duration.{Duration, MINUTES}
import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import org.apache.spark.{FutureAction, SparkContext, Success}
import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.SparkListenerTaskEnd
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{AfterAll, BeforeAll, Test, TestInstance, Timeout}
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource

/** Executors that end, stand still or are slow, at each moment that a group of stages has, and a driver that
  * stands still. Map outputs of one byte a record travel with their announcement, those of 2 kB do not.
  */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProcessFaultsTest {
  import ProcessFaultsTest._

  private var sc: SparkContext = _

  @BeforeAll
  def start(): Unit = {
    sc = TestCluster.start(
      2,
      // The faults here are no reason to give up an executor, or the application.
      "spark.deploy.maxExecutorRetries" -> "-1",
      "spark.freshet.drizzle.rehearsal.most" -> "200ms"
    )
    // Lost executors are warned of.
    sc.setLogLevel("ERROR")
  }

  @AfterAll
  def stop(): Unit = sc.stop()

  @ParameterizedTest
  @ValueSource(ints = Array(1, 2000))
  def anExecutorEndsThatWasSentStages(length: Int, @TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val (victim, _) = TestCluster.executors(sc)
    holds.set("before")
    val earlier = sc.parallelize(0 until 2, 2).map { i =>
      // It says that it is there when this executor has tasks of both stages.
      holds.at(
        "before",
        TestCluster.agentHas("tasks.ready") > 0 && TestCluster.agentHas("tasks.waiting") > 0
      )
      i
    }
    val sum = earlier.collectAsync()
    val program = submit(holds, length)
    holds.awaitAt("before", victim)
    TestCluster.end(victim)
    holds.release("before")
    check(program, length)
    assertThat(Await.result(sum, Limit).sum).isEqualTo(1)
  }

  @ParameterizedTest
  @ValueSource(ints = Array(1, 2000))
  def anExecutorEndsThatMaps(length: Int, @TempDir dir: Path): Unit = {
    val takenBack = TestCluster.source(sc).takenBack
    val before = takenBack.getCount
    endsAt("map", length, dir)
    assertThat(takenBack.getCount).isEqualTo(before)
  }

  /** What waited there waits elsewhere, and who computes its inputs knows where: the driver need not say when it can begin. */
  @ParameterizedTest
  @ValueSource(ints = Array(1, 2000))
  def whatWaitedOnALostExecutorBeginsWithoutTheDriver(length: Int, @TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val (victim, other) = TestCluster.executors(sc)
    val source = TestCluster.source(sc)
    val (takenBack, again) = (source.takenBack.getCount, source.sentAgain.getCount)
    holds.set("map")
    val program = submit(holds, length)
    Seq(victim, other).foreach(holds.awaitAt("map", _))
    TestCluster.end(victim)
    // Two of the second stage's, and one of the third's.
    TestCluster.await(source.sentAgain.getCount >= again + 3)
    // The one that takes its place has got some of the first stage's, and nothing is on its way any more.
    holds.awaitAtAnother("map", Set(victim, other))

    val driver = ProcessHandle.current.pid
    TestCluster.signals(
      s"""cd $dir
         |kill -STOP $driver
         |rm map
         |n=0
         |while [ $$(ls | grep -c result-) -lt 2 ] && [ $$n -lt 300 ]; do sleep 0.1; n=$$((n + 1)); done
         |touch resumed
         |kill -CONT $driver""".stripMargin
    )

    check(program, length)
    val resumed = Files.getLastModifiedTime(dir.resolve("resumed"))
    for (task <- Seq("reduce", "result"); begun <- holds.begunAt(task))
      assertThat(begun.compareTo(resumed)).isLessThanOrEqualTo(0)
    assertThat(source.takenBack.getCount).isEqualTo(takenBack)
  }

  /** What it has announced is there for the others, or is made again. */
  @ParameterizedTest
  @ValueSource(ints = Array(1, 2000))
  def anExecutorEndsThatHasAnnouncedItsMaps(length: Int, @TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val (victim, other) = TestCluster.executors(sc)
    holds.set("reduce", other)
    val program = submit(holds, length)
    holds.awaitAt("reduce", other)
    TestCluster.end(victim)
    holds.release("reduce", other)
    check(program, length)
  }

  /** One of its tasks runs, and another one has all inputs and waits for the slot. */
  @ParameterizedTest
  @ValueSource(ints = Array(1, 2000))
  def anExecutorEndsThatReduces(length: Int, @TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val (one, other) = TestCluster.executors(sc)
    holds.set("reduce")
    val program = submit(holds, length)
    Seq(one, other).foreach(holds.awaitAt("reduce", _))
    val victim = Seq(one, other).maxBy(holds.readyAt("reduce", _))
    assertThat(holds.readyAt("reduce", victim)).isGreaterThan(0L)
    TestCluster.end(victim)
    holds.release("reduce")
    check(program, length)
  }

  @ParameterizedTest
  @ValueSource(ints = Array(1, 2000))
  def anExecutorEndsThatMakesResults(length: Int, @TempDir dir: Path): Unit =
    endsAt("result", length, dir)

  /** What the driver has counts, and is not made again. */
  @ParameterizedTest
  @ValueSource(ints = Array(1, 2000))
  def anExecutorEndsThatHasReportedItsResults(length: Int, @TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val (victim, other) = TestCluster.executors(sc)
    val events = TestCluster.events(sc)
    holds.set("result", other)
    val program = submit(holds, length)
    holds.awaitAt("result", other)
    def results = events.seen.collect {
      case e: SparkListenerTaskEnd if e.taskType == "ResultTask" && e.reason == Success =>
        e.taskInfo.index
    }
    TestCluster.await(results.nonEmpty)
    TestCluster.end(victim)
    holds.release("result", other)
    check(program, length)
    assertThat(results.sorted).isEqualTo(Seq(0, 1))
    sc.removeSparkListener(events)
  }

  /** Its answers come after what was sent has been sent again. */
  @Test
  def anExecutorStandsStillForLongerThanAnAnswerMayTake(@TempDir dir: Path): Unit = {
    val holds = new Holds(dir)
    val (victim, _) = TestCluster.executors(sc)
    holds.set("map", victim)
    val first = submit(holds, 1)
    holds.awaitAt("map", victim)
    val paused = TestCluster.later(s"kill -STOP $victim; sleep 12; kill -CONT $victim")
    val second = submit(new Holds(dir.resolve("none")), 1)
    holds.release("map", victim)
    TestCluster.awaitEnd(paused)
    check(first, 1)
    check(second, 1)
    // It is the same process still.
    val (one, other) = TestCluster.executors(sc)
    assertThat(Seq(one, other).contains(victim)).isTrue()
  }

  /** `-Dfreshet.drizzle.processes=N` for more of them. */
  @Test
  def jobsAreExactWhateverBecomesOfProcesses(@TempDir dir: Path): Unit = {
    val random = new Random(11)
    val none = new Holds(dir)
    val driver = ProcessHandle.current.pid
    for (_ <- 0 until Integer.getInteger("freshet.drizzle.processes", 12).intValue) {
      val (one, other) = TestCluster.executors(sc)
      val victim = if (random.nextBoolean()) one else other
      val programs = Seq(1, 1, 1, 1, 1, 2000, 2000).map(length => submit(none, length) -> length)
      val tenths = 1 + random.nextInt(5)
      val which = random.nextInt(8)
      which match {
        case 0 | 1 =>
          TestCluster.signals(s"kill -STOP $victim; sleep 0.$tenths; kill -CONT $victim")
        case 2 | 3 =>
          TestCluster.signals(s"kill -STOP $driver; sleep 0.$tenths; kill -CONT $driver")
        // A slow node: it runs for a fifth of the time.
        case 4 | 5 | 6 =>
          val cycle = s"kill -STOP $victim; sleep 0.04; kill -CONT $victim; sleep 0.01"
          TestCluster.signals(s"for i in 1 2 3 4 5 6 7 8 9 10 11 12; do $cycle; done")
        case _ => TestCluster.end(victim)
      }
      programs.foreach { case (program, length) => check(program, length) }
    }
  }

  private def endsAt(place: String, length: Int, dir: Path): Unit = {
    val holds = new Holds(dir)
    val (victim, _) = TestCluster.executors(sc)
    holds.set(place, victim)
    val program = submit(holds, length)
    holds.awaitAt(place, victim)
    TestCluster.end(victim)
    check(program, length)
  }

  private def submit(holds: Holds, length: Int): FutureAction[Seq[(Int, Long)]] =
    program(sc, holds, length).collectAsync()

  private def check(program: FutureAction[Seq[(Int, Long)]], length: Int): Unit = {
    assertThat(Await.result(program, Limit).toMap).isEqualTo(expected(length))
    TestCluster.awaitAgents(sc, 2)
  }
}

private object ProcessFaultsTest {
  private val Limit = Duration(2, MINUTES)
  private val Records = 400

  /** Three stages, of four, four and two tasks, on two executors with a slot each. */
  def program(sc: SparkContext, holds: Holds, length: Int): RDD[(Int, Long)] = sc
    .parallelize(0 until Records, 4)
    .mapPartitions { records =>
      holds.at("map")
      records.map(i => (i % 10, payload(i, length)))
    }
    .groupByKey(4)
    .mapPartitions { groups =>
      holds.at("reduce")
      groups.map { case (key, payloads) => (key % 3, payloads.toSeq.sortBy(_.head)) }
    }
    .groupByKey(2)
    .mapPartitions { groups =>
      holds.at("result")
      groups.map { case (key, payloads) => (key, payloads.flatten.map(digest).sum) }
    }

  def expected(length: Int): Map[Int, Long] = (0 until Records)
    .groupMapReduce(i => i % 10 % 3)(i => digest(payload(i, length)))(_ + _)

  /** Bytes that do not get fewer when they are compressed. */
  private def payload(i: Int, length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    new Random(i).nextBytes(bytes)
    bytes
  }

  private def digest(bytes: Array[Byte]): Long = bytes.foldLeft(7L)(_ * 31 + _)
}

/** Places where tasks wait, in all executors or in one, until the test lets them go on. */
private final class Holds(directory: Path) extends Serializable {
  private val name = directory.toString

  def set(place: String): Unit = Files.createFile(file(place))

  def set(place: String, pid: Long): Unit = Files.createFile(file(s"$place.$pid"))

  def release(place: String): Unit = Files.delete(file(place))

  def release(place: String, pid: Long): Unit = Files.delete(file(s"$place.$pid"))

  /** For a task: says that it is there, and waits.
    *
    * @param isDue when it says so
    */
  def at(place: String, isDue: => Boolean = true): Unit = {
    val pid = ProcessHandle.current.pid
    if (Files.exists(Path.of(name))) {
      Files.createTempFile(Path.of(name), s"$place-", null)
    }
    for (held <- Seq(file(place), file(s"$place.$pid")) if Files.exists(held)) {
      TestCluster.await(isDue || !Files.exists(held))
      val ready = TestCluster.agentHas("tasks.ready").toString
      val written = Files.writeString(file(s"$place.$pid.${Thread.currentThread.getId}"), ready)
      Files.move(written, file(s"$place.$pid.reached"), StandardCopyOption.ATOMIC_MOVE)
      Gate.await(held.toString)
    }
  }

  def awaitAt(place: String, pid: Long): Unit = TestCluster.await(isAt(place, pid))

  /** Waits until a task has come there in another executor than these. */
  def awaitAtAnother(place: String, known: Set[Long]): Unit = {
    val reached = s"${Pattern.quote(place)}\\.(\\d+)\\.reached".r
    TestCluster.await(names.exists {
      case reached(pid) => !known(pid.toLong)
      case _            => false
    })
  }

  def isAt(place: String, pid: Long): Boolean = Files.exists(file(s"$place.$pid.reached"))

  /** When tasks came there, whether or not they had to wait. */
  def begunAt(place: String): Seq[FileTime] = {
    val begun = names.filter(_.startsWith(s"$place-"))
    require(begun.nonEmpty, s"No task came to $place")
    begun.map(name => Files.getLastModifiedTime(file(name)))
  }

  /** How many tasks had all inputs and waited for a slot when one came there. */
  def readyAt(place: String, pid: Long): Long =
    Files.readString(file(s"$place.$pid.reached")).toLong

  private def names: Vector[String] = Using.resource(Files.list(Path.of(name))) { files =>
    files.iterator.asScala.map(_.getFileName.toString).toVector
  }

  private def file(name: String): Path = Path.of(this.name, name)
}
